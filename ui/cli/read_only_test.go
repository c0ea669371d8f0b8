package cli

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vise/model"
)

// A home without write permission can be read, if needed without its lock, and each answer says so. Changes are
// refused.
func TestAReadOnlyHomeIsRead(t *testing.T) {
	t.Parallel()
	for name, seal := range map[string]func(t *testing.T, home string){
		"permissions":                   func(t *testing.T, home string) { withoutWriting(t, home) },
		"permissions, without its lock": func(t *testing.T, home string) { withoutLock(t, home); withoutWriting(t, home) },
		"mount":                         mountedReadOnly,
		"mount, without its lock":       func(t *testing.T, home string) { withoutLock(t, home); mountedReadOnly(t, home) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, open, done := newHome(t)
			as, self := somebody(t, home)
			tmp := t.TempDir() // TMPDIR may belong to another user
			if as != nil {
				if err := given(tmp); err != nil {
					t.Fatal(err)
				}
			}
			ask := func(args ...string) result {
				c := program(t, home, append(args, "--json")...)
				c.Path, c.SysProcAttr, c.Env = self, as, append(c.Env, "TMPDIR="+tmp)
				return run(t, c)
			}
			seal(t, home)
			for _, args := range reads(open, done) {
				x := ask(args...)
				said := warningOf(x, model.WarnReadOnly)
				if x.code != 0 || said == "" || strings.HasSuffix(name, "without its lock") != strings.Contains(said, "it is read without") {
					t.Errorf("vise %q: exit %d, %s%s", args, x.code, x.stdout, x.stderr)
				}
			}
			if x := ask("status"); !strings.Contains(x.stdout, `"degraded":[{"code":"read_only"`) {
				t.Errorf("status: %s", x.stdout)
			}
			c := program(t, home, "mcp", "--agent", "default")
			c.Path, c.SysProcAttr = self, as
			tools := &session{t: t}
			tools.serve(c)
			for tool, args := range map[string]string{"ListWorkItems": `{}`, "GetWorkItem": `{"work_item_id":"` + open + `"}`} {
				if x := tools.tool(tool, args); !strings.Contains(x, `"read_only":"the ledger is only read`) {
					t.Errorf("%s: %s", tool, x)
				}
			}
			if x := tools.context(); !strings.Contains(x, `"read_only: the ledger is only read`) {
				t.Errorf("the context: %s", x)
			}
			for _, args := range writes(t, open, done)[:8] {
				if x := ask(args...); x.code != 5 || x.Error == nil || x.Error.Code != model.CodeReadOnly || x.Error.Hint == "" {
					t.Errorf("vise %q: exit %d, %s%s", args, x.code, x.stdout, x.stderr)
				}
			}
			x := ask("doctor")
			if x.code != 1 || !strings.Contains(x.stdout, `{"name":"read_only","ok":false`) || !strings.Contains(x.stdout, `{"name":"ledger","ok":true`) ||
				strings.Contains(x.stdout, "damaged") {
				t.Errorf("doctor: exit %d, %s%s", x.code, x.stdout, x.stderr)
			}
			if x := ask("backup", filepath.Join(tmp, "copy.db")); x.code != 0 {
				t.Errorf("backup: exit %d, %s%s", x.code, x.stdout, x.stderr)
			}
		})
	}
}

// warningOf returns the message of an answer's warning of a kind.
func warningOf(x result, kind model.WarningKind) string {
	var answer struct{ Warnings []model.Warning }
	_ = json.NewDecoder(strings.NewReader(x.stdout)).Decode(&answer) // the first, if there are several answers
	for _, w := range answer.Warnings {
		if w.Kind == kind {
			return w.Message
		}
	}
	return ""
}

func withoutLock(t *testing.T, home string) {
	t.Helper()
	if err := os.Remove(filepath.Join(home, "ledger.lock")); err != nil {
		t.Fatal(err)
	}
}

// withoutWriting removes the permission to write in a home until the test ends.
func withoutWriting(t *testing.T, home string) {
	t.Helper()
	modes := map[string]fs.FileMode{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		modes[path] = info.Mode().Perm()
		return os.Chmod(path, modes[path]&^0o222)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for path, mode := range modes {
			_ = os.Chmod(path, mode)
		}
	})
}

// mountedReadOnly mounts a home on itself, read-only.
func mountedReadOnly(t *testing.T, home string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	if out, err := exec.Command("mount", "--bind", home, home).CombinedOutput(); err != nil {
		t.Skipf("nothing can be mounted here: %s", out)
	}
	t.Cleanup(func() { _ = syscall.Unmount(home, syscall.MNT_DETACH) })
	if out, err := exec.Command("mount", "-o", "remount,bind,ro", home).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
