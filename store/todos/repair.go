package todos

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

// Fix repairs what needs no decision: dependencies of a todo on itself, links in one direction only, and, with order, the computed order.
// It returns the changed todos.
func (s *Session) Fix(m todo.Move, order bool) ([]todo.Todo, error) {
	return s.Apply(func(snap Snapshot) ([]Edit, error) {
		index := snap.Index()
		after := map[todo.Ref]todo.Todo{}
		at := func(r todo.Ref) todo.Todo {
			if t, ok := after[r]; ok {
				return t
			}
			t, _ := index.Find(r)
			return t
		}
		for _, p := range todo.CheckAll(index) {
			switch p.Rule {
			case todo.RuleSelf:
				t := at(p.Todo)
				t.Dependencies = slices.DeleteFunc(slices.Clone(t.Dependencies), func(d todo.Ref) bool { return d.In(t.Source) == t.Ref() })
				after[p.Todo] = t
			case todo.RuleRelated:
				from, _ := index.Find(p.Todo)
				for _, r := range from.Related {
					if _, ok := index.Find(r.In(from.Source)); ok {
						other := at(r.In(from.Source))
						after[other.Ref()] = todo.Related(other, p.Todo)
					}
				}
			}
		}
		if order {
			numberAll(index, after, at)
		}
		return fixes(snap, after, m), nil
	})
}

func numberAll(index *todo.Index, after map[todo.Ref]todo.Todo, at func(todo.Ref) todo.Todo) {
	g := todo.NewGraph(index)
	for i, r := range g.Order {
		t := at(r)
		t.ExecutionOrder = i + 1
		after[r] = t
	}
}

func fixes(snap Snapshot, after map[todo.Ref]todo.Todo, m todo.Move) []Edit {
	var edits []Edit
	for _, before := range snap.Todos {
		fixed, ok := after[before.Ref()]
		if !ok || snap.places[before.Ref()].file != before.File || len(todo.Diff(before, fixed)) == 0 {
			continue
		}
		fixed.Updated = todo.Day(m.At)
		edits = append(edits, Edit{Change: todo.Change{Before: before, After: fixed}})
	}
	return edits
}

// Repaired is a file whose status was a common wrong word, and the copy of the file from before.
type Repaired struct {
	Todo todo.Todo `json:"todo"`
	Was  string    `json:"was"`
	Copy string    `json:"copy"`
}

// Repair replaces the status done or completed with the status that it means, in all files of the session or in those named. It fills in
// the other fields that the status needs, and keeps a copy of the file beside it.
func (s *Session) Repair(words []string, m todo.Move) ([]Repaired, error) {
	out := []Repaired{}
	if err := m.Named(); err != nil {
		return out, err
	}
	err := s.locked(func() error {
		snap, err := s.Load()
		if err != nil {
			return err
		}
		for _, d := range snap.Damaged {
			if d.Rule != todo.RuleStatus || len(words) > 0 && !slices.ContainsFunc(words, d.named) {
				continue
			}
			r, err := s.repair(place{d.Source, d.File}, m)
			if err != nil {
				return err
			}
			if r.Copy != "" {
				out = append(out, r)
			}
		}
		if len(out) < len(words) {
			return todo.Refuse(todo.RuleStatus, "id", "%d of %d named files say done or completed", len(out), len(words))
		}
		return nil
	})
	return out, err
}

// repair repairs one file. Any other wrong word stays.
func (s *Session) repair(at place, m todo.Move) (Repaired, error) {
	var r Repaired
	dir, err := files.Below(s.root, at.dir, false)
	if err != nil {
		return r, s.gone(err)
	}
	defer dir.Close()
	c, err := readFile(dir, at.file, maxTodoBytes, nil)
	if err != nil {
		return r, fmt.Errorf("%s: %w", at.file, err)
	}
	if r.Was, err = statusWord(c.raw); err != nil || mistaken[r.Was] == "" {
		return r, err
	}
	word := todo.Set{Key: "status", Value: todo.Value{Kind: todo.Plain, Text: string(mistaken[r.Was])}}
	raw, err := edit(c.raw, []todo.Set{word}, addition{})
	if err != nil {
		return r, fmt.Errorf("%s: %w", at.file, err)
	}
	before, err := Parse(raw, at.dir, at.file)
	if err != nil {
		return r, fmt.Errorf("%s: %w", at.file, err)
	}
	change := todo.Repaired(before, r.Was, m)
	if raw, err = edit(raw, todo.Diff(before, change.After), addition{rows: change.Rows}); err != nil {
		return r, fmt.Errorf("%s: %w", at.file, err)
	}
	if r.Copy, err = s.keep(dir, at.file, c.raw); err != nil {
		return r, err
	}
	if err := s.replace(dir, at.file, c.info, raw); err != nil {
		return r, err
	}
	s.markDirty(dir, at.dir)
	r.Todo, err = Parse(raw, at.dir, at.file)
	r.Todo.Session = s.Name()
	return r, err
}

// keep copies a file beside it, under a name that readers do not take for a todo.
func (s *Session) keep(dir *os.Root, name string, raw []byte) (string, error) {
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.before-repair-%d", name, n)
		if err := s.create(dir, to, raw); !errors.Is(err, fs.ErrExist) {
			return to, err
		}
	}
}

// statusWord returns the status in a file's front matter.
func statusWord(raw []byte) (string, error) {
	doc, d := split(string(raw))
	if d != nil {
		return "", d
	}
	keys, d := values(doc.head)
	if d != nil {
		return "", d
	}
	return (&reader{keys: keys}).text("status").Raw(), nil
}

func manifestName(source string) string { return "todos-" + source + "-manifest.json" }

// WriteManifests writes the manifest of each source, or of the named one, from the files.
func (s *Session) WriteManifests(source string, at time.Time) ([]todo.Manifest, error) {
	var out []todo.Manifest
	err := s.locked(func() error {
		snap, err := s.Load()
		if err != nil {
			return err
		}
		for _, src := range snap.Sources {
			if source != "" && src != source {
				continue
			}
			m := todo.NewManifest(src, snap.Index(), s.manifestSession(), at)
			if err := s.writeManifest(m); err != nil {
				return err
			}
			out = append(out, m)
		}
		return nil
	})
	return out, err
}

func (s *Session) writeManifest(m todo.Manifest) error {
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("manifest of %s: %w", m.Source, err)
	}
	dir, err := files.Below(s.root, m.Source, false)
	if err != nil {
		return s.gone(err)
	}
	defer dir.Close()
	name := manifestName(m.Source)
	if err := s.put(dir, name, append(raw, '\n'), 0o644, func(temp string) error { return dir.Rename(temp, name) }); err != nil {
		return err
	}
	_ = dir.Remove(dirtyName)
	return nil
}

func (s *Session) manifestSession() todo.ManifestSession {
	m := todo.ManifestSession{Workflow: s.Workflow(), SessionID: s.ID(), TodosBase: s.Rel + "/"}
	if st, ok := s.state(); ok {
		m.StartedAt = model.Text(st.Started)
	}
	return m
}
