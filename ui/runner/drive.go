// Package runner calls programs: it drives agents' programs when the scheduler offers them work or
// they have messages, supervises tasks, and serves the HTTP addresses through which
// the outside reports that something changed. A turn is held by a lease in the ledger, so that any
// number of drivers runs one turn of an agent at a time. Whatever it starts runs in a process group
// of its own, bounded in time and output, and leaves no children behind.
//
// Reading order: process.go (a program from start to end), output.go (its pipes, and the bounds of what
// it writes); drive.go (when a turn begins), turn.go (a turn and how it ends), take.go (its rounds),
// program.go (how programs are configured, and what they say); task.go (commands that work items wait
// for); serve.go and delivery.go (deliveries from outside), metrics.go; forge_poll.go (when gh and glab are
// asked about pull requests), forge.go, forge_github.go and forge_gitlab.go (how, and what they say).
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"vise/model"
	"vise/store/home"
)

// Driver runs the programs of some agents, and of those that were made to work for them.
type Driver struct {
	Ledger   home.Ledger
	Programs map[model.AgentID]Program
	// Home is VISE_HOME for programs; what they write is kept in its log.
	Home string
	Now  func() time.Time
	// Dir is the working directory, where programs run that name no other; their threads are of
	// the repository around it. Empty leaves threads alone.
	Dir string
	// Refresh has the ledger describe an item's plan as it is now; nil leaves plans alone.
	Refresh func(context.Context, model.ItemID) error
	// Once ends Run when no agent has a turn due, instead of waiting for more.
	Once bool
	// Report is called with what happens; it may be nil.
	Report func(Event)
	// dirs are where the programs run, by agent.
	dirs sync.Map
}

// Event is something that a driver did, or could not do.
type Event struct {
	Agent   model.AgentID
	Turn    int
	What    string
	Outcome model.TurnOutcome
	Code    model.TurnCode
	Reason  model.Text
	Err     error
}

// retryAfter is the pause after an error of the ledger.
const retryAfter = time.Second

// Run drives until ctx ends, or until nothing is due when Once is set; then its error is how an
// agent's last turn failed. Turns that run when ctx ends are interrupted, and said to be.
func (d *Driver) Run(ctx context.Context) error {
	if len(d.Programs) == 0 {
		return model.Refuse(model.CodeInvalid, "no agent has a program").
			WithHint("configure agents, or name a command: vise drive --agent A -- COMMAND")
	}
	// Agents are made known, so that work and messages can be addressed to them.
	for id := range d.Programs {
		e := model.Envelope{Key: home.NewKey(), Actor: model.Scheduler, Command: model.AddAgent{AgentID: id}}
		if _, err := d.Ledger.Apply(ctx, e); err != nil {
			return err
		}
	}
	running, cancel := context.WithCancel(ctx)
	s, added := d.scheduler(), make(chan struct{}, 1)
	s.Alive = Alive
	s.Found = func() {
		select {
		case added <- struct{}{}:
		default: // one is on its way
		}
	}
	var loop sync.WaitGroup
	loop.Go(func() { _ = s.Run(running) }) // ends with running
	all := d.staff(running, added)
	cancel()
	loop.Wait()
	if err := ctx.Err(); err != nil || !d.Once {
		return err
	}
	return firstFailure(all)
}

// staff runs a worker for each agent that has a program, also for those that are added meanwhile, until
// ctx ends; with Once until none of them has had another turn.
func (d *Driver) staff(ctx context.Context, added <-chan struct{}) (all []*worker) {
	var running sync.WaitGroup
	defer running.Wait()
	for known := map[model.AgentID]bool{}; ; {
		found, err := d.agents(ctx)
		if err != nil && ctx.Err() == nil {
			d.report(Event{What: "drive", Err: err})
			Pause(ctx, retryAfter)
			continue
		}
		for id, p := range found {
			if known[id] {
				continue
			}
			known[id] = true
			d.dirs.Store(id, p.Dir)
			w := &worker{Driver: d, agent: id, program: p}
			all = append(all, w)
			if !d.Once {
				running.Go(func() { w.run(ctx) })
			}
		}
		if d.Once && !pass(ctx, all) {
			return all
		}
		if !d.Once {
			select {
			case <-ctx.Done():
				return all
			case <-added:
			}
		}
	}
}

// pass runs each worker until its agent has nothing to do, and reports whether one had a turn.
func pass(ctx context.Context, all []*worker) bool {
	var running sync.WaitGroup
	for _, w := range all {
		w.turns = 0
		running.Go(func() { w.run(ctx) })
	}
	running.Wait()
	return slices.ContainsFunc(all, func(w *worker) bool { return w.turns > 0 })
}

// agents are those that have a program.
func (d *Driver) agents(ctx context.Context) (out map[model.AgentID]Program, err error) {
	err = d.Ledger.View(ctx, func(r model.Reader) error {
		out = map[model.AgentID]Program{}
		for a := range model.AllAgents(r) {
			if p, ok := ProgramOf(r, d.Programs, a.ID); ok {
				out[a.ID] = p
			}
		}
		return nil
	})
	return out, err
}

// DirOf is where an agent's program runs; empty where that is not said.
func (d *Driver) DirOf(id model.AgentID) string {
	dir, _ := d.dirs.Load(id)
	at, _ := dir.(string)
	return at
}

// firstFailure is how the last turn of an agent failed, the first agent's by name.
func firstFailure(all []*worker) error {
	slices.SortFunc(all, func(a, b *worker) int { return cmp.Compare(a.agent, b.agent) })
	for _, w := range all {
		if w.failure != nil {
			return w.failure
		}
	}
	return nil
}

func (d *Driver) scheduler() *home.Scheduler {
	return &home.Scheduler{Ledger: d.Ledger, Now: d.Now, NewKey: home.NewKey, Report: func(agent model.AgentID, err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			d.report(Event{Agent: agent, What: "scheduler", Err: err})
		}
	}}
}

func (d *Driver) report(e Event) {
	if d.Report != nil {
		d.Report(e)
	}
}

// worker drives one agent.
type worker struct {
	*Driver
	agent   model.AgentID
	program Program
	// failure is how the last turn failed; nil if it did not.
	failure error
	// turns counts those that it has run.
	turns int
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
				w.turns++
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

// refused: another driver was faster, or the agent was stopped meanwhile.
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
		Pause(ctx, retryAfter)
	}
}

// longest is beyond what a timer is set for.
const longest = 365 * 24 * time.Hour

// Pause waits, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// apply sends a command for the agent.
func (w *worker) apply(ctx context.Context, by model.Actor, c model.Command) (model.Receipt, error) {
	return w.Ledger.Apply(ctx, model.Envelope{Key: home.NewKey(), Actor: by, Agent: w.agent, Command: c})
}

// holder names this driver to others.
func holder() model.Text {
	host, err := os.Hostname()
	if err != nil {
		host = Self().Host
	}
	return model.Text(fmt.Sprintf("vise drive, process %d on %s", os.Getpid(), host))
}
