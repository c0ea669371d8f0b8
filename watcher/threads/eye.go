// Package threads tells a door when the Work State of a repository, or the head of the
// repository itself, may have changed, whoever changed it: another console, AICTX, an
// editor, git. Changes of the work tree's own files are not watched: there are too many of
// them.
package threads

import (
	"context"

	"vise/store/files/threads"
	"vise/watcher/hints"
)

type sight struct {
	place
	seen string
}

// Watch watches a repository until ctx ends or the eye is closed. What is there already is
// no news.
func Watch(ctx context.Context, repo threads.Repo) *hints.Eye {
	s := &sight{place: placeOf(repo)}
	s.seen = s.print()
	return hints.Watch(ctx, s)
}

func (s *sight) Changed() bool {
	now := s.print()
	changed := now != s.seen
	s.seen = now
	return changed
}
