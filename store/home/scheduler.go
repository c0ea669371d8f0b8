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
	// Report is told of each command that was sent, with its error, and of errors of the
	// ledger, which are no agent's. Nil tells nobody.
	Report func(model.AgentID, error)
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
	s := &Scheduler{Ledger: h, Now: h.o.Now, NewKey: NewKey, Alive: alive}
	_ = s.Run(ctx) // ends with ctx; what it cannot do now it tries again
}

// Run judges every agent once, in order, and then whenever something is due or was
// committed, until ctx ends. It returns ctx's error.
func (s *Scheduler) Run(ctx context.Context) error {
	p := &schedule{Scheduler: s, next: map[model.AgentID]time.Time{}, running: map[model.TaskID]model.Task{}}
	for err := p.start(ctx); err != nil; err = p.start(ctx) {
		p.failed(ctx, err)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for ctx.Err() == nil {
		p.work(ctx)
		p.rest(ctx)
	}
	return ctx.Err()
}

// failed reports an error of the ledger, and rests before it is asked again.
func (s *Scheduler) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	s.report("", err)
	timer := time.NewTimer(retryAfter)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (s *Scheduler) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

func (s *Scheduler) report(agent model.AgentID, err error) {
	if s.Report != nil {
		s.Report(agent, err)
	}
}
