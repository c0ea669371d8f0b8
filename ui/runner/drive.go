// Package runner calls programs. It runs agents' programs when the scheduler offers them work or when they have messages. It supervises
// tasks. It serves the HTTP addresses through which senders outside report that something changed. A lease in the ledger holds each turn,
// so any number of drivers run one turn of an agent at a time. Each program runs in its own process group, bounded in time and output, and
// leaves no children behind.
//
// A turn is one run of an agent's program. It goes like this.
//
//  1. Due. A worker for each agent asks the ledger what the scheduler decides (model.Decide): a turn is due if there is work to offer, or
//     messages wait. Otherwise the worker waits for a change of the ledger, or for the time that the decision names.
//  2. Claimed. ClaimTurn writes the turn with its holder (host, process, time) and a lease into the ledger. If another driver holds the
//     turn, the claim is refused. From now on the worker renews the lease (beat). If the driver dies, the lease ends, and another driver
//     begins a turn.
//  3. Briefed. The program gets the agent's work context, the queued messages and the rules, within a budget: in place of {context} in its
//     arguments, or on its standard input. Its environment names the home, the agent, and the turn (VISE_TURN), so that vise's own hooks
//     leave the turn to the driver.
//  4. Listened to. Most programs speak the Agent Client Protocol (session.go, converse.go): one program and session for an agent and an
//     item, which goes on in the next turn. Programs of the adapters rounds and text run once a turn, and their output is read line by
//     line. Each reply is a command to the ledger (take) that names the turn. From a driver that has lost the turn it is refused; what a
//     session says is kept nevertheless.
//  5. Watched. Meanwhile the worker follows the ledger (watch). It ends the program if the turn is not its own any more, if the agent was
//     stopped, or if the operator interjects. It also ends it after a time, a number of bytes, or a number of rounds, and after errors that
//     repeat.
//  6. Over. When the program has ended, all processes that it started are ended too. A file of the home names them while they run, so that
//     the next driver ends them if this one dies. All output is read to the last byte. EndTurn tells the ledger how the turn went
//     (verdict), what it used, and what it said last. What that means for the next turn (a rest, an attempt that failed, a usage limit) is
//     the model's to decide.
//
// A failure of the program is no error of the driver: it is in the ledger, and why shows it. Errors of the ledger are retried.
//
// Reading order: process.go (a program from start to end), process_tree.go and process_left.go (its processes), output.go (its pipes and
// the bounds of its output); drive.go (when a turn begins), turn.go (a turn and how it ends), take.go (its rounds), program.go (how
// programs are configured, and how their output is read); task.go (commands that work items wait for); serve.go and delivery.go (deliveries
// from outside), metrics.go; forge_poll.go (when gh and glab are asked about pull requests), forge.go, forge_github.go and forge_gitlab.go
// (how they are asked, and how their answers are read).
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/store/threads"
)

// Driver runs the programs of its agents, and of agents that were created to work for them.
type Driver struct {
	Ledger   home.Ledger
	Programs map[model.AgentID]Program
	// Home is VISE_HOME for programs. Their output is kept in its log.
	Home string
	Now  func() time.Time
	// Dir is the working directory of programs that name none. Their threads belong to the repository that contains it. If it is empty,
	// threads are not used.
	Dir string
	// Refresh updates the ledger's description of an item's plan from its file; nil skips that.
	Refresh func(context.Context, model.ItemID) error
	// Alone ends Run when all its agents are stopped.
	Alone bool
	// Once ends Run when no agent has a turn due, instead of waiting for more.
	Once bool
	// Attended reports whether a person can answer what a program asks; nil: one can.
	Attended func() bool
	// Report is called with each event; it may be nil.
	Report func(Event)
	// dirs holds the working directory of each agent's program.
	dirs sync.Map
	// trees allows one work tree to be made at a time.
	trees sync.Mutex
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

// retryAfter is the pause after an error of the ledger or of another external call.
const retryAfter = time.Second

// Run drives until ctx ends. With Once it returns when no turn is due, and its error is the failure of an agent's last turn. Turns in
// progress when ctx ends are recorded as interrupted.
func (d *Driver) Run(ctx context.Context) error {
	if len(d.Programs) == 0 {
		return model.Invalid("no agent has a program").
			WithHint("configure agents, or name a command: vise drive --agent A -- COMMAND")
	}
	// Agents are added to the ledger so that work and messages can be addressed to them.
	for id := range d.Programs {
		if _, err := home.Send(ctx, d.Ledger, model.Scheduler, "", model.AddAgent{AgentID: id}); err != nil {
			return err
		}
	}
	running, cancel := context.WithCancel(ctx)
	s, added := d.scheduler(), make(chan struct{}, 1)
	if !d.Once {
		s.Shards = home.ShardsOf(d.Ledger)
	}
	s.Found = func() { inform(added) }
	var loop sync.WaitGroup
	loop.Go(func() { _ = s.Run(running) }) // its only error is that of running
	all := d.staff(running, added)
	cancel()
	loop.Wait()
	if err := ctx.Err(); err != nil || !d.Once {
		return err
	}
	return firstFailure(all)
}

// staff runs one worker for each agent that has a program, also for agents that are added later, until ctx ends. With Once it returns when
// no worker has had another turn.
func (d *Driver) staff(ctx context.Context, added <-chan struct{}) (all []*worker) {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for known := map[model.AgentID]bool{}; ; {
		found, err := d.agents(ctx)
		if err != nil && ctx.Err() == nil {
			d.report(Event{What: "the ledger", Err: err})
			home.Pause(ctx, retryAfter)
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
				running.Go(func() {
					if w.run(ctx); d.Alone {
						stop()
					}
				})
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

// pass runs each worker until its agent has nothing to do, and reports whether any of them had a turn.
func pass(ctx context.Context, all []*worker) bool {
	var running sync.WaitGroup
	for _, w := range all {
		w.turns = 0
		running.Go(func() { w.run(ctx) })
	}
	running.Wait()
	return slices.ContainsFunc(all, func(w *worker) bool { return w.turns > 0 })
}

// agents returns the agents that have a program.
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

// DirOf returns the directory in which an agent's program runs, or "" if none is set.
func (d *Driver) DirOf(id model.AgentID) string {
	dir, _ := d.dirs.Load(id)
	at, _ := dir.(string)
	return at
}

// firstFailure returns the failure of an agent's last turn. Of several, it returns the first by agent name.
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
	return &home.Scheduler{Ledger: d.Ledger, Now: d.Now, NewKey: home.NewKey, Alive: Alive, Report: func(agent model.AgentID, err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			d.report(Event{Agent: agent, What: "the ledger", Err: err})
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
	// failure is the failure of the last turn, or nil.
	failure error
	// turns counts the turns of the current pass.
	turns int
	// named are the processes that were reported as left running.
	named string
	// session is the program that still runs after its turn, or nil.
	session *session
}

// report is the driver's report about the worker's agent.
func (w *worker) report(e Event) {
	e.Agent = w.agent
	w.Driver.report(e)
}

// due says whether and when an agent has a turn.
type due struct {
	revision uint64
	// tick is the key of the tick that a turn would answer; isNow says that a turn is due.
	tick  string
	isNow bool
	// isStopped: nothing wakes the agent.
	isStopped bool
	// next is when to check again; if zero, at the next commit.
	next time.Time
}

// run gives the agent turns until ctx ends.
func (w *worker) run(ctx context.Context) {
	defer home.Mark(w.Home, home.MarkDriver(w.agent))()
	defer func() {
		if w.session != nil {
			w.session.end(context.Cause(ctx))
		}
	}()
	for ctx.Err() == nil {
		at, err := w.check(ctx)
		if err == nil && at.isNow {
			err = w.turn(ctx, at.tick)
			if err == nil {
				w.turns++
				continue
			}
		}
		if err == nil && w.Once && (at.next.IsZero() || at.next.Sub(w.Now()) >= soon) {
			return
		}
		if home.Barred(err) {
			if !home.Barred(w.failure) { // it is said once
				w.report(Event{What: "the ledger", Err: err})
			}
			if w.failure = err; w.Once {
				return
			}
			home.Pause(ctx, home.BarredFor)
			continue
		}
		if err != nil {
			if ctx.Err() == nil && !model.HasCode(err, model.CodeRefused, model.CodeStale) { // else another was faster, or it was stopped
				w.report(Event{What: "the ledger", Err: err})
			}
			at.next = w.Now().Add(retryAfter)
		}
		if at.isStopped && w.Alone {
			return
		}
		if at.isStopped && w.session != nil {
			w.session.end(errStopped)
			w.session = nil
		}
		w.wait(ctx, at)
	}
}

// soon is how long a driver with Once waits for another driver's turn of the same agent.
const soon = 2 * time.Second

// check runs the scheduler for the agent and asks whether a turn is due. First it ends what a driver that died has left running, and
// settles what was said there.
func (w *worker) check(ctx context.Context) (at due, err error) {
	w.endLeft()
	Settle(ctx, w.Ledger, w.Home, w.sessions())
	if at.next, err = w.scheduler().Settle(ctx, w.agent); err != nil {
		return at, err
	}
	now := w.Now()
	err = w.Ledger.View(ctx, func(r model.Reader) error {
		at.revision = r.Revision()
		at.tick, at.isNow = model.TurnDue(r, w.agent, now)
		a, _ := r.Agent(w.agent)
		at.isStopped = a.Posture == model.Stopped
		return nil
	})
	return at, err
}

// ownTree has the program work in the git work tree that the agent, or the agent that made it, has to itself. It makes that tree if there
// is none yet.
func (w *worker) ownTree(ctx context.Context) error {
	var owner model.AgentID
	err := w.Ledger.View(ctx, func(r model.Reader) error {
		for a, _ := r.Agent(w.agent); a.ID != "" && owner == ""; a, _ = r.Agent(a.ParentAgentID) {
			if a.WorkspaceMode == model.WorkspaceWorktree {
				owner = a.ID
			}
		}
		return nil
	})
	if err != nil || owner == "" {
		return err
	}
	w.trees.Lock()
	defer w.trees.Unlock()
	if w.program.Dir, err = (threads.Reader{}).OwnTree(ctx, cmp.Or(w.program.Dir, w.Dir, "."), string(owner)); err != nil {
		return fmt.Errorf("make a work tree for agent %s: %w", owner, err)
	}
	w.dirs.Store(w.agent, w.program.Dir)
	return nil
}

func (w *worker) endLeft() {
	ended, named, err := EndLeft(w.Home, w.agent)
	if len(ended) > 0 {
		w.report(Event{What: "ended what a driver that died left running: processes " + Numbers(ended)})
	}
	if said := Numbers(named); len(named) > 0 && said != w.named {
		w.named = said
		w.report(Event{What: "not ended, but left by a driver that died: processes " + said})
	}
	if err != nil {
		w.report(Event{What: "the ledger", Err: err})
	}
}

// Numbers returns the numbers of processes as text.
func Numbers(all []model.Process) string {
	var out []string
	for _, p := range all {
		out = append(out, strconv.Itoa(p.PID))
	}
	return strings.Join(out, ", ")
}

// wait returns at the next commit, or when the agent is due for a check.
func (w *worker) wait(ctx context.Context, at due) {
	if !at.next.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, at.next.Sub(w.Now()))
		defer cancel()
	}
	_, err := w.Ledger.Follow(ctx, at.revision)
	if err != nil && ctx.Err() == nil {
		w.report(Event{What: "the ledger", Err: err})
		home.Pause(ctx, retryAfter)
	}
}

// apply sends a command in the agent's name to the ledger.
func (w *worker) apply(ctx context.Context, by model.Actor, c model.Command) (model.Receipt, error) {
	return home.Send(ctx, w.Ledger, by, w.agent, c)
}

// lastWrites bounds the wait for the ledger of a process that was told to end. What it then has not written is settled by the scheduler.
const lastWrites = 3 * time.Second

// closing is a context for what is written after a program has ended. It lasts for limit, or less if ctx was told to end.
func closing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		limit = min(limit, lastWrites)
	}
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// holder is the name of this driver in a lease.
func holder() model.Text {
	host, err := os.Hostname()
	if err != nil {
		host = Self().Host
	}
	return model.Textf("vise drive, process %d on %s", os.Getpid(), host)
}
