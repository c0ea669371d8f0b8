package cli

import (
	"context"
	"path/filepath"
	"slices"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
	"vise/ui/agents"
	"vise/watcher"
)

// diffOf returns what the work on an item with these links changed, without the files that vise put into the work tree.
func diffOf(ctx context.Context, links model.Links, space bool) thread.Diff {
	dir := links.Worktree()
	d := (threads.Reader{}).Diff(ctx, dir, links.Began(dir), space)
	own := agents.ProjectFiles(d.Dir.Raw()) // raw: a path, compared
	d.Files = slices.DeleteFunc(d.Files, func(f thread.DiffFile) bool {
		return slices.Contains(own, filepath.Join(d.Dir.Raw(), filepath.FromSlash(f.Path.Raw()))) // raw: paths, compared
	})
	return d
}

// changesView shows the console what the work on items changed.
type changesView struct{ home *home.Home }

// Diff is part of console.Diffs.
func (changesView) Diff(ctx context.Context, links model.Links, space bool) thread.Diff {
	return diffOf(ctx, links, space)
}

// Hunks is part of console.Diffs.
func (changesView) Hunks(ctx context.Context, d thread.Diff, f thread.DiffFile, space bool) thread.Hunks {
	return (threads.Reader{}).Hunks(ctx, d, f, space)
}

// Hash is part of console.Diffs.
func (changesView) Hash(_ context.Context, dir string, file model.Text) string {
	_, hash, _ := (threads.Reader{}).File(dir, file.Raw()) // raw: a path to open; a file that cannot be read has no hash
	return hash
}

// Altered is part of console.Diffs.
func (changesView) Altered(_ context.Context, dir string, list []model.Commented) map[model.CommentID]bool {
	out := map[model.CommentID]bool{}
	for _, x := range list {
		out[x.ID] = commentChanged(dir, x.Comment)
	}
	return out
}

// Watch is part of console.Diffs.
func (changesView) Watch(ctx context.Context, dir string) func(context.Context) error {
	return watcher.Tree(ctx, dir).Next
}

// Refresh is part of console.Diffs.
func (v changesView) Refresh(ctx context.Context, id model.ItemID) error {
	return v.home.RefreshTrees(ctx, model.Envelope{Actor: model.Watcher}, id)
}
