package todos

import (
	"errors"
	"fmt"
	"os"

	"vise/model/todo"
	"vise/store/files"
)

// Edit is one granted change, and a Work Log entry that goes with it.
type Edit struct {
	todo.Change
	Note *todo.Note
}

// attempts is how often a change is judged again after an editor wrote in between.
const attempts = 3

// Apply is the one way in which a session changes. Under the session's lock it reads every
// todo, lets judge decide, and writes what judge grants, each file atomically. It returns
// the todos as they are afterwards. When an editor changes a file meanwhile, all is read
// and judged again.
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

// link keeps related todos naming one another when one becomes or stops being a duplicate.
// The duplicate itself is written by then: trouble here is said, and is no reason to judge
// again.
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

// write edits one file. The todo must still be what was judged.
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

// rewrite reads a file, asks what to change, and puts the result in its place.
func (s *Session) rewrite(at place, ask func(now todo.Todo) (Edit, error), result *todo.Todo) error {
	dir, err := files.Below(s.root, at.dir, false)
	if err != nil {
		return s.gone(err)
	}
	defer dir.Close()
	sweepTemps(dir)
	c, err := readFile(dir, at.file, maxTodoBytes)
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

// dirtyName marks a manifest that no longer tells what the files tell.
const dirtyName = ".dirty"

// markDirty is a courtesy to readers of the manifest: without it the manifest's own time
// still tells, so trouble with it is no trouble of the change.
func (s *Session) markDirty(dir *os.Root, source string) {
	if _, err := dir.Lstat(manifestName(source)); err != nil {
		return
	}
	if f, err := dir.OpenFile(dirtyName, os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
		_ = f.Close()
	}
}

// LogWork adds an entry to a todo's Work Log. Anyone may; nobody can change an entry.
func (s *Session) LogWork(word string, n todo.Note) (todo.Todo, error) {
	return one(s.Apply(func(snap Snapshot) ([]Edit, error) {
		t, err := snap.Index().Resolve(word)
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
