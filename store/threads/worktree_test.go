package threads

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// TestAWorkTreeIsSafeOnlyIfNothingIsLost makes each state of a work tree with real git.
func TestAWorkTreeIsSafeOnlyIfNothingIsLost(t *testing.T) {
	storetest.Slow(t)
	work := func(name string) func(main, at storetest.Repo) {
		return func(_, at storetest.Repo) {
			at.Write(name, "work\n")
			at.Git("add", name)
			at.Git("commit", "-qm", "work")
		}
	}
	then := func(steps ...func(main, at storetest.Repo)) func(main, at storetest.Repo) {
		return func(main, at storetest.Repo) {
			for _, step := range steps {
				step(main, at)
			}
		}
	}
	in := func(args ...string) func(main, at storetest.Repo) {
		return func(main, _ storetest.Repo) { main.Git(args...) }
	}
	for name, x := range map[string]struct {
		do   func(main, at storetest.Repo)
		line string
		why  string // empty: safe
	}{
		"fresh":     {func(_, _ storetest.Repo) {}, "f", ""},
		"behind":    {func(main, _ storetest.Repo) { work("m")(main, main) }, "f ↓1", ""},
		"changed":   {func(_, at storetest.Repo) { at.Write("tracked.txt", "other\n") }, "f dirty", "dirty: tracked.txt"},
		"untracked": {func(_, at storetest.Repo) { at.Write("d/a", "a"); at.Write("d/b", "b") }, "f dirty", "dirty: d/a and 1 file more"},
		"staged":    {func(_, at storetest.Repo) { at.Write("a", "a"); at.Git("add", "a") }, "f dirty", "dirty: a"},
		"ignored by git": {func(_, at storetest.Repo) {
			at.Write(".gitignore", ".env\n*.local\nnode_modules\nsub/\n")
			at.Git("add", ".gitignore")
			at.Git("commit", "-qm", "ignore")
			at.Write(".env", "KEY=1")
			at.Write("sub/notes", "found out")
			at.Write("node_modules/x/index.js", "made again")
		}, "f ↑1", "ignored, and removed with it: .env, sub/"},
		"ignored, and made again": {func(main, at storetest.Repo) {
			main.Write(".gitignore", "node_modules/\n")
			main.Git("add", ".gitignore")
			main.Git("commit", "-qm", "ignore")
			at.Git("merge", "-q", "main")
			at.Write("a/node_modules/x/index.js", "made again")
		}, "f", ""},
		"ignored by us":  {func(_, at storetest.Repo) { at.Write("own", "a") }, "f", ""},
		"unmerged":       {work("a"), "f ↑1", "unmerged: 1 commit not in main"},
		"merged":         {then(work("a"), in("merge", "-q", "--no-ff", "-m", "m", "f")), "f ↓1", ""},
		"fast-forwarded": {then(work("a"), in("merge", "-q", "--ff-only", "f")), "f", ""},
		"squashed":       {then(work("a"), work("b"), in("merge", "-q", "--squash", "f"), in("commit", "-qm", "s")), "f ↑2 ↓1", ""},
		"picked":         {then(work("a"), in("commit", "-q", "--allow-empty", "-m", "x"), in("cherry-pick", "f")), "f ↑1 ↓2", ""},
		"half merged":    {then(work("a"), in("merge", "-q", "--ff-only", "f"), work("b")), "f ↑1", "unmerged: 1 commit not in main"},
		"detached":       {then(work("a"), func(_, at storetest.Repo) { at.Git("checkout", "-q", "--detach") }), "no branch ↑1", "unmerged: 1 commit not in main"},
		"locked":         {func(main, at storetest.Repo) { main.Git("worktree", "lock", at.Dir) }, "f", "git worktree lock keeps it"},
		"hostile name":   {func(_, at storetest.Repo) { at.Write("a\x1b[31m\nb", "a") }, "f dirty", "dirty: a"},
		"renamed":        {func(_, at storetest.Repo) { at.Git("mv", "tracked.txt", "renamed.txt") }, "f dirty", "dirty: "},
	} {
		t.Run(name, func(t *testing.T) {
			main := storetest.RepoWithCommit(t)
			at := main.At(filepath.Join(filepath.Dir(main.Dir), "f"))
			main.Git("worktree", "add", "-q", "-b", "f", at.Dir)
			x.do(main, at)
			list, err := Reader{}.List(context.Background(), at.Dir)
			if err != nil || len(list) != 2 || !list[0].Main || list[0].Path.Raw() != main.Dir || list[1].Path.Raw() != at.Dir {
				t.Fatalf("the list is %+v, %v", list, err)
			}
			w := list[1]
			Reader{}.Compare(context.Background(), &w, list[0], []string{filepath.Join(at.Dir, "own")})
			why := ""
			if list := w.Review(); len(list) > 0 {
				why = list[0].String()
			}
			if w.Line() != x.line || !strings.HasPrefix(why, x.why) || (why == "") != (x.why == "") || strings.Contains(why, "\x1b") {
				t.Errorf("%q and %q, not %q and %q", w.Line(), why, x.line, x.why)
			}
			w.Busy = []model.Text{"in use"}
			if len(w.Review()) == 0 {
				t.Error("a work tree that is in use is called safe")
			}
		})
	}
}

// A git that does not end one of its commands: the whole comparison ends in time, and the work tree is not called safe.
func TestAWorkTreeThatIsComparedTooSlowlyIsNotSafe(t *testing.T) {
	main := storetest.RepoWithCommit(t)
	at := main.At(filepath.Join(filepath.Dir(main.Dir), "f"))
	main.Git("worktree", "add", "-q", "-b", "f", at.Dir)
	list, err := Reader{}.List(t.Context(), at.Dir)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	defer func(was time.Duration) { limit = was }(limit)
	limit = time.Second
	for _, slow := range []string{"--ignored", "rev-list"} {
		program := filepath.Join(t.TempDir(), "git")
		script := "#!/bin/sh\ncase \"$*\" in *" + slow + "*) sleep 1000;; esac\nexec " + storetest.Needs(t, "git") + " \"$@\"\n"
		if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		w := list[1]
		if (Reader{Program: program}).Compare(t.Context(), &w, list[0], nil); len(w.Review()) == 0 {
			t.Errorf("%s is slow: safe", slow)
		}
	}
}

func TestWorkTreesThatAreNotThere(t *testing.T) {
	if _, err := (Reader{}).List(context.Background(), t.TempDir()); !errors.Is(err, &model.Error{Code: model.CodeNotFound}) {
		t.Errorf("outside a repository: %v", err)
	}
	for out, why := range map[string]string{
		"worktree /a\x00HEAD 1\x00branch refs/heads/m\x00\x00worktree /b\x00HEAD 2\x00detached\x00prunable gone\x00\x00": "its directory is missing",
		"worktree /a\x00bare\x00\x00worktree /b\x00HEAD 2\x00branch refs/heads/x\x00locked\x00\x00":                      "git worktree lock keeps it",
	} {
		list := parseWorktrees(out)
		if len(list) != 2 || !strings.HasPrefix(list[1].Review()[0].String(), why) || list[0].Review()[0] != "it holds the repository" {
			t.Errorf("%+v", list)
		}
	}
}
