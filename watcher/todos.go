package watcher

import (
	"context"
	"path/filepath"

	"vise/store/todos"
)

// session is a session of file todos as it was looked at last, or why it could not be.
type session struct {
	*todos.Session
	seen todos.Snapshot
	err  error
}

// Todos watches the file todos of a session, whoever changes them: another console, the command
// line, an agent's program, an editor. Seen is a look from before the caller read: only what
// differs from it is news. That the session cannot be read is news, and then that it can. The
// session must outlive the watch.
func Todos(ctx context.Context, s *todos.Session, seen todos.Snapshot) *Changes {
	at := &session{Session: s, seen: seen}
	return watch(ctx, compared{at.dirs, at.changed})
}

// changed looks at the files without reading them; 10,000 cost less than a tenth of a second.
func (s *session) changed() bool {
	now, err := s.Look()
	failed := s.err != nil
	s.err = err
	if err != nil {
		return !failed
	}
	changed := failed || !now.Same(s.seen)
	s.seen = now
	return changed
}

// dirs are the session's directory, those of its sources, and the one above, which alone
// has an event of the session's removal while the session is open.
func (s *session) dirs() []string {
	base := s.Path()
	out := []string{filepath.Dir(base), base}
	for _, source := range s.seen.Sources {
		out = append(out, filepath.Join(base, source))
	}
	return out
}
