// Package threads tells a door when the Work State of a repository, or the head of the
// repository itself, may have changed, whoever changed it: another console, AICTX, an
// editor, git. Changes of the work tree's own files are not watched: there are too many of
// them.
package threads

import (
	"context"

	"vise/store/threads"
	"vise/watcher/hints"
)

// Watch watches a repository until ctx ends or the eye is closed. What is there already is
// no news.
func Watch(ctx context.Context, repo threads.Repo) *hints.Eye {
	return hints.WatchPrint(ctx, placeOf(repo))
}
