package thread

import (
	"fmt"

	"vise/model"
)

// Worktree is a work tree of a repository, compared with the branch that the main work tree has checked out.
type Worktree struct {
	Path   model.Text `json:"path"`
	Branch model.Text `json:"branch,omitempty"`
	// Main: it is the work tree that holds the repository itself.
	Main bool `json:"main,omitempty"`
	// Base is the main work tree's branch, or its commit.
	Base model.Text `json:"base,omitempty"`
	// Ahead counts the commits that it has and the base does not. Behind counts the opposite.
	Ahead  int `json:"ahead"`
	Behind int `json:"behind"`
	// Locked: git was told to keep it. Missing: its directory does not exist. Merged: the base has its commits, unchanged, rebased or as
	// one commit.
	Locked, Missing, Merged bool `json:"-"`
	// Git is the commit that is checked out there, and the changes.
	Git Git `json:"-"`
	// Ignored are files and directories that git ignores, without those of Rebuilt: git removes them without a word.
	Ignored []model.Text `json:"-"`
	// Busy names who uses it.
	Busy []model.Text `json:"-"`
}

// Rebuilt are the names of ignored directories that a program makes again. They are no reason for a review.
var Rebuilt = []string{"node_modules", "target", "build", "dist", "out", "venv", ".venv", "__pycache__", ".pytest_cache", ".mypy_cache",
	".ruff_cache", ".tox", ".gradle", ".next", ".turbo", ".cache", "coverage"}

// mostIgnored is how many ignored names a review tells.
const mostIgnored = 5

// Review returns why a person should look before the work tree is removed. If it is empty, the removal is safe.
func (w Worktree) Review() (why []model.Text) {
	say := func(format string, args ...any) { why = append(why, model.Textf(format, args...)) }
	switch {
	case w.Main:
		say("it holds the repository")
		return why
	case w.Missing:
		say("its directory is missing; git worktree prune forgets it")
		return why
	case w.Locked:
		say("git worktree lock keeps it")
	}
	switch w.Git.State {
	case GitOK, GitUnborn:
	default:
		say("git does not say what is in it: %s %s", w.Git.State, w.Git.Detail)
		return append(why, w.Busy...)
	}
	if n := len(w.Git.ChangedFiles); n == 1 {
		say("dirty: %s", w.Git.ChangedFiles[0])
	} else if n > 1 {
		say("dirty: %s and %s more", w.Git.ChangedFiles[0], model.Counted(n-1, "file"))
	}
	if n := len(w.Ignored); n > 0 {
		say("ignored, and removed with it: %s", model.Text(model.Join(w.Ignored[:min(n, mostIgnored)], ", ")))
		if n > mostIgnored {
			say("and %d more that are ignored", n-mostIgnored)
		}
	}
	if !w.Merged {
		say("unmerged: %s not in %s", model.Counted(w.Ahead, "commit"), w.Base)
	}
	return append(why, w.Busy...)
}

// Line is the work tree in a few words: the branch, its distance from the base, and whether it is dirty.
func (w Worktree) Line() string {
	line := w.Branch.String()
	if w.Branch == "" {
		line = "no branch"
	}
	if w.Ahead > 0 {
		line += fmt.Sprintf(" ↑%d", w.Ahead)
	}
	if w.Behind > 0 {
		line += fmt.Sprintf(" ↓%d", w.Behind)
	}
	if w.Git.Dirty {
		line += " dirty"
	}
	return line
}
