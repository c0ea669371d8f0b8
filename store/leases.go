package store

import (
	"context"

	"vise/model"
)

// Shards divide the agents of a ledger between the schedulers of several processes, so that each agent is looked at by one. They only save
// work: what a scheduler changes depends on the heads that it read, as ever.
type Shards interface {
	// Run claims a fair share of the agents until ctx ends, and then gives it up.
	Run(ctx context.Context)
	// Changed returns a channel that is closed at the next change of what Claim or Idle answers.
	Changed() <-chan struct{}
	// Claim returns the context for changes of an agent, and whether this process has claimed it. Once another process has, those changes
	// are refused as stale.
	Claim(ctx context.Context, agent model.AgentID) (claimed context.Context, ok bool)
	// Idle says why this process claims nothing, or is nil.
	Idle() error
}

// Shards returns the claims of a scheduler of this process, which is called name. It is nil for a ledger in a file: there every scheduler
// looks at all agents.
func (l *Ledger) Shards(name string) Shards {
	if b := clusterOf(l.backend); b != nil {
		return b.Shards(name)
	}
	return nil
}

// withLease is a record with what the backend says of its turn's lease.
func (f *facts) withLease(r model.Record) model.Record {
	a, is := r.(model.Agent)
	if !is || a.Turn == nil {
		return r
	}
	if t := sharedBy(f.txn); t != nil {
		lives, err := t.Lives(a.ID, a.Turn.Index)
		f.fail(err)
		a.Turn.Lives = &lives
	}
	return a
}

// keepLease lets the backend keep the lease of a turn as a command leaves it.
func (f *facts) keepLease(at model.Stamp, c model.Command, writes []model.Record) error {
	t := sharedBy(f.txn)
	if t == nil {
		return nil
	}
	switch c := c.(type) {
	case model.BeatTurn:
		return t.Renew(c.AgentID, c.Turn)
	case model.Round:
		agent, is := at.Actor.Agent()
		if !is {
			agent = at.Agent
		}
		if c.Turn != 0 {
			if err := t.Holds(agent, c.Turn); err != nil {
				return err
			}
		}
	}
	for _, r := range writes {
		a, is := r.(model.Agent)
		was, _ := f.Agent(a.ID)
		if !is || was.Turn != nil && a.Turn != nil && was.Turn.Index == a.Turn.Index {
			continue
		}
		if was.Turn != nil && *was.Turn.Lives {
			if err := t.End(a.ID, was.Turn.Index); err != nil {
				return err
			}
		}
		if a.Turn != nil {
			if err := t.Claim(a.ID, a.Turn.Index, a.Turn.Holder, a.Turn.ExpiresAt.Sub(a.Turn.StartedAt)); err != nil {
				return err
			}
		}
	}
	return nil
}
