package threads_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model/thread"
	"vise/store/storetest"
	"vise/store/threads"
)

// shownDiff is a diff in lines: each file with its letter, its counts and its hunks.
func shownDiff(t *testing.T, d thread.Diff, space bool) string {
	t.Helper()
	if d.Problem != "" {
		return "problem: " + d.Problem.Raw()
	}
	var b strings.Builder
	for _, f := range d.Files {
		fmt.Fprintf(&b, "%c %q", f.Status, f.Path.Raw())
		if f.Old != "" {
			fmt.Fprintf(&b, " was %q", f.Old.Raw())
		}
		if f.Counted {
			fmt.Fprintf(&b, " +%d -%d", f.Added, f.Removed)
		}
		if f.Binary {
			b.WriteString(" binary")
		}
		b.WriteByte('\n')
		x := threads.Reader{}.Hunks(t.Context(), d, f, space)
		if x.Problem != "" {
			fmt.Fprintf(&b, "  problem: %s\n", x.Problem)
		}
		for _, h := range x.List {
			for _, l := range h.Lines {
				fmt.Fprintf(&b, "  %d %d %c%s\n", l.Old, l.New, l.Sign, l.Text.Raw())
			}
		}
	}
	return b.String()
}

func wantDiff(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestADiffGoesFromWhereWorkBeganToTheWorkTree(t *testing.T) {
	r := storetest.NewRepo(t)
	r.Write("kept.go", "one\ntwo\nthree\n")
	r.Write("moved from.go", strings.Repeat("a line that stays\n", 9)+"old\n")
	r.Write("spaces.go", "if x {\ny\n}\n")
	r.Write("gone.go", "bye\n")
	r.Write("image", "a\x00b")
	r.Write(".gitignore", "built/\n")
	began := r.Commit("before")
	r.Write("kept.go", "one\n2\nthree\n")
	r.Commit("the agent's own commit")
	r.Git("mv", "moved from.go", "moved\nto.go")
	r.Write("moved\nto.go", strings.Repeat("a line that stays\n", 9)+"new\n")
	r.Write("spaces.go", "if x {\n\ty\n}\n")
	r.Write("image", "a\x00c")
	r.Write("built/x", "not shown")
	r.Write("new/\x1b[31mred.go", "first\nlast")
	r.Write(".aictx/tasks/x.json", "{}")
	r.Git("rm", "-q", "gone.go")
	d := threads.Reader{}.Diff(t.Context(), r.Dir, began, false)
	if d.Base != began || !d.Began {
		t.Errorf("compared with %s, recorded %v", d.Base, d.Began)
	}
	wantDiff(t, shownDiff(t, d, false), `
D "gone.go" +0 -1
  1 0 -bye
M "image" binary
M "kept.go" +1 -1
  1 1  one
  2 0 -two
  0 2 +2
  3 3  three
R "moved\nto.go" was "moved from.go" +1 -1
  7 7  a line that stays
  8 8  a line that stays
  9 9  a line that stays
  10 0 -old
  0 10 +new
? "new/\x1b[31mred.go" +2 -0
  0 1 +first
  0 2 +last
`)
	d = threads.Reader{}.Diff(t.Context(), r.Dir, began, true)
	if got := shownDiff(t, d, true); !strings.Contains(got, "M \"spaces.go\" +1 -1\n") {
		t.Errorf("white space does not count:\n%s", got)
	}
}

func TestADiffWithoutARecordedBeginGoesToWhereTheBranchWasLeft(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	left := r.Git("rev-parse", "HEAD")
	r.Git("switch", "-q", "-c", "work")
	r.Write("a.go", "a\n")
	r.Commit("on the branch")
	if d := (threads.Reader{}).Diff(t.Context(), r.Dir, "", false); d.Base != left || d.Began || d.Since != "main" || len(d.Files) != 1 {
		t.Errorf("%+v", d)
	}
	began := r.Git("rev-parse", "HEAD")
	r.Git("switch", "-q", "main")
	r.Write("b.go", "b\n")
	r.Commit("on main")
	r.Git("switch", "-q", "work")
	r.Git("rebase", "-q", "main")
	d := threads.Reader{}.Diff(t.Context(), r.Dir, began, false)
	if d.Base != left || !d.Began {
		t.Errorf("after a rebase: %+v", d)
	}
}

func TestADiffSaysWhyThereIsNone(t *testing.T) {
	plain := storetest.PlainDir(t)
	for dir, want := range map[string]string{
		plain.Dir:                        "problem: this is no git repository",
		filepath.Join(plain.Dir, "gone"): "problem: the work tree " + plain.Dir + "/gone is not there any more",
	} {
		wantDiff(t, shownDiff(t, threads.Reader{}.Diff(t.Context(), dir, "", false), false), want)
	}
	r := storetest.NewRepo(t)
	r.Write("first", "1\n")
	r.Git("add", "first")
	wantDiff(t, shownDiff(t, threads.Reader{}.Diff(t.Context(), r.Dir, "", false), false), "A \"first\" +1 -0\n  0 1 +1\n")
}

// The repository's own programs are not run, and no link out of it is followed.
func TestADiffRunsNothingOfTheRepository(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	mark := filepath.Join(t.TempDir(), "ran")
	for key, value := range map[string]string{
		"diff.external": "touch " + mark, "diff.evil.textconv": "touch " + mark, "diff.evil.command": "touch " + mark,
		"filter.evil.clean": "touch " + mark, "core.fsmonitor": "touch " + mark, "core.pager": "touch " + mark,
	} {
		r.Git("config", key, value)
	}
	r.Write(".gitattributes", "* diff=evil filter=evil\n")
	r.Write("tracked.txt", "changed\n")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(r.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	d := threads.Reader{}.Diff(t.Context(), r.Dir, "", false)
	got := shownDiff(t, d, false) + threads.Reader{}.TreePrint(t.Context(), r.Dir)
	if _, err := os.Stat(mark); err == nil || strings.Contains(got, "secret\n") || !strings.Contains(got, "+changed") {
		t.Errorf("ran %v:\n%s", err == nil, got)
	}
}

// Reading a diff is bounded, and the result says so.
func TestALargeDiffIsBounded(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Write("tracked.txt", strings.Repeat("x", 10_000)+"\n"+strings.Repeat("line\n", 600_000))
	d := threads.Reader{}.Diff(t.Context(), r.Dir, "", false)
	x := threads.Reader{}.Hunks(t.Context(), d, d.Files[0], false)
	lines := 0
	for _, h := range x.List {
		lines += len(h.Lines)
		if n := len(h.Lines[1].Text); n > 5000 {
			t.Errorf("a line of %d bytes is kept", n)
		}
	}
	if !x.Cut || lines > 20_000 || d.Files[0].Added != 600_001 {
		t.Errorf("%d lines, cut %v, %+v", lines, x.Cut, d.Files[0])
	}
}
