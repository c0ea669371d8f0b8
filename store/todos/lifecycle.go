package todos

import (
	"errors"
	"fmt"
	"os"

	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

// Move changes one todo's status, as the table allows. A completion also adds to the Work Log.
func (s *Session) Move(word string, m todo.Move) (todo.Todo, error) {
	return s.change(word, func(t todo.Todo, among *todo.Index) (todo.Change, error) { return todo.Judge(t, m, among) })
}

// change makes one change of one todo, if judge allows it.
func (s *Session) change(word string, judge func(todo.Todo, *todo.Index) (todo.Change, error)) (todo.Todo, error) {
	return one(s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		t, err := snap.Resolve(index, word)
		if err != nil {
			return nil, err
		}
		return editsOf(judge(t, index))
	}))
}

func editsOf(c todo.Change, err error) ([]Edit, error) {
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

// Reopen gives a final todo its earlier status back. Only the operator can do this.
func (s *Session) Reopen(word string, m todo.Move) (todo.Todo, error) {
	return s.change(word, func(t todo.Todo, _ *todo.Index) (todo.Change, error) { return todo.Reopen(t, m) })
}

// Reprioritise changes an open todo's priority. The file keeps its name.
func (s *Session) Reprioritise(word string, p todo.Priority, m todo.Move) (todo.Todo, error) {
	return s.change(word, func(t todo.Todo, _ *todo.Index) (todo.Change, error) { return todo.Reprioritise(t, p, m) })
}

// Claim takes the next todo that can be worked on, for m.Owner under m.Lease. Of several processes that claim at once, each gets another
// todo. In the same change it interrupts the todos of dead claimants, and returns them as swept. If there is nothing to claim, why gives
// the reason; otherwise why is Something.
func (s *Session) Claim(keep func(todo.Todo) bool, m todo.Move, alive todo.Probe) (t todo.Todo, why todo.Nothing,
	swept []todo.Todo, err error) {
	m.To = todo.InProgress
	written, err := s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		edits, err := sweep(snap, index, m, alive)
		if err != nil {
			return nil, err
		}
		var next todo.Todo
		if next, why = todo.Next(keep, index); why != todo.Something {
			return edits, nil
		}
		claim, err := editsOf(todo.Judge(next, m, index))
		return append(edits, claim...), err
	})
	for _, w := range written {
		if w.Status == todo.InProgress {
			t = w
		} else {
			swept = append(swept, w)
		}
	}
	return t, why, swept, err
}

// Start claims one named todo. If the owner already has the claim, it is prolonged. Todos of dead claimants are interrupted first,
// including the named one, and are returned as swept.
func (s *Session) Start(word string, m todo.Move, alive todo.Probe) (t todo.Todo, swept []todo.Todo, err error) {
	m.To = todo.InProgress
	written, err := s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		t, err := snap.Resolve(index, word)
		if err != nil {
			return nil, err
		}
		if t.Status == todo.InProgress && t.AssignedTo == m.Owner {
			m.ClaimOver = t.Lease.Over(m.At, alive) != ""
			return editsOf(todo.Renew(t, m))
		}
		edits, err := sweep(snap, index, m, alive)
		if err != nil {
			return nil, err
		}
		for _, e := range edits {
			if e.After.Ref() == t.Ref() {
				t = e.After
			}
		}
		claim, err := editsOf(todo.Judge(t, m, index))
		return append(claim, edits...), err
	})
	if len(written) > 1 {
		swept = written[1:]
	}
	t, err = one(written, err)
	return t, swept, err
}

// sweep interrupts the todos whose claims are over: the lease has ended, or the claimant's process is dead. It leaves claims without a
// lease.
func sweep(snap Snapshot, index *todo.Index, m todo.Move, alive todo.Probe) ([]Edit, error) {
	m = todo.Move{At: m.At, Actor: todo.Actor{Name: "sweep"}, To: todo.Interrupted, ClaimOver: true}
	return each(snap, func(t todo.Todo) (todo.Change, bool, error) {
		why := t.Lease.Over(m.At, alive)
		if t.Status != todo.InProgress || why == "" {
			return todo.Change{}, false, nil
		}
		m.Reason = model.Text("Claim ended: " + why)
		c, err := todo.Judge(t, m, index)
		return c, true, err
	})
}

// Cleanup ends the session: todos still in progress become interrupted. kept are the todos that a living process still claims: they stay as
// they are.
func (s *Session) Cleanup(m todo.Move, alive todo.Probe) (ended, kept []todo.Todo, err error) {
	by := m.Actor.Name
	m.Actor = todo.Actor{Name: "cleanup:phase6"}
	m.To, m.ClaimOver, m.Reason = todo.Interrupted, true, todo.SessionEnded
	ended, err = s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		kept = nil
		return each(snap, func(t todo.Todo) (todo.Change, bool, error) {
			switch {
			case t.Status != todo.InProgress:
				return todo.Change{}, false, nil
			case t.AssignedTo != by && t.Lease.Live(m.At, alive):
				kept = append(kept, t)
				return todo.Change{}, false, nil
			}
			c, err := todo.Judge(t, m, index)
			return c, true, err
		})
	})
	return ended, kept, err
}

// Resume makes the named todo ready again, without its claim. See todo.Resume.
func (s *Session) Resume(word string, m todo.Move) (todo.Todo, error) {
	return s.change(word, func(t todo.Todo, among *todo.Index) (todo.Change, error) { return todo.Resume(t, m, among) })
}

// ResumeAll makes every interrupted todo of the session ready again.
func (s *Session) ResumeAll(m todo.Move) ([]todo.Todo, error) {
	return s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		return each(snap, func(t todo.Todo) (todo.Change, bool, error) {
			if t.Status != todo.Interrupted {
				return todo.Change{}, false, nil
			}
			c, err := todo.Resume(t, m, index)
			return c, true, err
		})
	})
}

// each asks for every todo whether it changes. It skips an id that two files share, because it cannot know which file is meant.
func each(snap Snapshot, want func(todo.Todo) (todo.Change, bool, error)) ([]Edit, error) {
	var edits []Edit
	for _, t := range snap.Todos {
		if snap.places[t.Ref()].file != t.File {
			continue
		}
		c, wanted, err := want(t)
		if err != nil {
			return nil, err
		}
		if wanted {
			edits = append(edits, Edit{Change: c})
		}
	}
	return edits, nil
}

// Fix repairs what needs no decision: dependencies of a todo on itself, and links in one direction only. It returns the changed todos.
func (s *Session) Fix(m todo.Move) ([]todo.Todo, error) {
	return s.Apply(func(snap Snapshot) ([]Edit, error) {
		by := map[todo.Ref][]todo.Ref{}
		for _, t := range snap.Todos {
			for _, r := range t.Related {
				by[r.In(t.Source)] = append(by[r.In(t.Source)], t.Ref())
			}
		}
		return each(snap, func(t todo.Todo) (todo.Change, bool, error) {
			c := todo.Change{Before: t, After: todo.Mended(t, by[t.Ref()])}
			changed := len(todo.Diff(c.Before, c.After)) > 0
			c.After.Updated = todo.Day(m.At)
			return c, changed, nil
		})
	})
}

// Unapprove makes an approved and unclaimed todo pending again. Only the operator can do this.
func (s *Session) Unapprove(word string, m todo.Move) (todo.Todo, error) {
	return s.change(word, func(t todo.Todo, _ *todo.Index) (todo.Change, error) { return todo.Unapprove(t, m) })
}

// Finish completes a todo from any status. See todo.Finish.
func (s *Session) Finish(word string, m todo.Move) (todo.Todo, error) {
	return s.change(word, func(t todo.Todo, among *todo.Index) (todo.Change, error) { return todo.Finish(t, m, among) })
}

// Edit is one allowed change, with an optional Work Log entry.
type Edit struct {
	todo.Change
	Note *todo.Note
}

// attempts is how often a change is judged again after an editor wrote the file meanwhile.
const attempts = 3

// Apply makes every change of a session. Under the session's lock it reads every todo, lets judge decide, and writes the allowed edits,
// each file atomically. It returns the todos after the change. If an editor changes a file meanwhile, it reads and judges again.
func (s *Session) Apply(judge func(Snapshot) ([]Edit, error)) ([]todo.Todo, error) {
	var written []todo.Todo
	err := s.locked(func() error {
		for try := 1; ; try++ {
			var err error
			written, err = s.applyOnce(judge, written)
			if !errors.Is(err, ErrChanged) || try == attempts {
				return err
			}
		}
	})
	return written, err
}

func (s *Session) applyOnce(judge func(Snapshot) ([]Edit, error), written []todo.Todo) ([]todo.Todo, error) {
	snap, err := s.Load()
	if err != nil {
		return written, err
	}
	edits, err := judge(snap)
	if err != nil {
		return written, err
	}
	for _, e := range edits {
		t, err := s.write(snap, e)
		if err != nil {
			return written, err
		}
		written = append(written, t)
		if err := s.link(snap, e); err != nil {
			return written, err
		}
	}
	return written, nil
}

// link updates the related todo when a todo becomes a duplicate or stops being one, so that both name each other. The duplicate itself is
// already written, so an error is reported and the change is not judged again.
func (s *Session) link(snap Snapshot, e Edit) error {
	for _, l := range []struct {
		ref todo.Ref
		do  func(todo.Todo, todo.Ref) todo.Todo
	}{{e.Backlink, todo.Related}, {e.Unlink, todo.Unrelated}} {
		at, ok := snap.places[l.ref]
		if l.ref == "" || !ok {
			continue
		}
		err := ErrChanged
		for try := 0; try < attempts && errors.Is(err, ErrChanged); try++ {
			err = s.rewrite(at, func(now todo.Todo) (Edit, error) {
				return Edit{Change: todo.Change{Before: now, After: l.do(now, e.After.Ref())}}, nil
			}, nil)
		}
		if err != nil {
			return fmt.Errorf("%s is %s, but %s does not name it yet (validate --fix repairs that): %v",
				e.After.Ref(), e.After.Status, l.ref, err)
		}
	}
	return nil
}

// write edits one file. The todo must still be as it was judged.
func (s *Session) write(snap Snapshot, e Edit) (t todo.Todo, err error) {
	at, ok := snap.places[e.Before.Ref()]
	if !ok || at.file != e.Before.File {
		return t, todo.Refuse(todo.RuleAmbiguous, "issue_id", "%s is the id of more than one file", e.Before.Ref())
	}
	err = s.rewrite(at, func(now todo.Todo) (Edit, error) {
		if len(todo.Diff(e.Before, now)) > 0 || len(now.History) != len(e.Before.History) {
			return e, fmt.Errorf("%s: %w", at.file, ErrChanged)
		}
		return e, nil
	}, &t)
	return t, err
}

// rewrite reads a file, asks what to change, and replaces the file with the result.
func (s *Session) rewrite(at place, ask func(now todo.Todo) (Edit, error), result *todo.Todo) error {
	dir, err := files.Below(s.root, at.dir, false)
	if err != nil {
		return s.gone(err)
	}
	defer dir.Close()
	sweepTemps(dir)
	c, err := readFile(dir, at.file, maxTodoBytes, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", at.file, err)
	}
	now, err := Parse(c.raw, at.dir, at.file)
	if err != nil {
		return fmt.Errorf("%s: %w", at.file, ErrChanged)
	}
	e, err := ask(now)
	if err != nil {
		return err
	}
	raw, err := s.revise(dir, at, c, e)
	if err == nil && result != nil {
		*result, err = Parse(raw, at.dir, at.file)
		result.Session = s.Name()
	}
	return err
}

func (s *Session) revise(dir *os.Root, at place, c content, e Edit) ([]byte, error) {
	sets := todo.Diff(e.Before, e.After)
	if len(sets) == 0 && len(e.Rows) == 0 && e.Note == nil {
		return c.raw, nil
	}
	raw, err := edit(c.raw, sets, addition{e.Rows, e.Note})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at.file, err)
	}
	if err := s.replace(dir, at.file, c.info, raw); err != nil {
		return nil, err
	}
	s.markDirty(dir, at.dir)
	return raw, nil
}

// dirtyName marks a manifest, which other tools make of the files, as older than the files.
const dirtyName = ".dirty"

// markDirty tells readers of the manifest that it is old. Errors are ignored, because the manifest's time shows the same.
func (s *Session) markDirty(dir *os.Root, source string) {
	if _, err := dir.Lstat("todos-" + source + "-manifest.json"); err != nil {
		return
	}
	if f, err := dir.OpenFile(dirtyName, os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
		_ = f.Close()
	}
}

// LogWork adds an entry to a todo's Work Log. Every actor can add one, and none can change one.
func (s *Session) LogWork(word string, n todo.Note) (todo.Todo, error) {
	return one(s.Apply(func(snap Snapshot) ([]Edit, error) {
		t, err := snap.Resolve(snap.Index(), word)
		if err != nil {
			return nil, err
		}
		return []Edit{{Change: todo.Change{Before: t, After: t}, Note: &n}}, nil
	}))
}

func one(written []todo.Todo, err error) (todo.Todo, error) {
	if err != nil || len(written) == 0 {
		return todo.Todo{}, err
	}
	return written[0], nil
}
