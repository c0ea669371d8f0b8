package console

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vise/model"
	"vise/model/workstate"
)

// fakeThreads are the threads and the git state of a repository at /src/shop.
type fakeThreads struct {
	mu      sync.Mutex // protects the rest
	threads map[workstate.ID]workstate.Thread
	active  workstate.ID
	git     workstate.Git
	lines   workstate.Lineages
	news    chan struct{}
}

func newFakeThreads() *fakeThreads {
	return &fakeThreads{
		threads: map[workstate.ID]workstate.Thread{}, lines: workstate.Lineages{}, news: make(chan struct{}, 1),
		git: workstate.Git{State: workstate.GitOK, Branch: "main", Head: "1111111"},
	}
}

func (f *fakeThreads) Pointer() workstate.Pointer {
	return workstate.Pointer{Present: true, ID: f.active}
}

func (f *fakeThreads) Thread(id workstate.ID) (workstate.Thread, bool, error) {
	t, ok := f.threads[id]
	return t, ok, nil
}

func (f *fakeThreads) Threads() ([]workstate.Thread, error) {
	return slices.Collect(maps.Values(f.threads)), nil
}

func (f *fakeThreads) Card(_ context.Context, links []model.ThreadLink) workstate.Card {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []workstate.ID
	for _, l := range links {
		ids = append(ids, workstate.ID(l.TaskID))
	}
	c, err := workstate.CardOf(f, workstate.Scene{Git: f.git, Lineages: f.lines}, ids)
	if err != nil {
		c.Problem = model.Text(err.Error())
	}
	return c
}

func (f *fakeThreads) Next(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-f.news:
		return nil
	}
}

// change edits the repository behind the console's back.
func (f *fakeThreads) change(edit func()) {
	f.mu.Lock()
	edit()
	f.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// threadDeed carries out what scripts do to threads:
//
//	thread ID {json}      lays a patch over a thread and saves it here
//	active ID             makes it the repository's active one
//	git BRANCH HEAD       what is checked out
//	line HEAD reachable   how a saved commit stands to HEAD
//	link ITEM ID          links an item to a thread
func (wd *world) threadDeed(verb, name, rest string) bool {
	f := wd.threads
	switch verb {
	case "thread":
		p, err := workstate.ParsePatch([]byte(rest))
		if err != nil {
			wd.t.Fatal(err)
		}
		f.change(func() {
			t, ok := f.threads[workstate.ID(name)]
			if !ok {
				t = workstate.New(workstate.ID(name), "")
			}
			if t, _, err = t.Apply(p); err != nil {
				wd.t.Fatal(err)
			}
			t.Git = &workstate.GitContext{Available: true, Branch: f.git.Branch, Head: f.git.Head}
			t.UpdatedAt = workstate.Moment(time.Now())
			f.threads[t.ID] = t
		})
	case "active":
		f.change(func() { f.active = workstate.ID(name) })
	case "git":
		f.change(func() { f.git.Branch, f.git.Head = model.Text(name), rest })
	case "line":
		f.change(func() { f.lines[name] = workstate.Lineage(rest) })
	case "link":
		link := model.ThreadLink{Repo: "/src/shop", TaskID: model.Text(strings.TrimSpace(rest))}
		wd.do(model.LinkWorkItem{WorkItemID: wd.names[name], Add: model.Links{Threads: []model.ThreadLink{link}}})
	default:
		return false
	}
	return true
}
