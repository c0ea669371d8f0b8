// Package scheduler runs the loop that the console, serve and drive have in common: it
// lets model.Tick look at each agent when there is reason to, and sleeps otherwise.
// Whatever it decides is decided in the ledger, so any number of loops is harmless.
//
// Reading order: scheduler.go for the loop, look.go for one agent, sweep.go for tasks
// whose supervisor is gone, follow.go for how it hears of commits.
package scheduler

import (
	"context"
	"time"

	"vise/model"
)

// Ledger is what a scheduler needs of one.
type Ledger interface {
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	View(context.Context, func(model.Reader) error) error
	Follow(ctx context.Context, after uint64) (uint64, error)
}

// Scheduler is one loop. Its fields are set before Run and left alone after.
type Scheduler struct {
	Ledger Ledger
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// NewKey makes idempotency keys.
	NewKey func() string
	// Alive tells whether a process still runs. Nil leaves the sweep of tasks to others.
	Alive func(model.Process) bool
	// Report is told of errors, and of what was done. Nil tells nobody.
	Report func(Event)
}

// Event is something that a scheduler did or could not do.
type Event struct {
	Agent   model.AgentID
	Command string
	Receipt model.Receipt
	Err     error
}

// The scheduler's own pace.
const (
	// retryAfter is the pause after an error of the ledger.
	retryAfter = time.Second
	// sweepEvery is how often the processes of running tasks are looked at. It reads the
	// process table, not the ledger, and stops with the last running task.
	sweepEvery = 5 * time.Second
	// shortest keeps a due time that nothing consumes from making the loop spin.
	shortest = 10 * time.Millisecond
	// longest is how late a due time is noticed when the clock was set or the machine slept.
	longest = time.Minute
)

// Run looks at every agent once, in order, and then whenever something is due or was
// committed, until ctx ends. It returns ctx's error, after all that it started has ended.
func (s *Scheduler) Run(ctx context.Context) error {
	p := newPass(s)
	from, err := p.start(ctx)
	for ; err != nil; from, err = p.start(ctx) {
		s.report(Event{Err: err})
		if !sleep(ctx, retryAfter) {
			return ctx.Err()
		}
	}
	news, done := follow(ctx, s, from)
	defer func() { <-done }()
	for {
		p.work(ctx)
		if err := p.rest(ctx, news); err != nil {
			return err
		}
	}
}

// rest sleeps until the next due time or the next commit.
func (p *pass) rest(ctx context.Context, news <-chan uint64) error {
	timer := time.NewTimer(p.pause())
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case revision := <-news:
		p.changed(ctx, revision)
	case <-timer.C:
	}
	return nil
}

func (s *Scheduler) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

func (s *Scheduler) report(e Event) {
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
