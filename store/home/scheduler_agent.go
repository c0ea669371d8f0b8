package home

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"vise/model"
)

// schedule is what a scheduler remembers between two passes: nothing that the ledger does
// not know.
type schedule struct {
	*Scheduler
	revision uint64
	// next is when each agent is due.
	next map[model.AgentID]time.Time
	// running are the tasks whose processes are watched.
	running map[model.TaskID]model.Task
	swept   time.Time
}

// Bounds of one read.
const (
	agentsAtOnce  = 256
	entriesAtOnce = 512
	tasksAtOnce   = 256
)

// start makes every agent due.
func (p *schedule) start(ctx context.Context) error {
	return p.Ledger.View(ctx, func(r model.Reader) error {
		p.revision = r.Revision()
		for after := model.AgentID(""); ; {
			agents := r.Agents(after, agentsAtOnce)
			for _, a := range agents {
				p.next[a.ID] = time.Time{}
				after = a.ID
			}
			if len(agents) < agentsAtOnce {
				return nil
			}
		}
	})
}

// rest waits for the next commit, or until something is due.
func (p *schedule) rest(ctx context.Context) {
	due, cancel := context.WithTimeout(ctx, p.pause())
	defer cancel()
	revision, err := p.Ledger.Follow(due, p.revision)
	if err != nil && due.Err() != nil {
		return
	}
	if err == nil {
		err = p.changed(ctx, revision)
	}
	if err != nil {
		p.failed(ctx, err)
	}
}

// changed makes the agents due whose journal moved past the revision known last.
func (p *schedule) changed(ctx context.Context, revision uint64) error {
	return p.Ledger.View(ctx, func(r model.Reader) error {
		last := model.Position{Revision: p.revision, N: math.MaxInt32}
		for {
			entries := r.History("", last, entriesAtOnce)
			for _, e := range entries {
				p.next[e.AgentID] = time.Time{}
				last = model.Position{Revision: e.Revision, N: e.N}
			}
			if len(entries) < entriesAtOnce {
				break
			}
		}
		p.revision = max(revision, last.Revision)
		return nil
	})
}

// work judges every agent that is due, then checks the processes of running tasks.
func (p *schedule) work(ctx context.Context) {
	now := p.now()
	for _, id := range p.due(now) {
		if ctx.Err() != nil {
			break
		}
		next, err := p.settle(ctx, id, p.learnTasks)
		if err != nil && ctx.Err() == nil {
			p.report(id, err)
			next = now.Add(retryAfter)
		}
		p.next[id] = next
	}
	p.sweep(ctx)
}

// due are the agents to be judged, in order. Of those that are not it costs a comparison.
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
	if len(p.running) > 0 {
		pause = min(pause, max(p.swept.Add(sweepEvery).Sub(now), shortest))
	}
	return pause
}

// never is a time that only a commit brings forward.
var never = time.Unix(1<<40, 0)

// Settle ticks one agent until nothing changes, and returns when it is due again. Run does
// it for all agents; it is for frontends that serve one.
func (s *Scheduler) Settle(ctx context.Context, id model.AgentID) (time.Time, error) {
	return s.settle(ctx, id, func(model.Reader, model.AgentID) {})
}

// settle sends no tick that would change nothing: reading is cheaper than writing nothing.
// Each reading of the agent is shown to learn.
func (s *Scheduler) settle(ctx context.Context, id model.AgentID, learn func(model.Reader, model.AgentID)) (time.Time, error) {
	for {
		command, next, err := s.nextCommand(ctx, id, learn)
		if err != nil || command == nil {
			return next, err
		}
		_, err = s.Ledger.Apply(ctx, model.Envelope{Key: s.NewKey(), Actor: model.Scheduler, Agent: id, Command: command})
		if errors.Is(err, &model.Error{Code: model.CodeRefused}) {
			return s.now().Add(shortest), nil // another scheduler was faster
		}
		s.report(id, err)
		if err != nil {
			return next, err
		}
	}
}

// nextCommand is what the scheduler would have the ledger do for an agent now; nil for nothing.
func (s *Scheduler) nextCommand(ctx context.Context, id model.AgentID, learn func(model.Reader, model.AgentID)) (command model.Command, next time.Time, err error) {
	now := s.now()
	err = s.Ledger.View(ctx, func(r model.Reader) error {
		command = nil
		learn(r, id)
		if pick, ok := model.AutoPick(r, id, now); ok {
			command = pick
			return nil
		}
		tick := model.Tick{AgentID: id}
		change, err := model.Step(r, model.Stamp{At: now, NewID: "foreseen", Actor: model.Scheduler, Agent: id}, tick)
		if err != nil {
			return err
		}
		if !change.Empty() {
			command = tick
			return nil
		}
		next = model.NextPass(r, id, *change.Receipt.Decision)
		return nil
	})
	if next.IsZero() {
		next = never
	}
	return command, next, err
}
