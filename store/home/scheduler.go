package home

import (
	"context"
	"time"

	"vise/model"
)

// Ledger is what most frontends use of a Home.
type Ledger interface {
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	View(context.Context, func(model.Reader) error) error
	Follow(ctx context.Context, after uint64) (uint64, error)
	Resolve(ctx context.Context, ref string) (model.ItemID, error)
}

// Scheduler has model.Tick judge each agent when there is reason to, and sleeps otherwise.
// What it decides is decided in the ledger, so any number of schedulers is harmless. Its
// fields are set before Run and left alone after.
type Scheduler struct {
	Ledger Ledger
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// NewKey makes idempotency keys.
	NewKey func() string
	// Alive reports whether a process still runs. Nil leaves the sweep of tasks to others.
	Alive func(model.Process) bool
	// Report is told of errors, and of what was done. Nil tells nobody.
	Report func(SchedulerEvent)
}

// SchedulerEvent is something that a scheduler did or could not do.
type SchedulerEvent struct {
	Agent   model.AgentID
	Command string
	Receipt model.Receipt
	Err     error
}

// The scheduler's own pace.
const (
	// retryAfter is the pause after an error of the ledger.
	retryAfter = time.Second
	// sweepEvery is how often the processes of running tasks are checked. It reads the
	// process table, not the ledger, and stops with the last running task.
	sweepEvery = 5 * time.Second
	// shortest keeps a due time that nothing consumes from making the loop spin.
	shortest = 10 * time.Millisecond
	// longest is how late a due time is noticed when the clock was set or the machine slept.
	longest = time.Minute
)

// Schedule runs the scheduler until ctx ends, and says in the home that it does. alive
// reports whether a process still runs.
func (h *Home) Schedule(ctx context.Context, alive func(model.Process) bool) {
	defer h.Attend()()
	s := &Scheduler{Ledger: h, Now: h.o.Now, NewKey: h.o.NewKey, Alive: alive}
	_ = s.Run(ctx) // ends with ctx; what it cannot do now it tries again
}

// Run judges every agent once, in order, and then whenever something is due or was
// committed, until ctx ends. It returns ctx's error, after all that it started has ended.
func (s *Scheduler) Run(ctx context.Context) error {
	p := newSchedule(s)
	from, err := p.start(ctx)
	for ; err != nil; from, err = p.start(ctx) {
		s.report(SchedulerEvent{Err: err})
		if !sleep(ctx, retryAfter) {
			return ctx.Err()
		}
	}
	news, done := s.follow(ctx, from)
	defer func() { <-done }()
	for {
		p.work(ctx)
		timer := time.NewTimer(p.pause())
		select {
		case <-ctx.Done():
		case revision := <-news:
			p.changed(ctx, revision)
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// follow sends the newest revision whenever the ledger moved; who is late gets the newest
// alone. done is closed when it has ended, which it does with ctx.
func (s *Scheduler) follow(ctx context.Context, from uint64) (news <-chan uint64, done <-chan struct{}) {
	out, ended := make(chan uint64, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			revision, err := s.Ledger.Follow(ctx, from)
			if err != nil {
				if ctx.Err() == nil {
					s.report(SchedulerEvent{Err: err})
				}
				sleep(ctx, retryAfter)
				continue
			}
			from = revision
			select {
			case <-out:
			default:
			}
			out <- revision
		}
	}()
	return out, ended
}

func (s *Scheduler) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

func (s *Scheduler) report(e SchedulerEvent) {
	if s.Report != nil {
		s.Report(e)
	}
}

// sleep reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
