package home

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// Ledger is the part of a Home that most frontends use.
type Ledger interface {
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	View(context.Context, func(model.Reader) error) error
	Follow(ctx context.Context, after uint64) (uint64, error)
	Resolve(ctx context.Context, ref string) (model.ItemID, error)
}

// Send applies a command with a new key.
func Send(ctx context.Context, l Ledger, by model.Actor, agent model.AgentID, c model.Command) (model.Receipt, error) {
	return l.Apply(ctx, model.Envelope{Key: NewKey(), Actor: by, Agent: agent, Command: c})
}

// Scheduler judges each agent with model.Tick when there is a reason, and sleeps otherwise. The ledger makes each decision, so several
// schedulers at once do no harm. Set the fields before Run and do not change them later.
type Scheduler struct {
	Ledger Ledger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// NewKey makes idempotency keys.
	NewKey func() string
	// Alive reports whether a process still runs. Nil leaves the sweep of tasks to other processes.
	Alive func(model.Process) bool
	// Answered reports whether a permission prompt was answered in its program. Nil means that this is not known.
	Answered func(model.AgentID, model.Permission) bool
	// Shards are this scheduler's claims. Nil means that it looks at all agents.
	Shards store.Shards
	// Found is called for each agent that the scheduler did not know before. It can be nil.
	Found func()
	// Report gets the result of each command that was sent, and errors of the ledger with an empty agent. It can be nil.
	Report func(model.AgentID, error)
}

// Intervals of the scheduler.
const (
	// retryAfter is the pause after an error of the ledger.
	retryAfter = time.Second
	// fullRetry is the pause after a change for which there was no space.
	fullRetry = 10 * time.Second
	// sweepEvery is how often the processes of running tasks are checked. The check reads the process table, not the ledger, and stops with
	// the last running task.
	sweepEvery = 5 * time.Second
	// shortest keeps the loop from spinning on a due time that no command consumes.
	shortest = 10 * time.Millisecond
	// longest is how late a due time can be noticed after the clock was set or the machine slept.
	longest = time.Minute
)

// Schedule runs the scheduler until ctx ends, and marks the home as attended meanwhile. alive reports whether a process still runs.
func (h *Home) Schedule(ctx context.Context, alive func(model.Process) bool) {
	defer h.Attend()()
	s := &Scheduler{Ledger: h, Now: h.o.Now, NewKey: NewKey, Alive: alive, Answered: h.Answered, Shards: ShardsOf(h)}
	_ = s.Run(ctx) // ends with ctx; failed work is tried again
}

// Run judges every agent once, in order. Then, until ctx ends, it judges an agent whenever something is due or was committed. It returns
// ctx's error.
func (s *Scheduler) Run(ctx context.Context) error {
	s.Shards = cmp.Or(s.Shards, store.Shards(kv.AllAgents{}))
	p := &schedule{Scheduler: s, next: map[model.AgentID]time.Time{}, running: map[model.TaskID]model.Task{},
		asking: map[model.AgentID]bool{}, turns: map[model.AgentID]model.Process{}, others: map[model.AgentID]bool{},
		barred: map[model.AgentID]time.Time{}}
	defer p.takePart(ctx)()
	for err := p.start(ctx); err != nil && ctx.Err() == nil; err = p.start(ctx) {
		p.failed(ctx, err)
	}
	for ctx.Err() == nil {
		p.takeOver(ctx)
		p.work(ctx)
		p.rest(ctx)
	}
	return ctx.Err()
}

// failed reports an error of the ledger and waits retryAfter.
func (s *Scheduler) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	s.report("", err)
	Pause(ctx, retryAfter)
}

// Pause is store.Pause.
var Pause = store.Pause

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

// schedule is what a scheduler remembers between two passes. The ledger knows all of it.
type schedule struct {
	*Scheduler
	revision uint64
	// next is when each agent is due.
	next map[model.AgentID]time.Time
	// running are the tasks whose processes are watched. asking are the agents whose programs wait for a permission.
	running map[model.TaskID]model.Task
	asking  map[model.AgentID]bool
	// turns are the processes that hold the agents' turns.
	turns map[model.AgentID]model.Process
	swept time.Time
	// looked is when agents were last judged, by the wall clock.
	looked time.Time
	// moved is closed when the claims of Shards have changed. others are agents with news that another scheduler looks at. barred is until
	// when agents are left alone that the user may not change.
	moved  <-chan struct{}
	others map[model.AgentID]bool
	barred map[model.AgentID]time.Time
}

// Bounds of one read transaction.
const (
	// agentsAtOnce keeps other processes from the ledger for about a millisecond.
	agentsAtOnce = 64
	tasksAtOnce  = 256
)

// start judges every agent, in a few reads.
func (p *schedule) start(ctx context.Context) error {
	now, revision, last := p.now(), uint64(0), model.AgentID("")
	for {
		read := 0
		err := p.Ledger.View(ctx, func(r model.Reader) error {
			revision = cmp.Or(revision, r.Revision())
			for _, a := range r.Agents(last, agentsAtOnce) {
				p.wake(a.ID)
				p.judge(ctx, r, a.ID, now)
				last, read = a.ID, read+1
			}
			return nil
		})
		if err != nil {
			return err
		}
		if read < agentsAtOnce {
			p.revision = revision
			return nil
		}
	}
}

// wake makes an agent due.
func (p *schedule) wake(id model.AgentID) {
	if _, known := p.next[id]; !known && p.Found != nil {
		p.Found()
	}
	p.next[id] = time.Time{}
}

// rest waits for the next commit, or until something is due.
func (p *schedule) rest(ctx context.Context) {
	due, cancel := context.WithTimeout(ctx, p.pause())
	defer cancel()
	moved := p.moved
	go func() {
		select {
		case <-moved:
			cancel()
		case <-due.Done():
		}
	}()
	_, err := p.Ledger.Follow(due, p.revision)
	if err != nil && due.Err() != nil {
		return
	}
	if err == nil {
		err = p.changed(ctx)
	}
	if err != nil {
		p.failed(ctx, err)
	}
}

// changed makes the agents due that have events since the last known revision.
func (p *schedule) changed(ctx context.Context) error {
	var agents map[model.AgentID]bool
	now, all := uint64(0), false
	err := p.Ledger.View(ctx, func(r model.Reader) error {
		agents, all = r.Changed(p.revision)
		now = r.Revision()
		return nil
	})
	switch {
	case err != nil: // it is read again
		return err
	case !all:
		return p.start(ctx)
	}
	for id := range agents {
		p.wake(id)
	}
	p.revision = now
	return nil
}

// work judges every agent that is due and then checks the processes of running tasks.
func (p *schedule) work(ctx context.Context) {
	now := p.now().Round(0)
	if now.Before(p.looked) { // the clock was set back: what was due then can be due now
		for id := range p.next {
			p.next[id] = time.Time{}
		}
	}
	p.looked = now
	for some := range slices.Chunk(p.due(now), agentsAtOnce) {
		_ = p.Ledger.View(ctx, func(r model.Reader) error { // an agent that cannot be read is left for its own turn
			for _, id := range some {
				p.judge(ctx, r, id, now)
			}
			return nil
		})
		for _, id := range some {
			if ctx.Err() != nil || p.next[id].After(now) {
				continue
			}
			claimed, ok := p.claim(ctx, id)
			if !ok {
				p.leave(id)
				continue
			}
			next, err := p.settle(claimed, id, p.learnTasks)
			if Barred(err) {
				p.barred[id] = now.Add(BarredFor)
			} else if err != nil && ctx.Err() == nil {
				p.report(id, err)
				next = now.Add(retryAfter)
				if model.HasCode(err, model.CodeFull) {
					next = now.Add(fullRetry)
				}
			}
			p.next[id] = next
		}
	}
	p.sweep(ctx)
}

// judge notes the next due time of an agent without a command.
func (p *schedule) judge(ctx context.Context, r model.Reader, id model.AgentID, now time.Time) {
	if _, ok := p.claim(ctx, id); !ok {
		p.leave(id)
		return
	}
	p.learnTasks(r, id)
	if command, next, err := p.foresee(r, id, now); err == nil && command == nil {
		p.next[id] = next
	}
}

// due returns the agents to be judged, in order. An agent that is not due costs one comparison.
func (p *schedule) due(now time.Time) []model.AgentID {
	var due []model.AgentID
	for id, at := range p.next {
		if !at.After(now) {
			due = append(due, id)
		}
	}
	slices.Sort(due)
	return due
}

// pause is how long nothing is due.
func (p *schedule) pause() time.Duration {
	now, first := p.now(), never
	for _, at := range p.next {
		if at.Before(first) {
			first = at
		}
	}
	pause := time.Duration(math.MaxInt64)
	if first.Before(never) {
		pause = min(max(first.Sub(now), shortest), longest)
	}
	if p.watches() {
		pause = min(pause, max(p.swept.Add(sweepEvery).Sub(now), shortest))
	}
	return pause
}

// never is a due time that is never reached: only a commit makes the agent due.
var never = time.Unix(1<<40, 0)

// Settle ticks one agent until nothing changes, and returns when it is due again. Run does this for all agents; Settle is for frontends
// that serve one, and report its error.
func (s *Scheduler) Settle(ctx context.Context, id model.AgentID) (time.Time, error) {
	return s.settle(ctx, id, func(model.Reader, model.AgentID) {})
}

// settle is Settle, and calls learn at each read of the agent. It sends no tick that would change nothing, because a read is cheaper than a
// write.
func (s *Scheduler) settle(ctx context.Context, id model.AgentID, learn func(model.Reader, model.AgentID)) (time.Time, error) {
	for {
		var command model.Command
		var next time.Time
		err := s.Ledger.View(ctx, func(r model.Reader) (err error) {
			learn(r, id)
			command, next, err = s.foresee(r, id, s.now())
			return err
		})
		if err != nil || command == nil {
			return next, err
		}
		_, err = s.Ledger.Apply(ctx, model.Envelope{Key: s.NewKey(), Actor: model.Scheduler, Agent: id, Command: command})
		if Barred(err) {
			return never, err
		}
		if model.HasCode(err, model.CodeRefused) {
			return s.now().Add(shortest), nil // another scheduler was faster
		}
		if model.HasCode(err, model.CodeStale) {
			return never, nil // another scheduler has claimed the agent
		}
		if err != nil {
			return next, err
		}
		s.report(id, nil)
	}
}

// foresee returns the command that the scheduler has for an agent now, or nil and when the agent is due again.
func (s *Scheduler) foresee(r model.Reader, id model.AgentID, now time.Time) (model.Command, time.Time, error) {
	if pick, ok := model.AutoPick(r, id, now); ok {
		return pick, never, nil
	}
	if renewal, ok := model.Shortened(r, id, now); ok {
		return renewal, never, nil
	}
	tick := model.Tick{AgentID: id}
	a, _ := r.Agent(id)
	if s.Alive != nil && a.Turn != nil && a.Turn.Process.PID != 0 && !s.Alive(a.Turn.Process) {
		tick.Gone = a.Turn.Index
	}
	change, err := model.Step(r, model.Stamp{At: now, NewID: "foreseen", Actor: model.Scheduler, Agent: id}, tick)
	if err != nil {
		return nil, never, err
	}
	if !change.Empty() {
		return tick, never, nil
	}
	next := model.NextPass(r, id, *change.Receipt.Decision)
	if next.IsZero() {
		next = never
	}
	if a.Turn.Runs(now) && next.Equal(never) { // news of a lease's end can be missed
		next = now.Add(longest)
	}
	return nil, next, nil
}

// learnTasks notes the agent's running tasks that have a supervisor, and whether its program waits for a permission.
func (p *schedule) learnTasks(r model.Reader, id model.AgentID) {
	if p.Alive == nil {
		return
	}
	for key, t := range p.running {
		if t.AgentID == id {
			delete(p.running, key)
		}
	}
	delete(p.asking, id)
	delete(p.turns, id)
	a, _ := r.Agent(id)
	if len(a.Permissions) > 0 {
		p.asking[id] = true
	}
	if a.Turn != nil && a.Turn.Process.PID != 0 {
		p.turns[id] = a.Turn.Process
	}
	for _, t := range r.RunningTasks(id, tasksAtOnce) {
		if t.Run.Supervisor.PID != 0 {
			p.running[t.ID] = t
		}
	}
}

// watches reports whether there is anything that sweep looks at.
func (p *schedule) watches() bool { return len(p.running)+len(p.asking)+len(p.turns)+len(p.others) > 0 }

// sweep ends the tasks whose supervisor is gone as interrupted, which triggers the waits for them. It also ends the permission prompts that
// were answered in their program or whose program is gone, and the turns whose holder is gone.
func (p *schedule) sweep(ctx context.Context) {
	now := p.now()
	if !p.watches() || now.Before(p.swept.Add(sweepEvery)) && !p.swept.IsZero() {
		return
	}
	p.swept = now
	p.learnOthers(ctx)
	for id := range p.asking {
		if err := sweepPermissions(ctx, p.Ledger, id, now, p.Alive, p.Answered); err != nil {
			p.report(id, err)
		}
	}
	for id, holder := range p.turns {
		if !p.Alive(holder) {
			if _, err := p.settle(ctx, id, p.learnTasks); err != nil {
				p.report(id, err)
			}
		}
	}
	for id, t := range p.running {
		if p.Alive(t.Run.Supervisor) {
			continue
		}
		end := model.EndTask{TaskID: id, Status: model.TaskInterrupted, Result: "its supervisor is gone",
			End: &model.TaskEnd{At: now, ExitCode: -1, DurationMS: now.Sub(t.CreatedAt).Milliseconds()}}
		_, err := p.Ledger.Apply(ctx, model.Envelope{Key: p.NewKey(), Actor: model.Scheduler, Agent: t.AgentID, Command: end})
		p.report(t.AgentID, err)
		if err == nil {
			delete(p.running, id)
		}
	}
}
