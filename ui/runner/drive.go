// Package runner calls programs: it drives agents' programs when the scheduler offers them work or
// somebody said something to them, supervises tasks, and serves the HTTP addresses through which
// the outside reports that something changed. A turn is held by a lease in the ledger, so that any
// number of drivers runs one turn of an agent at a time. Whatever it starts runs in a process group
// of its own, bounded in time and output, and leaves no children behind.
//
// Reading order: process.go (a program from start to end), output.go (the bounds of what it writes);
// drive.go and worker.go (when a turn begins), turn.go and take.go (a turn and its rounds), ending.go
// (how it ends), adapter.go (what programs say), program.go (how they are configured); task.go
// (commands that work items wait for); serve.go, delivery.go, capability.go (deliveries from outside).
package runner

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"vise/model"
	"vise/store/home"
)

// Driver runs the programs of some agents.
type Driver struct {
	Ledger   home.Ledger
	Programs map[model.AgentID]Program
	// Home is VISE_HOME for programs; LogDir is where what they wrote is kept.
	Home, LogDir string
	NewKey       func() string
	Now          func() time.Time
	// Lookup reads the environment; os.LookupEnv when nil.
	Lookup func(string) (string, bool)
	// Dir is the working directory, where programs run that name no other; their threads are of
	// the repository around it. Empty leaves threads alone.
	Dir string
	// Once ends Run when no agent has a turn due, instead of waiting for more.
	Once bool
	// Report is called with what happens; it may be nil.
	Report func(Event)
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

// Run drives until ctx ends, or until nothing is due when Once is set. Turns that run when
// ctx ends are interrupted, and said to be.
func (d *Driver) Run(ctx context.Context) error {
	if len(d.Programs) == 0 {
		return model.Refuse(model.CodeInvalid, "no agent has a program").WithHint("configure agents, or name a command: vise drive --agent A -- COMMAND")
	}
	// Agents are made known, so that work and messages can be addressed to them.
	for id := range d.Programs {
		e := model.Envelope{Key: d.NewKey(), Actor: model.Scheduler, Command: model.AddAgent{AgentID: id}}
		if _, err := d.Ledger.Apply(ctx, e); err != nil {
			return err
		}
	}
	all, cancel := context.WithCancel(ctx)
	s := d.scheduler()
	s.Alive = Alive
	var loop, workers sync.WaitGroup
	loop.Go(func() { _ = s.Run(all) }) // ends with all
	for id, p := range d.Programs {
		w := &worker{Driver: d, agent: id, program: p}
		workers.Go(func() { w.run(all) })
	}
	workers.Wait()
	cancel()
	loop.Wait()
	return ctx.Err()
}

func (d *Driver) scheduler() *home.Scheduler {
	return &home.Scheduler{Ledger: d.Ledger, Now: d.Now, NewKey: d.NewKey, Report: func(agent model.AgentID, err error) {
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

func (d *Driver) lookup(name string) (string, bool) {
	if d.Lookup == nil {
		return os.LookupEnv(name)
	}
	return d.Lookup(name)
}
