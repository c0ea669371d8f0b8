package todos

import (
	"encoding/json"
	"fmt"
	"time"

	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

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
	if err := s.overwrite(dir, manifestName(m.Source), append(raw, '\n')); err != nil {
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
