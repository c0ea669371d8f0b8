//go:build unix

package files

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// A limit on the size of files acts like a full disk: a write fails in the middle. The limit is for the whole process,
// so the test runs in a process of its own.
func TestAWriteThatFailsHalfWayLeavesTheOldContent(t *testing.T) {
	const limited = "VISE_TEST_LIMITED"
	if os.Getenv(limited) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), limited+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	dir, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer dir.Close()
	must(t, dir.WriteFile("state", []byte("old"), 0o600))
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1000}))
	if err := replace(dir, "state", make([]byte, 2000)); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("got %v, want that the file is too large", err)
	}
	if created, err := createNew(nil, dir, "plan.md", make([]byte, 2000), true); created || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("got %v, %v, want that the file is too large", created, err)
	}
	if got, _ := dir.ReadFile("state"); string(got) != "old" {
		t.Errorf("got %q, want the old content", got)
	}
	onlyFile(t, dir.Name(), "state")
}
