package accessible

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vise/model"
	"vise/ui/action"
)

// runUndoable runs a command that changes an item, and keeps its inverse.
func (s *session) runUndoable(ctx context.Context, words string, l itemView, stdin, verb string, args ...string) error {
	done, err := s.ran(ctx, stdin, slices.Concat([]string{verb}, l.seen(), args)...)
	if done && err == nil && s.did(nil, model.Receipt{Inverse: s.inverse}, words+" "+string(l.row.Handle)) {
		s.say("Undo, in the menus, takes it back.")
	}
	return err
}

// did keeps the inverse of a command, and returns false if there is none.
func (s *session) did(c model.Command, in model.Receipt, words string) bool {
	s.history = s.history.Add(s.agent, c, in, model.Text(words))
	return in.Inverse != nil
}

// send applies an operator's command for the agent, and reports the result.
func (s *session) send(ctx context.Context, c model.Command, words, said string) error {
	receipt, err := s.Apply(ctx, s.envelope(s.agent, c))
	if err != nil {
		s.refused(err)
		return nil
	}
	if s.did(c, receipt, words) {
		said += " Undo, in the menus, takes it back."
	}
	return s.done(ctx, receipt, said)
}

func (s *session) envelope(agent model.AgentID, c model.Command) model.Envelope {
	return model.Envelope{Key: s.NewKey(), Actor: model.Operator, Agent: agent, Command: c}
}

// done reports what was done, with warnings. The events are not shown again.
func (s *session) done(ctx context.Context, r model.Receipt, said string) error {
	s.say("%s", said)
	for _, w := range r.Warnings {
		s.say("Warning: %s", model.Text(w.Message))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard(ctx)
	return nil
}

// unread says why something could not be read. It says nothing about changes; those were reported before.
func (s *session) unread(err error) {
	if e := (*model.Error)(nil); errors.As(err, &e) {
		said := *e
		said.Hint = strings.TrimSuffix(e.Hint, "; nothing was changed")
		err = &said
	}
	s.failed("Not read", err)
}

// refused says why something was not done, and what to do.
func (s *session) refused(err error) { s.failed("Not done", err) }

func (s *session) failed(what string, err error) {
	s.say("%s: %s.", what, model.Text(err.Error()))
	var e *model.Error
	if errors.As(err, &e) && e.Hint != "" {
		s.say("%s.", model.Text(e.Hint))
	}
}

func (s *session) undo(ctx context.Context) error { return s.revert(ctx, false) }
func (s *session) redo(ctx context.Context) error { return s.revert(ctx, true) }

// revert undoes an action, or does it again. An action that can no longer be undone is dropped from the history.
func (s *session) revert(ctx context.Context, doAgain bool) error {
	e, ok := s.history.Last(doAgain)
	if !ok {
		return nil
	}
	receipt, err := s.Apply(ctx, s.envelope(e.Agent, e.Undo))
	if err != nil {
		s.history = s.history.Drop(e.Undo, err)
		s.refused(err)
		return nil
	}
	s.history = s.history.Add(e.Agent, e.Undo, receipt, e.What)
	reverses := action.Redo
	if e.Again {
		reverses = action.Undo
	}
	return s.done(ctx, receipt, e.Said()+". "+titleOf(reverses)+", in the menus, reverses that.")
}
