package todos

import (
	"vise/model"
	"vise/model/todo"
)

// Move changes one todo's status, as the table allows. A completion also enters the Work Log.
func (s *Session) Move(word string, m todo.Move) (todo.Todo, error) {
	return one(s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		t, err := index.Resolve(word)
		if err != nil {
			return nil, err
		}
		return granted(todo.Judge(t, m, index))
	}))
}

func granted(c todo.Change, err error) ([]Edit, error) {
	if err != nil {
		return nil, err
	}
	e := Edit{Change: c}
	if c.After.Status == todo.Complete {
		e.Note = &todo.Note{Phase: "Completion", By: c.After.CompletedBy, Actions: []model.Text{c.After.Reason}}
		e.Note.At, _ = todo.TimeOf(c.After.CompletedAt)
	}
	return []Edit{e}, nil
}

// Reopen gives a final todo its prior status back: an operator's act.
func (s *Session) Reopen(word string, m todo.Move) (todo.Todo, error) {
	return one(s.Apply(func(snap Snapshot) ([]Edit, error) {
		t, err := snap.Index().Resolve(word)
		if err != nil {
			return nil, err
		}
		return granted(todo.Reopen(t, m))
	}))
}

// Reprioritise changes an open todo's priority. The file keeps its name.
func (s *Session) Reprioritise(word string, p todo.Priority, m todo.Move) (todo.Todo, error) {
	return one(s.Apply(func(snap Snapshot) ([]Edit, error) {
		t, err := snap.Index().Resolve(word)
		if err != nil {
			return nil, err
		}
		return granted(todo.Reprioritise(t, p, m))
	}))
}

// Claim takes the next todo that can be worked on, for m.Owner under m.Lease. Of many that
// claim at once each gets another. It first interrupts what dead claimants left, and
// returns that too. With nothing to claim the reason is not Something.
func (s *Session) Claim(keep func(todo.Todo) bool, m todo.Move, alive todo.Witness) (t todo.Todo, why todo.Nothing, swept []todo.Todo, err error) {
	if swept, err = s.Sweep(m, alive); err != nil {
		return t, why, swept, err
	}
	m.To = todo.InProgress
	t, err = one(s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		next, nothing := index.Next(keep)
		if why = nothing; why != todo.Something {
			return nil, nil
		}
		return granted(todo.Judge(next, m, index))
	}))
	return t, why, swept, err
}

// Start claims one named todo. A claim of the owner's own is prolonged instead.
func (s *Session) Start(word string, m todo.Move, alive todo.Witness) (todo.Todo, error) {
	if _, err := s.Sweep(m, alive); err != nil {
		return todo.Todo{}, err
	}
	m.To = todo.InProgress
	return one(s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		t, err := index.Resolve(word)
		if err != nil {
			return nil, err
		}
		if t.Status == todo.InProgress && t.AssignedTo == m.Owner {
			return granted(todo.Renew(t, m))
		}
		return granted(todo.Judge(t, m, index))
	}))
}

// Sweep interrupts the todos of this session whose claims are over: lease run out, or
// claimant's process dead. Claims without a lease are not its business. When there are
// none it takes no lock.
func (s *Session) Sweep(m todo.Move, alive todo.Witness) ([]todo.Todo, error) {
	over := func(t todo.Todo) string {
		if t.Status != todo.InProgress {
			return ""
		}
		return t.Lease.Over(m.At, alive)
	}
	snap, err := s.Load()
	if err != nil {
		return nil, err
	}
	found := false
	for _, t := range snap.Todos {
		found = found || over(t) != ""
	}
	if !found {
		return nil, nil
	}
	return s.interrupt(todo.Move{At: m.At, Actor: todo.Actor{Name: "sweep"}}, func(t todo.Todo) model.Text {
		if why := over(t); why != "" {
			return model.Text("Claim ended: " + why)
		}
		return ""
	})
}

// Cleanup ends the session: whatever is still in progress in it becomes interrupted.
func (s *Session) Cleanup(m todo.Move) ([]todo.Todo, error) {
	m.Actor = todo.Actor{Name: "cleanup:phase6"}
	return s.interrupt(m, func(t todo.Todo) model.Text {
		if t.Status == todo.InProgress {
			return todo.SessionEnded
		}
		return ""
	})
}

// interrupt interrupts every todo for which there is a reason.
func (s *Session) interrupt(m todo.Move, why func(todo.Todo) model.Text) ([]todo.Todo, error) {
	return s.each(func(t todo.Todo, index *todo.Index) (todo.Change, bool, error) {
		m.To, m.ClaimOver, m.Reason = todo.Interrupted, true, why(t)
		if m.Reason == "" {
			return todo.Change{}, false, nil
		}
		c, err := todo.Judge(t, m, index)
		return c, true, err
	})
}

// Resume makes every interrupted todo of the session ready again, without its claim.
func (s *Session) Resume(m todo.Move) ([]todo.Todo, error) {
	m.To = todo.Ready
	return s.each(func(t todo.Todo, index *todo.Index) (todo.Change, bool, error) {
		if t.Status != todo.Interrupted {
			return todo.Change{}, false, nil
		}
		c, err := todo.Judge(t, m, index)
		return c, true, err
	})
}

// each applies one kind of change to every todo that wants it. A todo whose id two files
// share is passed by: nobody can say which is meant.
func (s *Session) each(want func(todo.Todo, *todo.Index) (todo.Change, bool, error)) ([]todo.Todo, error) {
	return s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		var edits []Edit
		for _, t := range snap.Todos {
			if snap.places[t.Ref()].file != t.File {
				continue
			}
			c, wanted, err := want(t, index)
			if err != nil {
				return nil, err
			}
			if wanted {
				edits = append(edits, Edit{Change: c})
			}
		}
		return edits, nil
	})
}
