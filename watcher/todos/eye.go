// Package todos tells a door when the file todos of a session have changed, whoever
// changed them: another console, the command line, an agent's program, an editor.
package todos

import (
	"context"
	"path/filepath"

	"vise/store/todos"
	"vise/watcher/hints"
)

// sight is a session as it was seen last, or why it could not be read.
type sight struct {
	session *todos.Session
	seen    todos.Snapshot
	err     error
}

// Watch watches a session until ctx ends or the eye is closed. Seen is what its owner has
// read already: only what differs from it is news. That the session cannot be read is news,
// and then that it can. The session must outlive the eye.
func Watch(ctx context.Context, s *todos.Session, seen todos.Snapshot) *hints.Eye {
	return hints.Watch(ctx, &sight{session: s, seen: seen})
}

// Changed reads what changed; 10,000 unchanged files cost less than a tenth of a second.
func (s *sight) Changed() bool {
	now, err := s.session.Reload(s.seen)
	failed := s.err != nil
	s.err = err
	if err != nil {
		return !failed
	}
	changed := failed || !now.Same(s.seen)
	s.seen = now
	return changed
}

// Dirs are the session's directory, those of its sources, and the one above, which alone
// tells of the session's removal while the session is open.
func (s *sight) Dirs() []string {
	base := s.session.Path()
	out := []string{filepath.Dir(base), base}
	for _, source := range s.seen.Sources {
		out = append(out, filepath.Join(base, source))
	}
	return out
}
