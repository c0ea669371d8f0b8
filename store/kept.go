package store

import "vise/model"

// kept is what each command of a transaction asks again: the heads, an agent, its counts.
// It saves the next command of a group decoding what the one before it had decoded.
type kept struct {
	head   *head
	heads  map[model.AgentID]agentHead
	counts map[model.AgentID]counts
	// agents were read, not written: what is written comes back as JSON keeps it.
	agents map[model.AgentID]model.Agent
}

func newKept() *kept {
	return &kept{heads: map[model.AgentID]agentHead{}, counts: map[model.AgentID]counts{}, agents: map[model.AgentID]model.Agent{}}
}

// sharer is a transaction that can serve several commands.
type sharer interface {
	// take hands over what the last command left, to one command; nil if none did, or if
	// anything has been written since.
	take() *kept
	leave(*kept)
}

// sharedFacts are facts that begin with what the command before left. A command that was
// saved leaves what it knows; any other leaves nothing.
func sharedFacts(t Txn) *facts {
	f := newFacts(t)
	if s, ok := t.(sharer); ok {
		if k := s.take(); k != nil {
			f.kept = k
		}
	}
	return f
}

func (f *facts) leave() {
	if s, ok := f.txn.(sharer); ok && f.err == nil {
		s.leave(f.kept)
	}
}

func (t *boltTxn) take() *kept {
	k := t.kept
	t.kept = nil
	if t.keptAt != t.session.writes {
		return nil
	}
	return k
}

func (t *boltTxn) leave(k *kept) { t.kept, t.keptAt = k, t.session.writes }
