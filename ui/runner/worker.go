package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"vise/model"
)

// worker drives one agent.
type worker struct {
	*Driver
	agent   model.AgentID
	program Program
}

// due says when an agent has a turn.
type due struct {
	revision uint64
	// tick is the key that a turn would answer, isNow says that one is due.
	tick  string
	isNow bool
	// next is when there is reason to check again; zero: at the next commit.
	next time.Time
}

// run gives the agent turns until ctx ends.
func (w *worker) run(ctx context.Context) {
	for ctx.Err() == nil {
		at, err := w.check(ctx)
		if err == nil && at.isNow {
			err = w.turn(ctx, at.tick)
			if err == nil {
				continue
			}
		}
		if err == nil && w.Once && !w.restsSoon(at) {
			return
		}
		if err != nil {
			if ctx.Err() == nil && !refused(err) {
				w.report(Event{Agent: w.agent, What: "drive", Err: err})
			}
			at.next = w.Now().Add(retryAfter)
		}
		w.wait(ctx, at)
	}
}

// refused: somebody else was faster, or the agent was stopped meanwhile.
func refused(err error) bool { return errors.Is(err, &model.Error{Code: model.CodeRefused}) }

// soon is what a driver that runs once waits for a turn of its agent that another runs.
const soon = 2 * time.Second

func (w *worker) restsSoon(at due) bool {
	return !at.next.IsZero() && at.next.Sub(w.Now()) < soon
}

// check lets the scheduler judge the agent, and asks whether a turn is due.
func (w *worker) check(ctx context.Context) (at due, err error) {
	if at.next, err = w.scheduler().Settle(ctx, w.agent); err != nil {
		return at, err
	}
	now := w.Now()
	err = w.Ledger.View(ctx, func(r model.Reader) error {
		at.revision = r.Revision()
		at.tick, at.isNow = model.TurnDue(r, w.agent, now)
		if a, ok := r.Agent(w.agent); ok && a.RestUntil.After(now) && a.RestUntil.Before(at.next) {
			at.next = a.RestUntil
		}
		return nil
	})
	return at, err
}

// wait returns at the next commit, or when the agent is due for a check.
func (w *worker) wait(ctx context.Context, at due) {
	if pause := at.next.Sub(w.Now()); !at.next.IsZero() && pause < longest {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(pause, 0))
		defer cancel()
	}
	_, err := w.Ledger.Follow(ctx, at.revision)
	if err != nil && ctx.Err() == nil {
		w.report(Event{Agent: w.agent, What: "follow", Err: err})
		pause(ctx, retryAfter)
	}
}

// longest is beyond what a timer is set for.
const longest = 365 * 24 * time.Hour

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// apply sends a command for the agent.
func (w *worker) apply(ctx context.Context, by model.Actor, c model.Command) (model.Receipt, error) {
	return w.Ledger.Apply(ctx, model.Envelope{Key: w.NewKey(), Actor: by, Agent: w.agent, Command: c})
}

// holder names this driver to others.
func holder() model.Text {
	host, err := os.Hostname()
	if err != nil {
		host = Self().Host
	}
	return model.Text(fmt.Sprintf("vise drive, process %d on %s", os.Getpid(), host))
}
