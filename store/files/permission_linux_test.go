package files

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"vise/model"
)

// asNobody runs do without root's right to read everything. The file system identity belongs to a thread, which ends
// afterwards.
func asNobody(t *testing.T, h Home, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	const nobody = 65534
	must(t, os.Chmod(filepath.Dir(h.Dir()), 0o755))
	must(t, filepath.WalkDir(h.Dir(), func(path string, _ os.DirEntry, err error) error {
		must(t, err)
		return os.Lchown(path, nobody, nobody)
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err := syscall.Setfsuid(nobody); err != nil {
			t.Error(err)
		}
		do()
	}()
	<-done
}

func TestAForbiddenPlanIsUnreadable(t *testing.T) {
	for name, forbid := range map[string]func(Home) string{
		"file":      func(h Home) string { return h.PlanPath(agent, item) },
		"directory": func(h Home) string { return h.PlanDir(agent, item) },
		"agent":     func(h Home) string { return filepath.Dir(h.ItemsDir(agent)) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			path := forbid(h)
			must(t, os.Chmod(path, 0))
			t.Cleanup(func() { os.Chmod(path, 0o700) })
			asNobody(t, h, func() {
				got := h.Plan(agent, item)
				if got.Condition != model.PlanUnreadable || got.Reason != "permission denied" || got.Raw != nil {
					t.Errorf("got %s (%q) with %d raw bytes", got.Condition, got.Reason, len(got.Raw))
				}
				if s := h.Stat(agent, item); name != "file" && s.Condition != model.PlanUnreadable {
					t.Errorf("got stat %+v, want unreadable", s)
				}
			})
		})
	}
}

func TestAPlanThatCannotBeCreatedSaysSo(t *testing.T) {
	h := newHome(t)
	must(t, os.Chmod(h.ItemsDir(agent), 0o500))
	t.Cleanup(func() { os.Chmod(h.ItemsDir(agent), 0o700) })
	asNobody(t, h, func() {
		created, err := h.CreatePlan(agent, "wi-3", "x")
		if created || err == nil || err.Error() != "plan of claude-main/wi-3: mkdirat wi-3: permission denied" {
			t.Errorf("got %v, %v", created, err)
		}
	})
}
