package todos

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

// tempPrefix marks files that are not complete yet. Readers ignore them, and the next writer removes those that a crash left.
const tempPrefix = ".vise-new-"

// ErrChanged says that another program wrote a file after it was read.
var ErrChanged = errors.New("the file was changed meanwhile")

// Steps of a write, in order. A crash at any of them leaves the old or the new file.
const (
	stepCreated = "created"
	stepWritten = "written"
	stepSynced  = "synced"
	stepRenamed = "renamed"
	stepDone    = "done"
)

// replace writes new bytes over a file that was old when it was read. If an editor wrote the file meanwhile, its version stays and the
// error is ErrChanged. An editor that writes in place may have opened the file before it was replaced: if the replaced file changed, it
// gets its name back, and the editor goes on writing it.
func (s *Session) replace(dir *os.Root, name string, old content, raw []byte) error {
	mode := old.info.Mode().Perm()
	if mode&0o222 == 0 {
		return todo.Refuse(todo.RuleReadOnly, "file", "%s is read-only, and stays as it is", name)
	}
	d, err := dir.Open(".")
	if err != nil {
		return s.gone(err)
	}
	defer d.Close()
	swapped := false
	check := func(temp string) error {
		was, err := readFile(dir, temp, maxTodoBytes, nil)
		if !swapped || err == nil && bytes.Equal(was.raw, old.raw) {
			return nil
		}
		return cmp.Or(files.Exchange(d, temp, name), ErrChanged)
	}
	return s.put(dir, name, raw, mode, func(temp string) error {
		if now, err := dir.Lstat(name); err != nil || !same(old.info, now) {
			return ErrChanged
		}
		if swapped = files.Exchange(d, temp, name) == nil; swapped {
			return check(temp)
		}
		return dir.Rename(temp, name) // this file system cannot exchange files
	}, check)
}

// create writes a file that must not exist yet.
func (s *Session) create(dir *os.Root, name string, raw []byte) error {
	return s.put(dir, name, raw, 0o644, func(temp string) error {
		err := dir.Link(temp, name)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			// On a file system without hard links the session's lock keeps the name free.
			if _, look := dir.Lstat(name); files.IsGone(look) {
				err = dir.Rename(temp, name)
			}
		}
		return err
	}, func(string) error { return nil })
}

// put writes a temporary file, which place then moves to its name. When that is on the disk, check can refuse it.
func (s *Session) put(dir *os.Root, name string, raw []byte, mode fs.FileMode, place, check func(temp string) error) error {
	temp := tempPrefix + name
	if err := s.stage(dir, temp, raw, mode); err != nil {
		return err
	}
	defer func() { _ = dir.Remove(temp) }()
	err := place(temp)
	if err == nil {
		if err = s.settle(dir); err == nil {
			err = check(temp)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (s *Session) stage(dir *os.Root, temp string, raw []byte, mode fs.FileMode) error {
	_ = dir.Remove(temp)
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return s.gone(err)
	}
	s.at(stepCreated)
	if _, err = f.Write(raw); err == nil {
		s.at(stepWritten)
		err = s.sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = dir.Remove(temp)
		return fmt.Errorf("writing %s: %w", strings.TrimPrefix(temp, tempPrefix), err)
	}
	s.at(stepSynced)
	return nil
}

// settle makes the rename itself durable.
func (s *Session) settle(dir *os.Root) error {
	s.at(stepRenamed)
	d, err := dir.Open(".")
	if err != nil {
		return s.gone(err)
	}
	defer d.Close()
	if err := s.sync(d); err != nil {
		return fmt.Errorf("session %s: %w", s.Rel, err)
	}
	s.at(stepDone)
	return nil
}

// sweepTemps removes the files that a crashed writer left. The caller must hold the lock.
func sweepTemps(dir *os.Root) {
	names, _ := fs.Glob(dir.FS(), tempPrefix+"*")
	for _, name := range names {
		_ = dir.Remove(name)
	}
}

// skip is a draft that became no todo, because one exists. OtherText says that the one that exists says something else.
type skip struct {
	Title     model.Text `json:"title"`
	Finding   model.Text `json:"finding_id,omitempty"`
	Existing  todo.Ref   `json:"existing"`
	OtherText bool       `json:"other_text,omitempty"`
}

// Made is what Create did.
type Made struct {
	Created []todo.Todo `json:"created"`
	Skipped []skip      `json:"skipped"`
}

// Create makes a todo from each draft that has none. The same finding of the same source ref is made once, however often Create is called.
// Ids are given under the session's lock. If Create fails half way, the todos made so far stay and are in the answer.
func (s *Session) Create(drafts []todo.Draft, m todo.Move) (Made, error) {
	made := Made{Created: []todo.Todo{}, Skipped: []skip{}}
	err := s.locked(func() error {
		snap, err := s.Load(false)
		if err != nil {
			return err
		}
		known := map[todo.Key]todo.Todo{}
		for _, t := range snap.Todos {
			if k, ok := todo.KeyOf(t); ok {
				known[k] = t
			}
		}
		for _, d := range drafts {
			t, raw, err := snap.draw(d, m)
			if err != nil {
				return err
			}
			key, keyed := todo.KeyOf(t)
			if old, there := known[key]; keyed && there {
				made.Skipped = append(made.Skipped, skip{d.Title, d.FindingID, old.Ref(), old.Said != t.Said})
				continue
			}
			t.Session = s.Name()
			if err := s.createOne(&snap, t, raw); err != nil {
				return err
			}
			made.Created = append(made.Created, t)
			known[key] = t
		}
		return nil
	})
	return made, err
}

// nextID returns the id after every id of the source, in front matter or file names. A damaged file keeps its number.
func (s *Snapshot) nextID(source string) string {
	var taken []string
	for _, t := range s.Todos {
		if t.Source == source || t.Dir == source {
			taken = append(taken, t.IssueID, t.File)
		}
	}
	for _, d := range s.Damaged {
		if d.Source == source {
			taken = append(taken, d.File)
		}
	}
	return todo.NextID(taken)
}

// draw returns the todo of a draft, and its file's content.
func (s *Snapshot) draw(d todo.Draft, m todo.Move) (t todo.Todo, raw []byte, err error) {
	if len(d.Dependencies) > 0 {
		s.Index = todo.NewIndex(s.Todos)
		d.Dependencies = s.Index.Qualified(d.Dependencies, d.Source)
	}
	if t, err = todo.New(d, s.nextID(d.Source), m); err != nil {
		return t, nil, err
	}
	for _, dep := range d.Dependencies {
		if _, ok := s.Index.Find(dep.In(d.Source)); !ok {
			return t, nil, todo.Refuse(todo.RuleDangling, "dependencies", "%s does not exist, so nothing can wait on it", dep)
		}
	}
	raw = Render(t, d, todo.Note{At: m.At, Phase: "Initial Discovery", By: m.Actor.Name, Source: d.Chain, Actions: []model.Text{m.Reason}})
	if len(raw) > maxTodoBytes {
		return t, nil, todo.Refuse(todo.RuleTooLarge, "problem", "%q would be a file of %d bytes; up to %d are read",
			t.Title, len(raw), maxTodoBytes)
	}
	t, err = Parse(raw, t.Source, t.File)
	return t, raw, err
}

// createOne writes the file of a todo and adds it to the snapshot.
func (s *Session) createOne(snap *Snapshot, t todo.Todo, raw []byte) error {
	dir, err := files.Below(s.root, t.Source, true)
	if err != nil {
		return s.gone(err)
	}
	defer dir.Close()
	if err := s.create(dir, t.File, raw); err != nil {
		return err
	}
	s.markDirty(dir, t.Source)
	snap.Todos = append(snap.Todos, t)
	return nil
}
