package todos

import (
	"errors"
	"fmt"
	"os"

	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

// Change makes one change of one todo, if judge allows it.
func (s *Session) Change(word string, m todo.Move, judge todo.Judgement) (todo.Todo, error) {
	return one(s.Apply(func(snap Snapshot) ([]todo.Change, error) {
		t, err := snap.Resolve(word)
		if err != nil {
			return nil, err
		}
		return single(judge(t, m, snap.Index))
	}))
}

func single(c todo.Change, err error) ([]todo.Change, error) { return []todo.Change{c}, err }

// Claim takes the next todo that can be worked on, for m.Owner under m.Lease. Of several processes that claim at once, each gets another
// todo. In the same change it interrupts the todos of dead claimants, and returns them as swept; if no other todo is ready, it claims one
// of theirs. If there is nothing to claim, why gives the reason; otherwise why is Something.
func (s *Session) Claim(keep func(todo.Todo) bool, m todo.Move, alive todo.Probe) (t todo.Todo, why todo.Nothing,
	swept []todo.Todo, err error) {
	m.To = todo.InProgress
	written, err := s.Apply(func(snap Snapshot) ([]todo.Change, error) {
		var next todo.Todo
		if next, why = todo.Next(keep, snap.Index); why != todo.Something {
			if freed, got := todo.Next(keep, snap.Index.Freed(m.At, alive)); got == todo.Something {
				why = got
				next, _ = snap.Index.Find(freed.Ref())
			}
		}
		ended, err := sweep(snap, next.Ref(), m, alive)
		if err != nil || why != todo.Something {
			return ended, err
		}
		claim, err := todo.Take(next, m, alive, snap.Index)
		return append(ended, claim), err
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

// Start claims one named todo. If the owner already has the claim, it is prolonged. The other todos of dead claimants are
// interrupted, and returned as swept.
func (s *Session) Start(word string, m todo.Move, alive todo.Probe) (t todo.Todo, swept []todo.Todo, err error) {
	m.To = todo.InProgress
	written, err := s.Apply(func(snap Snapshot) ([]todo.Change, error) {
		t, err := snap.Resolve(word)
		if err != nil {
			return nil, err
		}
		if t.Status == todo.InProgress && t.AssignedTo == m.Owner {
			m.ClaimOver = t.Lease.Over(m.At, alive) != ""
			return single(todo.Renew(t, m, nil))
		}
		ended, err := sweep(snap, t.Ref(), m, alive)
		if err != nil {
			return nil, err
		}
		claim, err := todo.Take(t, m, alive, snap.Index)
		return append([]todo.Change{claim}, ended...), err
	})
	if len(written) > 1 {
		swept = written[1:]
	}
	t, err = one(written, err)
	return t, swept, err
}

// sweep interrupts the todos whose claims are over, except the one that is claimed now.
func sweep(snap Snapshot, taken todo.Ref, m todo.Move, alive todo.Probe) ([]todo.Change, error) {
	return each(snap, &m, todo.Judge, func(t todo.Todo) (over bool) {
		m, over = todo.Lapse(t, m.At, alive)
		return over && t.Ref() != taken
	})
}

// Cleanup ends the session: todos still in progress become interrupted. kept are the todos that a living process still claims: they stay as
// they are.
func (s *Session) Cleanup(m todo.Move, alive todo.Probe) (ended, kept []todo.Todo, err error) {
	by := m.Actor.Name
	m.Actor = todo.Actor{Name: "cleanup:phase6"}
	m.To, m.ClaimOver, m.Reason = todo.Interrupted, true, todo.SessionEnded
	ended, err = s.Apply(func(snap Snapshot) ([]todo.Change, error) {
		kept = nil
		return each(snap, &m, todo.Judge, func(t todo.Todo) bool {
			claimed := t.Status == todo.InProgress && t.AssignedTo != by && t.Lease.Live(m.At, alive)
			if claimed {
				kept = append(kept, t)
			}
			return t.Status == todo.InProgress && !claimed
		})
	})
	return ended, kept, err
}

// ResumeAll makes every interrupted todo of the session ready again.
func (s *Session) ResumeAll(m todo.Move) ([]todo.Todo, error) {
	return s.Apply(func(snap Snapshot) ([]todo.Change, error) {
		return each(snap, &m, todo.Resume, func(t todo.Todo) bool { return t.Status == todo.Interrupted })
	})
}

// Fix repairs what needs no decision: dependencies of a todo on itself, and links in one direction only. It returns the changed todos.
func (s *Session) Fix(m todo.Move) ([]todo.Todo, error) {
	return s.Apply(func(snap Snapshot) ([]todo.Change, error) {
		by := map[todo.Ref][]todo.Ref{}
		for _, t := range snap.Todos {
			for _, r := range t.Related {
				by[r.In(t.Source)] = append(by[r.In(t.Source)], t.Ref())
			}
		}
		mended := func(t todo.Todo, m todo.Move, _ *todo.Index) (todo.Change, error) {
			c := todo.Change{Before: t, After: todo.Mended(t, by[t.Ref()])}
			c.After.Updated = todo.Day(m.At)
			return c, nil
		}
		return each(snap, &m, mended, func(t todo.Todo) bool { return len(todo.Diff(t, todo.Mended(t, by[t.Ref()]))) > 0 })
	})
}

// each judges every wanted todo. It skips an id that two files share, because it cannot know which file is meant.
func each(snap Snapshot, m *todo.Move, judge todo.Judgement, wanted func(todo.Todo) bool) (all []todo.Change, err error) {
	for _, t := range snap.Todos {
		if snap.Index.Twice(t.Ref()) || !wanted(t) {
			continue
		}
		c, err := judge(t, *m, snap.Index)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// attempts is how often a change is judged again after an editor wrote the file meanwhile.
const attempts = 10

// Apply makes every change of a session. Under the session's lock it reads every todo, lets judge decide, and writes the allowed changes,
// each file atomically. It returns the todos after the change. If an editor changes a file meanwhile, it reads and judges again.
func (s *Session) Apply(judge func(Snapshot) ([]todo.Change, error)) ([]todo.Todo, error) {
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

func (s *Session) applyOnce(judge func(Snapshot) ([]todo.Change, error), written []todo.Todo) ([]todo.Todo, error) {
	snap, err := s.Load(false)
	if err != nil {
		return written, err
	}
	changes, err := judge(snap)
	if err != nil {
		return written, err
	}
	for _, c := range changes {
		t, err := s.write(snap, c)
		if err != nil {
			return written, err
		}
		written = append(written, t)
		if err := s.link(snap, c); err != nil {
			return written, err
		}
	}
	return written, nil
}

// link updates the related todo when a todo becomes a duplicate or stops being one, so that both name each other. The duplicate itself is
// already written, so an error is reported and the change is not judged again.
func (s *Session) link(snap Snapshot, c todo.Change) error {
	for _, l := range []struct {
		ref todo.Ref
		do  func(todo.Todo, todo.Ref) todo.Todo
	}{{c.Backlink, todo.Related}, {c.Unlink, todo.Unrelated}} {
		other, ok := snap.Index.Find(l.ref)
		if l.ref == "" || !ok {
			continue
		}
		err := ErrChanged
		for try := 0; try < attempts && errors.Is(err, ErrChanged); try++ {
			_, err = s.rewrite(other, func(now todo.Todo) (todo.Change, error) {
				return todo.Change{Before: now, After: l.do(now, c.After.Ref())}, nil
			})
		}
		if err != nil {
			return fmt.Errorf("%s is %s, but %s does not name it yet (validate --fix repairs that): %v",
				c.After.Ref(), c.After.Status, l.ref, err)
		}
	}
	return nil
}

// write edits one file. The todo must still be as it was judged.
func (s *Session) write(snap Snapshot, c todo.Change) (t todo.Todo, err error) {
	if snap.Index.Twice(c.Before.Ref()) {
		return t, todo.Refuse(todo.RuleAmbiguous, "issue_id", "%s is the id of more than one file", c.Before.Ref())
	}
	return s.rewrite(c.Before, func(now todo.Todo) (todo.Change, error) {
		if len(todo.Diff(c.Before, now)) > 0 || len(now.History) != len(c.Before.History) {
			return c, fmt.Errorf("%s: %w", now.File, ErrChanged)
		}
		return c, nil
	})
}

// rewrite reads a todo's file, asks what to change, and replaces the file with the result.
func (s *Session) rewrite(at todo.Todo, ask func(now todo.Todo) (todo.Change, error)) (t todo.Todo, err error) {
	dir, err := files.Below(s.root, at.Dir, false)
	if err != nil {
		return t, s.gone(err)
	}
	defer dir.Close()
	sweepTemps(dir)
	now, old, err := readTodo(dir, at.Dir, at.File, nil)
	if err != nil {
		return t, fmt.Errorf("%s: %w", at.File, err)
	}
	c, err := ask(now)
	if err != nil {
		return t, err
	}
	raw := old.raw
	if sets := todo.Diff(c.Before, c.After); len(sets)+len(c.Rows) > 0 || c.Note != nil {
		if raw, err = edit(raw, sets, c.Rows, c.Note); err != nil {
			return t, fmt.Errorf("%s: %w", at.File, err)
		}
		if err := s.replace(dir, at.File, old, raw); err != nil {
			return t, err
		}
		s.markDirty(dir, at.Dir)
	}
	t, err = Parse(raw, at.Dir, at.File)
	t.Session = s.Name()
	return t, err
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
	for _, list := range [][]model.Text{n.Actions, n.Learnings} {
		for i := range list {
			list[i] = model.Redact(list[i])
		}
	}
	return s.Change(word, todo.Move{}, func(t todo.Todo, _ todo.Move, _ *todo.Index) (todo.Change, error) {
		return todo.Change{Before: t, After: t, Note: &n}, nil
	})
}

func one(written []todo.Todo, err error) (todo.Todo, error) {
	if err != nil || len(written) == 0 {
		return todo.Todo{}, err
	}
	return written[0], nil
}
