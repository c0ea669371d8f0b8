package threads

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/model/thread"
)

// List returns the work trees of the repository around dir, the main one first.
func (r Reader) List(ctx context.Context, dir string) ([]thread.Worktree, error) {
	g, ended := r.at(ctx, dir, limit)
	defer g.cancel()
	if ended != nil {
		return nil, model.NotFound("%s", ended.Detail)
	}
	listed := g.run("worktree", "list", "--porcelain", "-z")
	if !listed.ok() {
		why := g.explain(listed)
		if why.State == thread.GitNoRepository {
			return nil, model.NotFound("%s is in no git repository", model.Text(dir)).
				WithHint("call it in the repository, or in one of its work trees")
		}
		return nil, fmt.Errorf("list the work trees of %s: %s", model.Text(dir), why.Detail)
	}
	return parseWorktrees(string(listed.out)), nil
}

// parseWorktrees reads git worktree list --porcelain -z.
func parseWorktrees(out string) (list []thread.Worktree) {
	for record := range strings.SplitSeq(out, "\x00\x00") {
		w := thread.Worktree{Main: len(list) == 0}
		bare := false
		for line := range strings.SplitSeq(record, "\x00") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				w.Path = model.Text(value)
			case "HEAD":
				w.Git.Head = value
			case "branch":
				w.Branch = model.Text(strings.TrimPrefix(value, thread.BranchRef))
			case "locked":
				w.Locked = true
			case "prunable":
				w.Missing = true
			case "bare":
				bare = true
			}
		}
		if w.Path != "" && (!bare || w.Main) {
			list = append(list, w)
		}
	}
	return list
}

// Compare reads a work tree and compares it with the main one. It does not count the changed files in own, because vise put them there.
func (r Reader) Compare(ctx context.Context, w *thread.Worktree, main thread.Worktree, own []string) {
	dir, base := w.Path.Raw(), main.Git.Head // raw: a path for git
	if w.Base = main.Branch; w.Base == "" {
		w.Base = model.Text(base[:min(len(base), shortCommit)])
	}
	g, ended := r.quiet(ctx, dir, limit)
	defer g.cancel()
	if ended != nil {
		w.Git = *ended
		return
	}
	status := g.files()
	if !status.ok() {
		w.Git = g.explain(status)
		return
	}
	w.Git = parseStatus(status.out)
	w.Git.ChangedFiles = slices.DeleteFunc(w.Git.ChangedFiles, func(name model.Text) bool {
		return slices.Contains(own, filepath.Join(dir, filepath.FromSlash(name.Raw()))) // raw: compared
	})
	w.Git.Dirty = len(w.Git.ChangedFiles) > 0
	ignored := g.run("status", "--porcelain", "-z", "--ignored=matching", "--untracked-files=all", "--no-renames")
	if !ignored.ok() {
		w.Git = g.explain(ignored)
		return
	}
	for entry := range strings.SplitSeq(string(ignored.out), "\x00") {
		name, is := strings.CutPrefix(entry, "!! ")
		is = is && !slices.Contains(own, filepath.Join(dir, filepath.FromSlash(name)))
		if is && !slices.Contains(thread.Rebuilt, filepath.Base(name)) {
			w.Ignored = append(w.Ignored, model.Text(name))
		}
	}
	if w.Git.State != thread.GitOK || !thread.IsCommit(base) {
		return
	}
	counts := g.says("rev-list", "--left-right", "--count", w.Git.Head+"..."+base)
	if ahead, behind, ok := strings.Cut(counts, "\t"); ok {
		w.Ahead, _ = strconv.Atoi(ahead)
		w.Behind, _ = strconv.Atoi(behind)
	}
	switch r.Lineage(g.ctx, main.Path.Raw(), w.Git.Head, base) { // raw: a path for git
	case thread.Reachable, thread.Squashed, thread.Rebased:
		w.Merged = true
	}
}

// shortCommit is how many digits of a commit's id are shown.
const shortCommit = 12

// makeLimit is how long git can take to check files out or to remove them. Hooks and filters of the repository run then, as when a person
// calls git.
const makeLimit = 10 * time.Minute

// AddWorktree makes a work tree with a new branch that begins at from, or at HEAD if from is empty. Unlike the reads, it runs git as the
// user does, with the repository's hooks and filters.
func (r Reader) AddWorktree(ctx context.Context, dir, path, branch, from string) error {
	args := []string{"worktree", "add", "-b", branch, "--", path}
	if from != "" {
		args = append(args, from)
	}
	return r.change(ctx, dir, args...)
}

// OwnTree returns the work tree that is named after the repository around dir and name. If there is none, it makes it, with a branch called
// name.
func (r Reader) OwnTree(ctx context.Context, dir, name string) (string, error) {
	list, err := r.List(ctx, dir)
	if err != nil {
		return "", err
	}
	path := Beside(list, name)
	if IndexOf(list, path) >= 0 {
		return path, nil
	}
	return path, r.AddWorktree(ctx, dir, path, name, "")
}

// Beside is where a work tree lies that is named after the repository and name.
func Beside(list []thread.Worktree, name string) string { return list[0].Path.Raw() + "-" + name } // raw: a path for git

// IndexOf returns the index of the work tree at path, -1 if none is there.
func IndexOf(list []thread.Worktree, path string) int {
	return slices.IndexFunc(list, func(w thread.Worktree) bool { return w.Path.Raw() == path && !w.Missing }) // raw: compared, not shown
}

// RemoveWorktree removes a work tree and its branch. Git refuses a work tree with changes. The branch goes even if it is not merged, so the
// caller must check that first.
func (r Reader) RemoveWorktree(ctx context.Context, main, path, branch string) error {
	if err := r.change(ctx, main, "worktree", "remove", "--", path); err != nil || branch == "" {
		return err
	}
	return r.change(ctx, main, "branch", "-D", "--", branch)
}

func (r Reader) change(ctx context.Context, dir string, args ...string) error {
	g, ended := r.at(ctx, dir, makeLimit)
	defer g.cancel()
	if ended != nil {
		return model.NotFound("%s", ended.Detail)
	}
	c := exec.CommandContext(g.ctx, g.program, args...)
	c.Dir, c.WaitDelay = dir, time.Second
	c.Env = slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "GIT_DIR=") || strings.HasPrefix(e, "GIT_WORK_TREE=") || strings.HasPrefix(e, "GIT_INDEX_FILE=")
	})
	said := &bounded{max: 4096}
	c.Stdout, c.Stderr = said, said
	if err := c.Run(); err != nil {
		return model.Refused("git %s: %s", strings.Join(args[:2], " "),
			model.Text(lastLine(string(said.kept), err.Error())))
	}
	return nil
}

// lastLine is the last line of git's error output, or otherwise.
func lastLine(said, otherwise string) string {
	said = strings.TrimSpace(said)
	return cmp.Or(strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:]), otherwise)
}
