package cli

import (
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vise/model"
	"vise/store/storetest"
)

// A limit on the size of files makes a write fail in the middle, like a full disk.
func TestNoSpaceIsSaidAndLosesNothing(t *testing.T) {
	storetest.Needs(t, "bash") // its ulimit bounds the file, and its exec names the program
	t.Parallel()
	home, open, _ := newHome(t)
	plan := filepath.Join(t.TempDir(), "plan.md")
	if err := os.WriteFile(plan, []byte(strings.Repeat("- a line of a plan that is too long\n", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	before := digest(home)
	self := program(t, home)
	for _, args := range [][]string{
		{"new", "With a long plan", "--plan", "@" + plan},
		{"complete", open, "--report-file", plan},
		{"update", open, "--todos", longTodos()},
	} {
		script := `ulimit -f ` + strconv.Itoa(blocks(t, home)) + `; exec -a vise "$0" "$@"`
		c := exec.Command("bash", append([]string{"-c", script, self.Path}, append(args, "--json")...)...)
		c.Env = self.Env
		x := run(t, c)
		ok := x.Error != nil && (x.Error.Code == model.CodeFull || x.Error.Code == model.CodeInvalid) && x.Error.Hint != ""
		if !ok || x.code != exitOf(x.Error) {
			t.Errorf("vise %q: exit %d, %s%s", args[:2], x.code, x.stdout, x.stderr)
		}
	}
	after := digest(home)
	kept := slices.DeleteFunc(slices.Clone(after), func(line string) bool { return !slices.Contains(before, line) })
	if !slices.Equal(kept, before) {
		t.Errorf("the home was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	mustAsk(t, home, "new", "There is space again")
	if x := ask(t, home, "doctor"); x.code != 0 {
		t.Errorf("doctor: %s", x.stdout)
	}
}

// blocks returns the ledger's size in the units of ulimit -f.
func blocks(t *testing.T, home string) int {
	t.Helper()
	info, err := os.Stat(filepath.Join(home, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size() / 1024)
}

// longTodos returns a checklist that needs more pages than a small ledger has free.
func longTodos() string {
	var b strings.Builder
	for range model.MaxTodos {
		b.WriteString("- [ ] " + strings.Repeat("long ", model.MaxTodoText/5) + "\n")
	}
	return b.String()
}

// Root can write everywhere, so root runs the verbs as a user without rights.
func TestMissingPermissionIsSaidAndLosesNothing(t *testing.T) {
	t.Parallel()
	home, open, done := newHome(t)
	as, self := somebody(t, home)
	change := writes(t, open, done)
	for _, args := range change {
		if last := args[len(args)-1]; as != nil && filepath.IsAbs(last) {
			if err := given(last); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask := func(args ...string) result {
		c := program(t, home, append(args, "--json")...)
		c.Path, c.SysProcAttr = self, as
		return run(t, c)
	}
	if x := ask("list"); x.code != 0 {
		t.Fatalf("list: %d %s%s", x.code, x.stdout, x.stderr)
	}
	for name, lock := range map[string]struct {
		path string
		mode fs.FileMode
		of   [][]string
	}{
		"unreadable ledger": {"ledger.db", 0, append(reads(open, done), change...)},
		"unreadable home":   {"", 0, append(reads(open, done), change[:4]...)},
		"read-only plans":   {"agents/default/work-items", 0o500, [][]string{{"new", "Another"}}},
	} {
		path := filepath.Join(home, lock.path)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		before := digest(home)
		if err := os.Chmod(path, lock.mode); err != nil {
			t.Fatal(err)
		}
		for _, args := range lock.of {
			x := ask(args...)
			if x.Error == nil || x.Error.Code != model.CodeReadOnly || x.code != 5 || x.Error.Hint == "" {
				t.Errorf("%s: vise %q: exit %d, %s%s", name, args, x.code, x.stdout, x.stderr)
			}
		}
		if err := os.Chmod(path, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		if after := digest(home); !slices.Equal(before, after) {
			t.Errorf("%s: the home changed", name)
		}
	}
}

const nobody = 65534

// somebody returns a user who owns home and has no other rights, and a copy of this program that the user can start.
func somebody(t *testing.T, home string) (*syscall.SysProcAttr, string) {
	t.Helper()
	self := program(t, home).Path
	if os.Geteuid() != 0 {
		return nil, self
	}
	dir, err := os.MkdirTemp("", "vise-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	mine := filepath.Join(dir, "vise")
	for _, step := range []func() error{
		// in another process: if a child of this process had the copy open for writing, it could not be run
		func() error { return exec.Command("cp", self, mine).Run() },
		func() error { return os.Chmod(dir, 0o755) },
		func() error { return given(home) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}, mine
}

// given makes nobody the owner of a tree, and lets everybody enter the test's directories above it.
func given(path string) error {
	err := filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, nobody, nobody)
	})
	if err != nil {
		return err
	}
	tests := filepath.Clean(cmp.Or(os.Getenv("GOTMPDIR"), os.TempDir()))
	for dir := filepath.Dir(path); dir != tests && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}
