package home

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Bounds of a list of threads: how many open items are read, how many repositories beside
// the one around the working directory, and how long all of it may take.
const (
	listedItems = 500
	listedRepos = 16
	listLimit   = 6 * time.Second
)

// Viewer reads the ledger; a *Home is one.
type Viewer interface {
	View(context.Context, func(model.Reader) error) error
}

// List is every thread that somebody may take up: those of the repository around the
// working directory, then those of the repositories that open work items link to. It
// changes nothing. l is nil where there is no home.
func (t Threads) List(ctx context.Context, l Viewer) []thread.Overview {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	here := t.root()
	owners, err := threadOwners(ctx, l)
	roots := []string{here}
	for _, root := range slices.Sorted(maps.Keys(owners)) {
		if at, _ := threads.At(here).Linked([]model.ThreadLink{{Repo: model.Text(root), TaskID: "x"}}); len(at) > 0 {
			if root != here {
				owners[here] = append(owners[here], owners[root]...)
			}
		} else if len(roots) <= listedRepos {
			roots = append(roots, root)
		}
	}
	var out []thread.Overview
	for _, root := range roots {
		list := t.listOf(ctx, root, owners[root])
		if root == here && err != nil {
			list.Problem = model.Text("which items the threads belong to is not known: " + err.Error())
		}
		if root == here || len(list.Rows) > 0 || list.Problem != "" {
			out = append(out, list)
		}
	}
	return out
}

func (t Threads) listOf(ctx context.Context, root string, owners []threadOwner) (list thread.Overview) {
	r, done := t.At(ctx, root, "radar")
	defer done()
	if err := r.Read(func(s *threads.Snapshot) (err error) {
		list, err = thread.OverviewOf(s, r.Scene)
		return err
	}); err != nil {
		list.Problem = model.Text(err.Error())
	}
	list.Repo = model.Text(root)
	for i, row := range list.Rows {
		for _, o := range owners {
			if o.thread == row.Thread.ID {
				list.Rows[i].Items = append(list.Rows[i].Items, o.Owner)
			}
		}
	}
	return list
}

// threadOwner is an item's link seen from the thread.
type threadOwner struct {
	thread thread.ID
	thread.Owner
}

// threadOwners are the open items with threads, by repository.
func threadOwners(ctx context.Context, l Viewer) (map[string][]threadOwner, error) {
	out := map[string][]threadOwner{}
	if l == nil {
		return out, nil
	}
	err := l.View(ctx, func(r model.Reader) error {
		clear(out)
		left := listedItems
		for _, a := range r.Agents("", model.MaxLimit) {
			for _, class := range model.Classes[:5] {
				rows := r.Rows(a.ID, class, nil, left)
				left -= len(rows)
				for _, row := range rows {
					item, _ := r.Item(row.ID)
					ownersOf(out, item)
				}
				if left <= 0 {
					return nil
				}
			}
		}
		return nil
	})
	return out, err
}

func ownersOf(out map[string][]threadOwner, w model.WorkItem) {
	for _, link := range w.Links.Threads {
		if root := filepath.Clean(link.Repo.Raw()); filepath.IsAbs(root) { // raw: compared, not shown
			id := thread.Slug(link.TaskID.Raw()) // raw: compared, not shown
			out[root] = append(out[root], threadOwner{id, thread.Owner{Agent: w.AgentID, Item: w.ID, Handle: w.Handle}})
		}
	}
}
