package resume

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

// The bounds of a radar: how many open items it reads, to how many repositories it goes
// beside the one around the room, and how long it looks.
const (
	radarItems  = 500
	radarRepos  = 16
	radarBudget = 6 * time.Second
)

// Radar is every thread that somebody may take up: those of the repository around the room,
// then those of the repositories that open work items link to. It changes nothing.
func (r Room) Radar(ctx context.Context, l Ledger) []thread.Overview {
	ctx, cancel := context.WithTimeout(ctx, radarBudget)
	defer cancel()
	here := threads.FindRoot(r.Dir)
	owners, err := ownersOf(ctx, l)
	roots := []string{here}
	for _, root := range slices.Sorted(maps.Keys(owners)) {
		if at, _ := threads.At(here).Linked([]model.ThreadLink{{Repo: model.Text(root), TaskID: "x"}}); len(at) > 0 {
			if root != here {
				owners[here] = append(owners[here], owners[root]...)
			}
		} else if len(roots) <= radarRepos {
			roots = append(roots, root)
		}
	}
	var out []thread.Overview
	for _, root := range roots {
		radar := r.radar(ctx, root, owners[root])
		if root == here && err != nil {
			radar.Problem = model.Text("which items the threads belong to is not known: " + err.Error())
		}
		if root == here || len(radar.Rows) > 0 || radar.Problem != "" {
			out = append(out, radar)
		}
	}
	return out
}

func (r Room) radar(ctx context.Context, root string, owned []owned) thread.Overview {
	desk, done := r.Sit(ctx, root, "radar")
	defer done()
	var radar thread.Overview
	err := desk.Read(func(s *threads.Snapshot) (err error) {
		radar, err = thread.OverviewOf(s, desk.Scene)
		return err
	})
	if err != nil {
		radar.Problem = model.Text(err.Error())
	}
	radar.Repo = model.Text(root)
	for i, b := range radar.Rows {
		for _, o := range owned {
			if o.thread == b.Thread.ID {
				radar.Rows[i].Items = append(radar.Rows[i].Items, o.Owner)
			}
		}
	}
	return radar
}

// owned is a link seen from the thread.
type owned struct {
	thread thread.ID
	thread.Owner
}

// ownersOf are the open items with threads, by repository.
func ownersOf(ctx context.Context, l Ledger) (map[string][]owned, error) {
	out := map[string][]owned{}
	if l == nil {
		return out, nil
	}
	err := l.View(ctx, func(r model.Reader) error {
		out = map[string][]owned{}
		left := radarItems
		for _, a := range r.Agents("", model.MaxLimit) {
			for _, class := range model.Classes[:5] {
				rows := r.Rows(a.ID, class, nil, left)
				left -= len(rows)
				for _, row := range rows {
					item, _ := r.Item(row.ID)
					for _, link := range item.Links.Threads {
						if root := filepath.Clean(link.Repo.Raw()); filepath.IsAbs(root) { // raw: compared, not shown
							out[root] = append(out[root], owned{thread.Slug(link.TaskID.Raw()), thread.Owner{Agent: a.ID, Item: item.ID, Handle: item.Handle}}) // raw: compared, not shown
						}
					}
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
