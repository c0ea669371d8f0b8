package console

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"vise/model"
	"vise/model/thread"
)

// fakeThreads are the threads and the git state of a repository at /src/shop.
type fakeThreads struct {
	mu      sync.Mutex // protects the fields below
	threads map[thread.ID]thread.Thread
	active  thread.ID
	git     thread.Git
	lines   thread.Lineages
	news    chan struct{}
	// log has the calls of Act and Record.
	log []string
}

func newFakeThreads() *fakeThreads {
	return &fakeThreads{
		threads: map[thread.ID]thread.Thread{}, lines: thread.Lineages{thread.BranchRef + "feature/login": thread.Reachable}, news: make(chan struct{}, 1),
		git: thread.Git{State: thread.GitOK, Branch: "main", Head: "1111111"},
	}
}

func (f *fakeThreads) Pointer() thread.Pointer {
	return thread.Pointer{Present: true, ID: f.active}
}

func (f *fakeThreads) Thread(id thread.ID) (thread.Thread, bool, error) {
	t, ok := f.threads[id]
	return t, ok, nil
}

func (f *fakeThreads) Threads() ([]thread.Thread, error) {
	return slices.Collect(maps.Values(f.threads)), nil
}

func (f *fakeThreads) Card(_ context.Context, links model.Links) thread.Card {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []thread.ID
	for _, l := range links.Threads {
		ids = append(ids, thread.ID(l.TaskID))
	}
	c, err := thread.CardOf(f, thread.Stamp{Git: f.git, Lineages: f.lines}, ids)
	if err != nil {
		c.Problem = model.Text(err.Error())
	}
	if dir := links.OwnWorktree(); dir != "" {
		c.Worktree = thread.Worktree{Path: model.Text(dir), Branch: "limiter", Ahead: 2, Behind: 1, Git: thread.Git{Dirty: true}}
	}
	c.Repo = "/src/shop"
	return c
}

func (f *fakeThreads) All(context.Context) []thread.Overview {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := thread.OverviewOf(f, thread.Stamp{Git: f.git, Lineages: f.lines})
	if err != nil {
		r.Problem = model.Text(err.Error())
	}
	r.Repo = "/src/shop"
	return []thread.Overview{r}
}

// Act judges a command like the store, and keeps what it changes.
func (f *fakeThreads) Act(_ context.Context, a ThreadAct) (warnings []model.Text, err error) {
	f.change(func() {
		var c thread.Change
		c, err = a.Command.Do(f, thread.Stamp{At: thread.FormatTime(time.Now()), Git: f.git, Lineages: f.lines})
		for _, t := range c.Threads {
			f.threads[t.ID] = t
		}
		if c.Point != nil {
			f.active = c.Point.ID
		}
		for _, e := range c.Events {
			f.log = append(f.log, fmt.Sprint(e.Kind, " ", e.Thread, " ", e.Note))
		}
		warnings = c.Receipt.Warnings()
	})
	return warnings, err
}

// Record returns what would be run.
func (f *fakeThreads) Record(repo model.Text, argv []string) (*exec.Cmd, error) {
	f.change(func() { f.log = append(f.log, fmt.Sprintf("run in %s: %q", repo, argv)) })
	return nil, model.Refuse(model.CodeInternal, "a test has no terminal to give away")
}

func (f *fakeThreads) Next(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-f.news:
		return nil
	}
}

// change edits the repository without the console.
func (f *fakeThreads) change(edit func()) {
	f.mu.Lock()
	edit()
	f.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// changeThread carries out a script's changes of threads:
//
//	thread ID {json}      applies a patch to a thread and saves it here
//	active ID             makes it the repository's active one
//	git BRANCH HEAD       what is checked out
//	line HEAD reachable   the relation of a saved commit to HEAD
//	link ITEM ID          links an item to a thread
//	worktree ITEM         links an item to a work tree
func (wd *world) changeThread(verb, name, rest string) bool {
	f := wd.threads
	switch verb {
	case "thread":
		p, err := thread.ParsePatch([]byte(rest))
		if err != nil {
			wd.t.Fatal(err)
		}
		f.change(func() {
			t, ok := f.threads[thread.ID(name)]
			if !ok {
				t = thread.New(thread.ID(name), "")
			}
			if t, _, err = t.Apply(p); err != nil {
				wd.t.Fatal(err)
			}
			t.Git = &thread.GitContext{Available: true, Branch: f.git.Branch, Head: f.git.Head}
			t.UpdatedAt = thread.FormatTime(time.Now())
			f.threads[t.ID] = t
		})
	case "active":
		f.change(func() { f.active = thread.ID(name) })
	case "git":
		f.change(func() { f.git.Branch, f.git.Head = model.Text(name), rest })
	case "line":
		f.change(func() { f.lines[name] = thread.Lineage(rest) })
	case "link":
		link := model.ThreadLink{Repo: "/src/shop", TaskID: model.Text(strings.TrimSpace(rest))}
		wd.do(model.LinkWorkItem{WorkItemID: wd.names[name], Add: model.Links{Threads: []model.ThreadLink{link}}})
	case "worktree":
		wd.do(model.LinkWorkItem{WorkItemID: wd.names[name], Add: model.Links{Refs: []model.Ref{{Kind: "worktree", Ref: "/src/shop-limiter"}}}})
	default:
		return false
	}
	return true
}
