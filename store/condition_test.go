package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/lock"
)

// conditionOf returns the condition with a code. It must have a hint.
func conditionOf(t *testing.T, l *store.Ledger, code model.Code) model.Condition {
	t.Helper()
	for _, x := range l.Conditions(ctx) {
		if x.Code == code {
			if x.Message == "" || x.Hint == "" {
				t.Errorf("%s does not say what to do: %+v", code, x)
			}
			return x
		}
	}
	t.Errorf("%s is no condition", code)
	return model.Condition{}
}

func TestASoundHomeHasNoConditions(t *testing.T) {
	_, l := newHome(t)
	must(applied(l, objective("k")))
	if got := l.Conditions(ctx); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestAClockBehindTheHistoryIsSaid(t *testing.T) {
	_, l := newHome(t)
	l.Now = func() time.Time { return time.Now().Add(3 * time.Hour) }
	must(applied(l, objective("k")))
	l.Now = time.Now
	if x := conditionOf(t, l, model.CodeClock); !strings.Contains(x.Message, "2h59m") && !strings.Contains(x.Message, "3h0m") {
		t.Errorf("got %+v", x)
	}
}

// All frontends answer with the same code if nothing can be written.
func TestAFileSystemThatIsOnlyReadIsSaid(t *testing.T) {
	f := &Faults{At: 1, Sticky: true, Err: syscall.EROFS, Only: func(op files.Op) bool {
		return op.Kind == files.Write && strings.HasSuffix(op.Path, "ledger.db")
	}}
	_, l := faultyHome(t, f)
	if err := applied(l, objective("second")); !isCode(err, model.CodeReadOnly) {
		t.Errorf("got %v", err)
	}
}

func TestACopyThatCannotBeKeptUpIsSaid(t *testing.T) {
	f := &Faults{At: 1, Sticky: true, Err: syscall.EDQUOT, Only: func(op files.Op) bool {
		return strings.HasSuffix(op.Path, "live.vj") && op.Kind == files.Write
	}}
	_, l := faultyHome(t, f)
	must(applied(l, objective("second")))
	conditionOf(t, l, model.CodeLagging)
}

// Locks do not separate processes on two machines, so a home on a network file system is refused; a user who allows it
// is reminded.
func TestANetworkFileSystemIsRefusedUnlessAllowed(t *testing.T) {
	dir, l := newHome(t)
	must(applied(l, objective("k")))
	m := &files.Machine{Network: func(string) string { return "NFS" }}
	for _, open := range []func() (*store.Ledger, error){
		func() (*store.Ledger, error) { return store.Open(dir, store.Options{Machine: m}) },
		func() (*store.Ledger, error) {
			return store.Create(filepath.Join(t.TempDir(), "home"), store.Options{Machine: m})
		},
	} {
		_, err := open()
		var e *model.Error
		if !isCode(err, model.CodeRefused) || !errors.As(err, &e) || !strings.Contains(e.Error(), "NFS") || e.Hint == "" || e.Field != "home" {
			t.Errorf("got %v", err)
		}
	}
	t.Setenv("VISE_ALLOW_NETWORK_FS", "1")
	allowed, err := store.Open(dir, store.Options{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	defer allowed.Close()
	conditionOf(t, allowed, model.CodeNetworkFS)
}

func TestALedgerThatCannotBeWrittenIsSaidAndRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir, l := newHome(t)
	must(applied(l, objective("k")))
	must(os.Chmod(filepath.Join(dir, "ledger.db"), 0o400))
	if x := conditionOf(t, l, model.CodeReadOnly); !x.ReadOnly {
		t.Errorf("got %+v", x)
	}
}

// A busy error names the process that holds the ledger, its state, and since when.
func TestABusyErrorTellsOfAStoppedHolder(t *testing.T) {
	dir, l := newHome(t)
	must(applied(l, objective("k")))
	holder := lock.On(nil, filepath.Join(dir, "ledger.lock"), "vise held")
	must(holder.Acquire(ctx))
	defer holder.Release()
	stopped := &files.Machine{Process: func(pid int) files.Process {
		p := (*files.Machine)(nil).ProcessOf(pid)
		p.Stopped = true
		return p
	}}
	waiting, err := store.Open(dir, store.Options{Machine: stopped})
	must(err)
	store.LockOf(waiting).Limit = 10 * time.Millisecond
	err = applied(waiting, objective("k2"))
	var e *model.Error
	if !errors.As(err, &e) || e.Code != model.CodeBusy || e.Holder == nil {
		t.Fatalf("got %v", err)
	}
	h := *e.Holder
	if h.PID != os.Getpid() || h.Command != "vise held" || h.State != "stopped" || h.Since.IsZero() || !strings.Contains(e.Hint, "kill -CONT") {
		t.Errorf("got %+v, %q", h, e.Hint)
	}
}

func TestADamagedCopyIsFoundAndWrittenAnew(t *testing.T) {
	dir, l := newHome(t)
	for _, key := range []string{"a", "b", "c", "d"} {
		must(applied(l, objective(key)))
	}
	live := filepath.Join(dir, "journal", "live.vj")
	raw, err := os.ReadFile(live)
	must(err)
	raw[len(raw)/2] ^= 1
	must(os.WriteFile(live, raw, 0o600))
	if h, err := l.CheckCopy(ctx); err != nil || len(h.Problems) == 0 && h.Behind == 0 {
		t.Errorf("got %+v, %v", h, err)
	}
	must(l.HealCopy(ctx))
	if h, err := l.CheckCopy(ctx); err != nil || len(h.Problems) > 0 || h.Behind > 0 || h.Changes != 4 {
		t.Errorf("mended: %+v, %v", h, err)
	}
}
