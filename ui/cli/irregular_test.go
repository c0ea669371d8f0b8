package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
)

// within runs a verb, which must end by itself within a time.
func within(t *testing.T, limit time.Duration, home string, args ...string) result {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), limit)
	defer stop()
	c := program(t, home, append(args, "--json")...)
	bounded := exec.CommandContext(ctx, c.Path, c.Args[1:]...)
	bounded.Args[0], bounded.Env = c.Args[0], c.Env
	x := run(t, bounded)
	if ctx.Err() != nil {
		t.Errorf("vise %q had not ended after %v", args, limit)
	}
	return x
}

// irregulars put something else in the place of a file, as far as this user can.
var irregulars = map[string]func(path string) error{
	"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
	"a link":      func(path string) error { return os.Symlink("/dev/zero", path) },
	"a device":    func(path string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|5) }, // /dev/zero
	"a socket": func(path string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err == nil {
			l.SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	},
}

// Something else in the place of a file of the home stops nobody, is not read into memory, and is named. What does not
// need that file works.
func TestWhatIsNoFileIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	for kind, place := range irregulars {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"ledger.db", "home.json", "ledger.lock", "journal/live.vj", "snapshots", "spool", "spool/x.json",
				"state/state.json"} {
				home, open, _ := shortHome(t)
				path := filepath.Join(home, name)
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				if err := place(path); err != nil {
					t.Skipf("%s cannot be made here: %v", kind, err)
				}
				for _, args := range [][]string{{"status"}, {"show", open}, {"new", "One more"}, {"doctor"}} {
					x := within(t, 20*time.Second, home, args...)
					said := fmt.Sprintf("%s at %s: vise %q: exit %d, %s%s", kind, name, args, x.code, x.stdout, x.stderr)
					needed := name == "ledger.db" || name == "home.json" || name == "ledger.lock"
					switch {
					case args[0] == "doctor":
						if harmless := strings.HasPrefix(name, "state") || name == "spool/x.json" || name == "snapshots" && kind == "a directory" ||
							name == "spool" && kind == "a directory"; x.code != 1 && !harmless {
							t.Error(said)
						}
					case needed && (x.code != 5 || x.Error == nil || x.Error.Code != model.CodeRefused || x.Error.Hint == "" ||
						!strings.Contains(x.Error.Message, path+" is not a regular file")):
						t.Error(said)
					case !needed && x.code != 0:
						t.Error(said)
					case name == "journal/live.vj" && args[0] == "status" && !strings.Contains(x.stdout, path+" is not a regular file"):
						t.Error(said)
					}
				}
			}
		})
	}
}

// A repair puts aside what is in the place of the journal's copy, and writes the copy again.
func TestARepairPutsWhatIsNoJournalAside(t *testing.T) {
	t.Parallel()
	home, _, _ := newHome(t)
	live := filepath.Join(home, "journal", "live.vj")
	if err := os.Remove(live); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(live, 0o600); err != nil {
		t.Fatal(err)
	}
	if x := within(t, 20*time.Second, home, "doctor"); x.code != 1 || !strings.Contains(x.stdout, `{"name":"journal","ok":false`) ||
		!strings.Contains(x.stdout, `{"name":"ledger","ok":true`) {
		t.Errorf("doctor: exit %d, %s%s", x.code, x.stdout, x.stderr)
	}
	if x := within(t, 20*time.Second, home, "doctor", "--repair"); x.code != 0 {
		t.Errorf("doctor --repair: exit %d, %s%s", x.code, x.stdout, x.stderr)
	}
	mustAsk(t, home, "doctor")
}

// shortHome returns a home whose path is short enough for a socket.
func shortHome(t *testing.T) (home, open, done string) {
	t.Helper()
	made, open, done := newHome(t)
	dir, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "vise-") // on the file system of made
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	home = filepath.Join(dir, "home")
	if err := os.Rename(made, home); err != nil {
		t.Fatal(err)
	}
	return home, open, done
}

// A file that is far too large is not read either.
func TestAHomeFileOfAnySizeIsRefused(t *testing.T) {
	t.Parallel()
	home, _, _ := newHome(t)
	for _, name := range []string{"home.json", "journal/live.vj"} {
		path := filepath.Join(home, name)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 1<<40); err != nil {
			t.Skip("no such files here")
		}
		if x := within(t, 20*time.Second, home, "status"); name == "home.json" && (x.code != 5 || x.Error.Hint == "") ||
			name != "home.json" && (x.code != 0 || !strings.Contains(x.stdout, `"lagging"`)) {
			t.Errorf("%s: exit %d, %s%s", name, x.code, x.stdout, x.stderr)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A plan above the limit is refused with its size and the limit.
func TestALargePlanSaysItsSizeAndTheLimit(t *testing.T) {
	home, open, _ := newHome(t)
	plan := filepath.Join(home, "agents", "default", "work-items", open, "plan.md")
	if err := os.Truncate(plan, model.MaxPlanBytes+1); err != nil {
		t.Fatal(err)
	}
	x := ask(t, home, "plan", "show", open)
	if x.Error == nil || !strings.Contains(x.Error.Message, "has 8388609 bytes; a plan can have 8388608 (8 MiB)") ||
		!strings.HasPrefix(x.Error.Hint, "shorten it") {
		t.Errorf("%+v", x.Error)
	}
}
