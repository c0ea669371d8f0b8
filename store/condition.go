package store

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"vise/model"
	"vise/store/files"
)

// conditions remembers what was found, for as long as nobody needs to know sooner.
type conditions struct {
	mu    sync.Mutex // protects what follows
	until time.Time
	found []model.Condition
}

const (
	conditionsHold = 2 * time.Second
	// clockSlack is how far two machines' clocks, or one that was set, may differ unsaid.
	clockSlack = 2 * time.Minute
	// scarce is how much free room is too little.
	scarce = 16 << 20
)

// Conditions are the ways in which the ledger works less well than it should: none is the
// usual answer. It may be asked for every frame.
func (l *Ledger) Conditions(ctx context.Context) []model.Condition {
	if l.home.Dir == "" {
		return nil
	}
	l.conditions.mu.Lock()
	defer l.conditions.mu.Unlock()
	if now := time.Now(); now.After(l.conditions.until) {
		l.conditions.until, l.conditions.found = now.Add(conditionsHold), l.findConditions(ctx)
	}
	return l.conditions.found
}

func (l *Ledger) findConditions(ctx context.Context) []model.Condition {
	var out []model.Condition
	add := func(code model.Code, readOnly bool, hint, format string, args ...any) {
		out = append(out, model.Condition{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, ReadOnly: readOnly})
	}
	var newest time.Time
	err := l.view(ctx, func(f *facts) error {
		if c, ok := f.commitAt(f.head().Revision); ok {
			newest = c.At
		}
		return nil
	})
	if err != nil {
		return nil // an error of reading is shown as what it is
	}
	if l.age.Load() > 0 {
		add(model.CodeNewer, true, "install the newer vise", "a newer vise wrote this ledger: it is only read")
	}
	if err := writable(l.home.path(ledgerFile)); err != nil {
		add(model.CodeReadOnly, true, "make the home yours (chown, chmod), or name another: --home", "the ledger cannot be written: %s", model.Text(err.Error()))
	}
	if free, known := freeBytes(l.home.Dir); known && free < scarce {
		add(model.CodeFull, false, "free some space; vise compact gives free pages back", "the disk has %d MB left", free>>20)
	}
	if ahead := newest.Sub(l.Now()); ahead > clockSlack {
		add(model.CodeClock, false, "set the clock; waits and timers count from it", "the clock is %v behind the newest change", ahead.Round(time.Second))
	}
	if name := l.home.network(); name != "" {
		add(model.CodeNetworkFS, false, "use one machine at a time, or move the home to a local disk", "the home lies on %s, where locks may not hold", name)
	}
	if err := l.Lag(); err != nil {
		add(model.CodeLagging, false, "nothing is lost; vise doctor says more", "what recovery needs is behind: %s", model.Text(err.Error()))
	}
	return out
}

// network names the network file system that the home lies on, or is empty.
func (h Home) network() string {
	if h.machine != nil && h.machine.Network != nil {
		return h.machine.Network(h.Dir)
	}
	return networkFS(h.Dir)
}

// writable asks without writing.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|files.NoFollow, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
