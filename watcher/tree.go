package watcher

import (
	"context"

	"vise/store/threads"
)

// Tree watches the files of a work tree that differ from HEAD, and HEAD: of what git tracks events tell, of what is new
// elsewhere the sweep. What is there already is no news.
func Tree(ctx context.Context, dir string) *Changes {
	git := threads.Reader{}
	dirs, print := git.TreeDirs(ctx, dir), git.TreePrint(ctx, dir)
	return watch(ctx, compared{func() []string { return dirs }, func() bool {
		now := git.TreePrint(ctx, dir)
		if now == print {
			return false
		}
		dirs, print = git.TreeDirs(ctx, dir), now
		return true
	}})
}
