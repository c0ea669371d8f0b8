package watcher

import (
	"context"

	"vise/store/threads"
)

// Tree watches HEAD and the files of a work tree that differ from it. Events report changes in tracked directories; the sweep finds new
// files elsewhere. The state at the start is no news.
func Tree(ctx context.Context, dir string) *Changes {
	git := threads.Reader{}
	dirs, print := git.TreeDirs(ctx, dir), git.TreePrint(ctx, dir)
	return watch(ctx, func() []string { return dirs }, func() bool {
		now := git.TreePrint(ctx, dir)
		if now == print {
			return false
		}
		dirs, print = git.TreeDirs(ctx, dir), now
		return true
	})
}
