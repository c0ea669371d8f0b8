package todos

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

// Fix repairs what needs no decision: dependencies on oneself, links that go one way, and
// the computed order when order is asked for. It returns what it changed.
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

func manifestName(source string) string { return "todos-" + source + "-manifest.json" }

// WriteManifests writes the manifest of each source, or of the one named, from the files.
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
