package model

import (
	"slices"
	"strings"
)

// Links tie a WorkItem to threads (where work was left), to file todos (about which finding or plan task), and to other things
// worth naming.
type Links struct {
	Threads  []ThreadLink `json:"threads,omitempty"`
	TodoRefs []TodoRef    `json:"todo_refs,omitempty"`
	Refs     []Ref        `json:"refs,omitempty"`
}

// ThreadLink names a thread of a repository.
type ThreadLink struct {
	Repo   Text `json:"repo"`
	TaskID Text `json:"task_id"`
}

// LinkThread links an item to a thread of a repository.
func LinkThread(item ItemID, repo, task string) LinkWorkItem {
	return LinkWorkItem{WorkItemID: item, Add: Links{Threads: []ThreadLink{{Repo: Text(repo), TaskID: Text(task)}}}}
}

// TodoRef names a file todo of a session.
type TodoRef struct {
	TodosBase   Text `json:"todos_base"`
	QualifiedID Text `json:"qualified_id"`
}

// Ref names any other thing: a file, an issue, a pull request, an imported record.
type Ref struct {
	Kind  Text `json:"kind"`
	Ref   Text `json:"ref"`
	Title Text `json:"title,omitempty"`
}

// The kinds of references that vise itself makes: an item's own work tree, and the commit at which the work on it began in a
// work tree, as DIR@COMMIT.
const (
	RefWorktree Text = "worktree"
	refBegan    Text = "began"
)

// OwnWorktree is the directory of the item's own work tree; empty for none.
func (l Links) OwnWorktree() string {
	for _, r := range slices.Backward(l.Refs) {
		if r.Kind == RefWorktree {
			return string(r.Ref)
		}
	}
	return ""
}

// BeganAt is the reference to the commit at which the work began in a work tree.
func BeganAt(dir, commit string) Ref { return Ref{Kind: refBegan, Ref: Text(dir + "@" + commit)} }

// beganCommit is how many characters of a commit's name an event shows.
const beganCommit = 8

// began is the work tree and the commit in such a reference.
func (r Ref) began() (dir, commit string, ok bool) {
	i := strings.LastIndexByte(string(r.Ref), '@')
	if r.Kind != refBegan || i < 0 {
		return "", "", false
	}
	return string(r.Ref[:i]), string(r.Ref[i+1:]), true
}

// Began is the commit at which the work began in the work tree at dir; empty if not known.
func (l Links) Began(dir string) string {
	for _, r := range l.Refs {
		if in, commit, ok := r.began(); ok && in == dir {
			return commit
		}
	}
	return ""
}

// Worktree is the directory of the work on the item, by its links: its own work tree, else the one where work began last, else
// the repository of its last thread.
func (l Links) Worktree() string {
	if dir := l.OwnWorktree(); dir != "" {
		return dir
	}
	for _, r := range slices.Backward(l.Refs) {
		if dir, _, ok := r.began(); ok {
			return dir
		}
	}
	if n := len(l.Threads); n > 0 {
		return string(l.Threads[n-1].Repo)
	}
	return ""
}
