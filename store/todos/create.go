package todos

import (
	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

// Skip is a draft that was not made a todo, because one is there.
type Skip struct {
	Title    model.Text `json:"title"`
	Finding  model.Text `json:"finding_id,omitempty"`
	Existing todo.Ref   `json:"existing"`
}

// Made is what Create did.
type Made struct {
	Created []todo.Todo `json:"created"`
	Skipped []Skip      `json:"skipped"`
}

// Create makes a todo of every draft that has none: the same finding of the same source ref
// is made once, however often this is called. Ids are given under the session's lock. When
// it fails half way, what was made stays and is in the answer.
func (s *Session) Create(drafts []todo.Draft, m todo.Move) (Made, error) {
	made := Made{Created: []todo.Todo{}, Skipped: []Skip{}}
	err := s.locked(func() error {
		snap, err := s.Load()
		if err != nil {
			return err
		}
		known := knownKeys(snap.Todos)
		for _, d := range drafts {
			key, keyed := d.Key()
			if ref, there := known[key]; keyed && there {
				made.Skipped = append(made.Skipped, Skip{d.Title, d.FindingID, ref})
				continue
			}
			t, err := s.createOne(&snap, d, m)
			if err != nil {
				return err
			}
			made.Created = append(made.Created, t)
			if keyed {
				known[key] = t.Ref()
			}
		}
		return nil
	})
	return made, err
}

func knownKeys(all []todo.Todo) map[todo.Key]todo.Ref {
	known := map[todo.Key]todo.Ref{}
	for _, t := range all {
		if k, ok := todo.KeyOf(t); ok {
			known[k] = t.Ref()
		}
	}
	return known
}

// nextID gives the id after every one that the source has, by front matter or file name:
// a damaged file keeps its number.
func (s *Snapshot) nextID(source string) string {
	taken := append([]string(nil), s.names[source]...)
	for _, t := range s.Todos {
		if t.Source == source {
			taken = append(taken, t.IssueID)
		}
	}
	return todo.NextID(taken)
}

func (s *Session) createOne(snap *Snapshot, d todo.Draft, m todo.Move) (todo.Todo, error) {
	t, err := todo.New(d, snap.nextID(d.Source), m)
	if err != nil {
		return t, err
	}
	for _, dep := range d.Dependencies {
		if _, ok := snap.places[dep.In(d.Source)]; !ok {
			return t, todo.Refuse(todo.RuleDangling, "dependencies", "%s does not exist, so nothing can wait on it", dep)
		}
	}
	n := todo.Note{At: m.At, Phase: "Initial Discovery", By: m.Actor.Name, Source: d.Chain,
		Actions: []model.Text{m.Reason}}
	return s.add(snap, t, Render(t, d, n))
}

// add writes a new file and enters it into the snapshot.
func (s *Session) add(snap *Snapshot, t todo.Todo, raw []byte) (todo.Todo, error) {
	dir, err := files.Below(s.root, t.Source, true)
	if err != nil {
		return t, s.gone(err)
	}
	defer dir.Close()
	read, err := Parse(raw, t.Source, t.File)
	if err != nil {
		return t, err
	}
	if err := s.create(dir, t.File, raw); err != nil {
		return t, err
	}
	s.markDirty(dir, t.Source)
	snap.names[t.Source] = append(snap.names[t.Source], t.File)
	snap.add(read, place{t.Source, t.File})
	return read, nil
}
