package todos

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"vise/model/todo"
)

// Loss is what removing a session would destroy.
type Loss struct {
	Session    string     `json:"session"`
	Files      int        `json:"files"`
	Unfinished []todo.Ref `json:"unfinished"`
	Damaged    []Damage   `json:"damaged"`
	// Claimed are todos that somebody alive works on: they forbid removal.
	Claimed []todo.Ref `json:"claimed"`
	// Active says that the session's workflow goes on: that forbids removal too.
	Active bool `json:"active"`
}

// Preview tells what Remove would destroy.
func (s *Session) Preview(m todo.Move, host string, alive todo.Probe) (Loss, error) {
	loss := Loss{Session: s.Rel, Unfinished: []todo.Ref{}, Damaged: []Damage{}, Claimed: []todo.Ref{}}
	snap, err := s.Load()
	if err != nil {
		return loss, err
	}
	loss.Files = len(snap.Todos) + len(snap.Damaged)
	loss.Damaged = append(loss.Damaged, snap.Damaged...)
	for _, t := range snap.Todos {
		if !t.Status.Final() {
			loss.Unfinished = append(loss.Unfinished, t.Ref())
		}
		if t.Status == todo.InProgress && !t.Lease.IsZero() && t.Lease.Over(m.At, alive) == "" {
			loss.Claimed = append(loss.Claimed, t.Ref())
		}
	}
	st, ok := s.state()
	loss.Active = ok && st.live() && s.Life(host, alive).Gone == ""
	return loss, nil
}

// Remove deletes the session's todos directory. It refuses while someone works in it, and
// while it holds unfinished or damaged todos, unless discard accepts their loss.
func (s *Session) Remove(m todo.Move, host string, alive todo.Probe, discard bool) (Loss, error) {
	var loss Loss
	err := s.locked(func() error {
		var err error
		if loss, err = s.Preview(m, host, alive); err != nil {
			return err
		}
		switch {
		case len(loss.Claimed) > 0 || loss.Active:
			return todo.Refuse(todo.RuleInUse, "session", "%s is in use", s.Rel)
		case len(loss.Unfinished)+len(loss.Damaged) > 0 && !discard:
			return todo.Refuse(todo.RuleUnfinished, "session", "%s holds %d unfinished and %d damaged todos",
				s.Rel, len(loss.Unfinished), len(loss.Damaged))
		}
		return s.removeAll()
	})
	return loss, err
}

// removeAll deletes the directory through its parent, after making sure that the name
// still is the directory that was opened.
func (s *Session) removeAll() error {
	parent, err := Open(s.Repo, path.Dir(s.Rel))
	if err != nil {
		return err
	}
	defer parent.Close()
	name := path.Base(s.Rel)
	named, err := parent.root.Lstat(name)
	if err != nil {
		return s.gone(err)
	}
	mine, err := s.root.Stat(".")
	if err != nil {
		return s.gone(err)
	}
	if !os.SameFile(named, mine) {
		return fmt.Errorf("session %s: %w", s.Rel, ErrGone)
	}
	if err := parent.root.RemoveAll(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("session %s: %w", s.Rel, err)
	}
	return nil
}
