package watcher

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/storetest"
)

// inNamespace runs the test again in a user namespace of its own, where limits can be set, and reports whether this is
// that run.
func inNamespace(t *testing.T) bool {
	const inside = "VISE_TEST_NAMESPACE"
	if os.Getenv(inside) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	one := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER, UidMappings: one(os.Getuid()), GidMappings: one(os.Getgid()),
	}
	out, err := cmd.CombinedOutput()
	switch {
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	case err != nil && len(out) == 0:
		t.Skipf("no user namespace here: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}

func setLimit(t *testing.T, name, value string) {
	t.Helper()
	if err := os.WriteFile("/proc/sys/user/max_inotify_"+name, []byte(value), 0o600); err != nil {
		t.Skipf("the limit cannot be set here: %v", err)
	}
}

func TestWithoutAWatcherFromTheSystemPlansArePolled(t *testing.T) {
	storetest.Slow(t)
	if !inNamespace(t) {
		return
	}
	setLimit(t, "instances", "0")
	d := polledFixture(t)
	if got := d.watcher.Mode().String(); got != exhausted {
		t.Errorf("got mode %q, want %q", got, exhausted)
	}
	d.checkPolled()
}

func TestWithoutWatchesFromTheSystemPlansArePolledAndTheLedgerIsNot(t *testing.T) {
	storetest.Slow(t)
	if !inNamespace(t) {
		return
	}
	setLimit(t, "watches", "2")
	d := polledFixture(t)
	if got := d.watcher.Mode().String(); got != exhausted {
		t.Errorf("got mode %q, want %q", got, exhausted)
	}
	began := time.Now()
	commit(t, d.home.Dir()+"/ledger.db")
	d.until(func() bool { return d.ledger > 0 })
	if took := time.Since(began); took > pollEvery/2 {
		t.Errorf("a commit was notified after %s", took)
	}
	d.checkPolled()
}

func polledFixture(t *testing.T) *fixture {
	home, err := files.NewHome(t.TempDir())
	must(t, err)
	_, err = home.CreatePlan(agent, "wi-1", "old\n")
	must(t, err)
	w, err := Start(context.Background(), Config{Home: home, Ledger: home.Dir() + "/ledger.db"})
	must(t, err)
	t.Cleanup(w.Close)
	d := &fixture{T: t, home: home, watcher: w, notified: map[model.ItemID][]files.Plan{}}
	w.Set(map[Item]model.PlanArtifact{{agent, "wi-1"}: {}})
	d.untilText("wi-1", "old\n")
	return d
}

func (d *fixture) checkPolled() {
	d.Helper()
	began := time.Now()
	d.save("wi-1", "new\n")
	d.untilText("wi-1", "new\n")
	if took := time.Since(began); took > pollEvery+time.Second {
		d.Errorf("a save was notified after %s", took)
	}
}
