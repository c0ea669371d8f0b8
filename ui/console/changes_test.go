package console

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vise/model"
	"vise/model/thread"
)

// fakeChanges are the files that differ in work trees, the same in all.
type fakeChanges struct {
	mu      sync.Mutex // protects the fields below
	files   []thread.DiffFile
	patches map[model.Text]string
	problem model.Text
	news    chan struct{}
	// contents are the contents of the work trees; refresh reports that to the ledger for an item.
	contents string
	refresh  func(id model.ItemID, contents string)
	// read counts how often files' lines were read.
	read int
}

func newFakeChanges() *fakeChanges {
	return &fakeChanges{patches: map[model.Text]string{}, news: make(chan struct{}, 1), contents: "as it began"}
}

// Diff is part of Changes.
func (f *fakeChanges) Diff(_ context.Context, links model.Links, space bool) thread.Diff {
	f.mu.Lock()
	defer f.mu.Unlock()
	began := links.Began(links.Worktree())
	return thread.Diff{Dir: model.Text(links.Worktree()), Base: "ab12cd34ef5678901234", Began: began != "", Since: "main",
		Files: append([]thread.DiffFile(nil), f.files...), Problem: f.problem}
}

// Hunks is part of Changes.
func (f *fakeChanges) Hunks(_ context.Context, _ thread.Diff, x thread.DiffFile, _ bool) thread.Hunks {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read++
	return thread.ParseHunks([]byte(f.patches[x.Path]))
}

// Hash is part of Changes.
func (f *fakeChanges) Hash(_ context.Context, _ string, file model.Text) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.patches[file]
}

// Altered is part of Changes.
func (f *fakeChanges) Altered(_ context.Context, _ string, list []model.Commented) map[model.CommentID]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[model.CommentID]bool{}
	for _, x := range list {
		out[x.ID] = !strings.Contains(f.patches[x.File], x.Quote.Raw())
	}
	return out
}

// Watch is part of Changes.
func (f *fakeChanges) Watch(context.Context, string) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.news:
			return nil
		}
	}
}

// Refresh is part of Changes.
func (f *fakeChanges) Refresh(_ context.Context, id model.ItemID) error {
	f.mu.Lock()
	contents := f.contents
	f.mu.Unlock()
	f.refresh(id, contents)
	return nil
}

// edit changes the contents of the work trees.
func (f *fakeChanges) edit(contents string) {
	f.mu.Lock()
	f.contents = contents
	f.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// change makes a file differ: its letter, its path, and its patch; without a patch it is unchanged again.
func (f *fakeChanges) change(letter, path, patch string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := thread.DiffFile{Status: letter[0], Path: model.Text(path), Print: patch, Counted: patch != "binary", Binary: patch == "binary"}
	for _, h := range thread.ParseHunks([]byte(patch)).List {
		for _, l := range h.Lines {
			x.Added += map[byte]int{'+': 1}[l.Sign]
			x.Removed += map[byte]int{'-': 1}[l.Sign]
		}
	}
	f.patches[x.Path] = patch
	var kept []thread.DiffFile
	for _, old := range f.files {
		if old.Path != x.Path {
			kept = append(kept, old)
		}
	}
	if f.files = kept; patch != "" {
		f.files = append(f.files, x)
	}
	slices.SortFunc(f.files, func(a, b thread.DiffFile) int { return strings.Compare(string(a.Path), string(b.Path)) })
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// changeTree carries out what happens in a work tree; false: verb is not of this kind.
func (wd *world) changeTree(verb, name, rest string) bool {
	switch verb {
	case "began": // work on an item, in a work tree
		wd.do(model.LinkWorkItem{WorkItemID: wd.names[name], Add: model.Links{Refs: []model.Ref{model.BeganAt(rest, "ab12cd34ef5678901234")}}})
	case "differs": // a file: its letter, its path and its patch
		path, patch, _ := strings.Cut(rest, " ")
		wd.changes.change(name, unescaped(path), unescaped(patch))
	case "comment": // the operator's at another console, on a file
		file, words, _ := strings.Cut(rest, " ")
		on := model.CommentOn{WorkItemID: wd.names[name], File: model.Text(file), Text: model.Text(words)}
		wd.doAs(model.Operator, on)
	case "check": // of an item, how it ended and which it was, in a work tree
		end, command, _ := strings.Cut(rest, " ")
		check := model.KeepCheck{WorkItemID: wd.names[name], Command: model.Text(unescaped(command)), Dir: "/src/gateway",
			Head: "ab12cd34ef5678901234", Dirty: true, Contents: wd.changes.contents}
		if n, err := strconv.Atoi(end); err == nil {
			check.ExitStatus = &n
		}
		wd.do(check)
	case "edited": // somebody changes files of the work tree
		wd.changes.edit(name)
	case "evidence": // the policy of an agent, and the required check
		policy, command, _ := strings.Cut(rest, " ")
		wd.doAs(model.Operator, model.UpdateAgent{AgentID: model.AgentID(name), Evidence: new(model.EvidencePolicy(policy)),
			CheckCommand: new(model.Text(command))})
	case "overlap": // with another agent's item, in a file; n: a line that both change
		with, file, _ := strings.Cut(rest, " ")
		file, line, _ := strings.Cut(file, " ")
		note := model.NoteOverlap{WorkItemID: wd.names[name], With: wd.names[with], File: model.Text(unescaped(file)), Apart: line == ""}
		if n, err := strconv.Atoi(line); err == nil {
			note.Lines = []model.LineRange{{From: n, To: n + 2}}
		}
		wd.doAs(model.Watcher, note)
	case "nodiff": // there is none, with the reason
		wd.changes.mu.Lock()
		wd.changes.problem = model.Text(name + " " + rest)
		wd.changes.mu.Unlock()
	default:
		return false
	}
	return true
}
