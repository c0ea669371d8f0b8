package accessible

import (
	"context"
	"errors"

	"vise/model"
	"vise/ui/action"
	"vise/ui/past"
)

// doing runs a verb that changes an item, and remembers how that is taken back.
func (s *session) doing(ctx context.Context, words string, l look, stdin string, args ...string) error {
	var err error
	d := past.Around(ctx, s.Ledger, s.agent, []model.ItemID{l.row.ID}, words+" "+string(l.row.Handle), func() bool {
		var done bool
		done, err = s.ran(ctx, stdin, args...)
		return done && err == nil
	})
	if d != nil {
		s.past = s.past.Did(*d)
		s.say("Undo, in the menus, takes it back.")
	}
	return err
}

// send applies a command of the operator for the agent, and says what came of it.
func (s *session) send(ctx context.Context, c model.Command, words, said string) error {
	receipt, deed, err := past.Apply(ctx, s.Ledger, s.envelope(s.agent, c), words)
	if err != nil {
		s.refused(err)
		return nil
	}
	if deed != nil {
		s.past = s.past.Did(*deed)
		said += " Undo, in the menus, takes it back."
	}
	return s.done(ctx, receipt, said)
}

func (s *session) envelope(agent model.AgentID, c model.Command) model.Envelope {
	return model.Envelope{Key: s.NewKey(), Actor: model.Operator, Agent: agent, Command: c}
}

// done says what was done and what is worth knowing of it. Its events are not told again.
func (s *session) done(_ context.Context, r model.Receipt, said string) error {
	s.say("%s", said)
	for _, w := range r.Warnings {
		s.say("Warning: %s", model.Text(w.Message))
	}
	s.mu.Lock()
	s.told = max(s.told, r.Revision)
	s.mu.Unlock()
	return nil
}

// refused says why something was not done, and what to do.
func (s *session) refused(err error) {
	s.say("Not done: %s.", model.Text(err.Error()))
	var e *model.Error
	if errors.As(err, &e) && e.Hint != "" {
		s.say("%s.", model.Text(e.Hint))
	}
}

func (s *session) undo(ctx context.Context) error { return s.takeBack(ctx, past.Past.Undo) }
func (s *session) redo(ctx context.Context) error { return s.takeBack(ctx, past.Past.Redo) }

// takeBack carries out what takes an act back. One that cannot be any more is forgotten.
func (s *session) takeBack(ctx context.Context, which func(past.Past) (past.Deed, bool)) error {
	d, ok := which(s.past)
	if !ok {
		return nil
	}
	receipt, err := s.Apply(ctx, s.envelope(d.Agent, d.Command()))
	if err != nil {
		if past.TooLate(err) {
			s.past = s.past.Lost(d)
		}
		s.refused(err)
		return nil
	}
	s.past = s.past.TookBack(d)
	again := action.Redo
	if d.Again() {
		again = action.Undo
	}
	return s.done(ctx, receipt, d.Said()+". "+titleOf(again)+", in the menus, reverses that.")
}
