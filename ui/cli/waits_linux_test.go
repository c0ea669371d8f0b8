package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vise/store/lock"
)

// A signal ends a wait for the ledger at once; the answer says that somebody else held it.
func TestASignalEndsAWait(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			home, open, _ := held(t)
			if err := os.RemoveAll(filepath.Join(home, "spool")); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"status"}, {"pick", open}} {
				c := program(t, home, append(args, "--json")...)
				var out bytes.Buffer
				c.Stdout = &out
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				awaited(t, filepath.Join(home, "ledger.lock"))
				began := time.Now()
				if err := c.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				code, took := codeOf(c.Wait()), time.Since(began)
				if code != 75 || took >= lock.DefaultLimit || !strings.Contains(out.String(), "interrupted while the ledger is busy") ||
					!strings.Contains(out.String(), "somebody else") {
					t.Errorf("vise %q: exit %d after %v, %s", args, code, took, out.String())
				}
			}
		})
	}
}

// awaited returns when a process waits for the lock of the file at path.
func awaited(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-tick.C {
		l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: 1 << 20, Len: 1} // the queue of package lock
		if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &l); err != nil {
			t.Fatal(err)
		}
		if l.Type == unix.F_RDLCK {
			return
		}
	}
	t.Fatal("nobody waits")
}

// smallDisk makes a file system of some megabytes.
func smallDisk(t *testing.T, megabytes string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+megabytes+"m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("nothing can be mounted here: %s", out)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill uses up the disk of a directory.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
}

// On a full disk the next change is saved in the reserve, which exists since the home's first change; doctor names the
// disk, and says that the ledger is sound.
func TestAFullDiskIsNamedAndTheReserveIsThere(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "40")
	home := filepath.Join(disk, "home")
	open := idOf(t, mustAsk(t, home, "new", "First of all"))
	if info, err := os.Stat(filepath.Join(home, "reserve")); err != nil || info.Size() < 4<<20 {
		t.Fatalf("after the first change there is no reserve: %v", err)
	}
	if err := os.Mkdir(filepath.Join(home, "aside"), 0o700); err != nil {
		t.Fatal(err)
	}
	fill(t, disk)
	for _, args := range [][]string{{"list"}, {"show", open}, {"why", open}, {"events"}, {"status"}} {
		if x := ask(t, home, args...); x.code != 0 {
			t.Errorf("vise %q: exit %d, %s%s", args, x.code, x.stdout, x.stderr)
		}
	}
	if x := ask(t, home, "status"); !strings.Contains(x.stdout, `"code":"full"`) {
		t.Errorf("status: %s", x.stdout)
	}
	asideMayGo(t, home)
	doctor := func() {
		t.Helper()
		x := ask(t, home, "doctor")
		if x.code != 1 || !strings.Contains(x.stdout, `{"name":"full","ok":false`) || !strings.Contains(x.stdout, `{"name":"ledger","ok":true`) ||
			strings.Contains(x.stdout, "damaged") {
			t.Errorf("doctor: exit %d, %s%s", x.code, x.stdout, x.stderr)
		}
	}
	doctor()
	x := ask(t, home, "pick", open)
	if x.code != 0 || !strings.Contains(x.stdout, `"disk_full"`) {
		t.Errorf("pick: exit %d, %s%s", x.code, x.stdout, x.stderr)
	}
	fill(t, disk)
	doctor()
}

// A disk without inodes is full too, and status names it. It advises nothing that then fails.
func TestADiskWithoutInodesIsNamed(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "64m,nr_inodes=80,size=64")
	home := filepath.Join(disk, "home")
	mustAsk(t, home, "new", "First of all")
	if err := os.Mkdir(filepath.Join(home, "aside"), 0o700); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		if err := os.WriteFile(filepath.Join(disk, fmt.Sprint(n)), nil, 0o600); err != nil {
			break
		}
	}
	if x := ask(t, home, "status"); !strings.Contains(x.stdout, `"code":"full"`) || !strings.Contains(x.stdout, "inodes for 0 more files") ||
		strings.Contains(x.stdout, "compact") {
		t.Errorf("status: %s", x.stdout)
	}
	asideMayGo(t, home)
}

// asideMayGo does what the hint of a full disk advises.
func asideMayGo(t *testing.T, home string) {
	t.Helper()
	_, said, _ := strings.Cut(mustAsk(t, home, "status").stdout, "du -sh ")
	files, _, advised := strings.Cut(said, " shows what the home takes: what is in aside/ may go")
	if !advised {
		t.Fatal("aside/ may not go")
	}
	if out, err := exec.Command("sh", "-c", "du -sh "+files).CombinedOutput(); err != nil || !strings.Contains(string(out), "aside") {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(home, "aside")); err != nil {
		t.Error(err)
	}
	if x := ask(t, home, "list"); x.code != 0 {
		t.Errorf("list: exit %d, %s%s", x.code, x.stdout, x.stderr)
	}
}

// If there is no space to prove the ledger, doctor says that, and not that the ledger is damaged.
func TestDoctorWithoutAnySpaceSaysSo(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "8")
	home := filepath.Join(disk, "home")
	mustAsk(t, home, "new", "First of all")
	fill(t, disk)
	c := program(t, home, "doctor", "--json")
	c.Env = append(c.Env, "TMPDIR="+disk)
	x := run(t, c)
	if x.code != 1 || !strings.Contains(x.stdout, `{"name":"ledger","ok":false,"message":"not proved: there is no space for a copy of the ledger`) ||
		strings.Contains(x.stdout, "damaged") {
		t.Errorf("exit %d, %s%s", x.code, x.stdout, x.stderr)
	}
}

// The next backup removes what a killed backup left.
func TestAKilledBackupLeavesNothing(t *testing.T) {
	t.Parallel()
	home, open, _ := newHome(t)
	plan := filepath.Join(home, "agents/default/work-items", open, "plan.md") // makes the backup take longer
	if err := os.WriteFile(plan, bytes.Repeat([]byte("a line of a long plan\n"), 300_000), 0o600); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	left := func() int {
		found, _ := filepath.Glob(filepath.Join(out, ".copying-*"))
		return len(found)
	}
	for try := 0; left() == 0; try++ {
		if try == 20 {
			t.Fatal("no backup was killed in the middle")
		}
		c := program(t, home, "backup", filepath.Join(out, "killed.db"))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(5 * time.Second); left() == 0 && time.Now().Before(end); {
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		_ = os.Remove(filepath.Join(out, "killed.db"))
	}
	mustAsk(t, home, "backup", filepath.Join(out, "copy.db"))
	if n := left(); n > 0 {
		t.Errorf("%d unfinished copies are left", n)
	}
}
