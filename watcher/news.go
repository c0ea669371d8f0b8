package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"syscall"
	"time"

	"vise/store/files"
)

// event is what has happened since the last event. It holds the newest state, not a
// history: of ten saves of a plan it has the last.
type event struct {
	// LedgerMoved means that a process, including this one, has committed to the ledger
	// or is about to finish a commit. Read the ledger under its lock, which waits for the
	// end of the commit.
	LedgerMoved bool
	// Plans are the plans that differ from the known ones, ordered by agent and item.
	Plans []PlanNews
	// Mode is how the watcher learns of changes now. A change of Mode also causes an
	// event.
	Mode Mode
}

// PlanNews is a plan that differs from the known one.
type PlanNews struct {
	Item Item
	Plan files.Plan
}

// news is what Next has not returned yet.
type news struct {
	mu     sync.Mutex // protects the fields down to closed
	moved  bool
	plans  map[Item]PlanNews
	mode   Mode
	turned bool // mode changed
	closed bool

	ready chan struct{} // holds a value if there may be news
}

func newNews() *news {
	return &news{plans: map[Item]PlanNews{}, ready: make(chan struct{}, 1)}
}

// signal sends to a channel of capacity one, unless it is full.
func signal(level chan struct{}) {
	select {
	case level <- struct{}{}:
	default:
	}
}

func (n *news) change(f func()) {
	n.mu.Lock()
	f()
	n.mu.Unlock()
	signal(n.ready)
}

func (n *news) ledgerMoved()    { n.change(func() { n.moved = true }) }
func (n *news) plan(p PlanNews) { n.change(func() { n.plans[p.Item] = p }) }
func (n *news) turn(mode Mode)  { n.change(func() { n.mode, n.turned = mode, true }) }
func (n *news) close()          { n.change(func() { n.closed = true }) }

func (n *news) forget(item Item) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.plans, item)
}

func (n *news) next(ctx context.Context) (event, error) {
	for {
		if event, ok, err := n.take(); ok || err != nil {
			return event, err
		}
		select {
		case <-n.ready:
		case <-ctx.Done():
			return event{}, ctx.Err()
		}
	}
}

// take returns the pending event, if there is one.
func (n *news) take() (event, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		signal(n.ready) // for other goroutines that wait
		return event{}, false, ErrClosed
	}
	if !n.moved && !n.turned && len(n.plans) == 0 {
		return event{}, false, nil
	}
	event := event{LedgerMoved: n.moved, Mode: n.mode}
	event.Plans = slices.SortedFunc(maps.Values(n.plans), func(a, b PlanNews) int {
		return cmp.Or(cmp.Compare(a.Item.Agent, b.Item.Agent), cmp.Compare(a.Item.ID, b.Item.ID))
	})
	n.moved, n.turned = false, false
	clear(n.plans)
	return event, true, nil
}

// Mode says how a watcher learns of changes.
type Mode struct {
	// Every is how often the watcher polls; zero if it gets events.
	Every time.Duration
	// Reason says why the watcher polls.
	Reason string
}

// Polling reports whether some changes are found only by polling.
func (m Mode) Polling() bool { return m.Every != 0 }

// String is a phrase for the status line, such as "watching by polling, every 2s (inotify
// limit reached)".
func (m Mode) String() string {
	if !m.Polling() {
		return "watching"
	}
	return fmt.Sprintf("watching by polling, every %s (%s)", m.Every, m.Reason)
}

// isLimit reports whether err means that the system has no watches or watchers left. The
// default is 128 watchers for each user, which other programs use too.
func isLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func reasonOf(err error) string {
	if isLimit(err) {
		return "inotify limit reached"
	}
	return "no file events here"
}
