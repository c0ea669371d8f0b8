package store

import "vise/model"

// Shards returns the claims of a scheduler of this process, which is called name.
func (l *Ledger) Shards(name string) Shards { return l.backend.Shards(name) }

// withLease is a record with what the backend says of its turn's lease.
func (f *Facts) withLease(r model.Record) model.Record {
	a, is := r.(model.Agent)
	if !is || a.Turn == nil {
		return r
	}
	lives, err := f.Txn.Lives(a.ID, a.Turn.Index)
	f.Fail(err)
	a.Turn.Lives = lives
	return a
}

// keepLease lets the backend keep the lease of a turn as a command leaves it.
func (f *Facts) keepLease(at model.Stamp, c model.Command, writes []model.Record) error {
	switch c := c.(type) {
	case model.BeatTurn:
		return f.Txn.Renew(c.AgentID, c.Turn)
	case model.Round:
		agent, is := at.Actor.Agent()
		if !is {
			agent = at.Agent
		}
		if c.Turn != 0 {
			if err := f.Txn.Holds(agent, c.Turn); err != nil {
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
		if was.Turn != nil && was.Turn.Lives != nil && *was.Turn.Lives {
			if err := f.Txn.End(a.ID, was.Turn.Index); err != nil {
				return err
			}
		}
		if a.Turn != nil {
			if err := f.Txn.Claim(a.ID, a.Turn.Index, a.Turn.Holder, a.Turn.ExpiresAt.Sub(a.Turn.StartedAt)); err != nil {
				return err
			}
		}
	}
	return nil
}
