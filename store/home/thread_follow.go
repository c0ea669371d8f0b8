package home

import (
	"context"
	"fmt"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Ending says how the threads of an item end that is completed.
type Ending struct {
	// Abandon: the work is given up, and its threads end abandoned.
	Abandon *Abandonment
	// Anyway is why the item is completed although its threads speak against it.
	Anyway model.Text
}

// Abandonment is why work is given up.
type Abandonment struct {
	Reason model.Text
	// DeadEnd records what was tried as a dead end, with the reason.
	DeadEnd bool
}

// of is how a thread is to stand after all.
func (e Ending) of(want thread.Wanted) thread.Wanted {
	if e.Abandon != nil && want.Status == thread.Resolved {
		want = thread.Wanted{Status: thread.Abandoned}
		if e.Abandon.DeadEnd {
			want.GivenUp = e.Abandon.Reason
		}
	}
	if want.Status.Ended() {
		want.Anyway = e.Anyway
	}
	return want
}

// follow makes the threads of items stand as a command left the items. Nothing is asked of
// git where there are none. What went wrong, or is worth knowing, comes back as warnings.
func (t Threads) follow(ctx context.Context, items []itemThreads, end Ending) (warnings []model.Warning) {
	if len(items) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, followLimit)
	defer cancel()
	for _, p := range byRepository(t.root(), items) {
		r, done := t.At(ctx, p.root, "work_item")
		for _, x := range p.items {
			x.want = end.of(x.want)
			warnings = append(warnings, r.mark(ctx, x)...)
		}
		done()
	}
	return warnings
}

func notFollowed(what string, err error) model.Warning {
	return model.Warning{Kind: model.WarnThreadNotFollowed, Message: fmt.Sprintf("%s: %v", what, model.Text(err.Error()))}
}

// mark makes an item's threads stand as it wants.
func (r *Repository) mark(ctx context.Context, x itemThreads) []model.Warning {
	targets, warnings := r.targets(x)
	for _, id := range targets {
		a, err := r.Apply(ctx, thread.Follow{Thread: id, Wanted: x.want})
		if err != nil {
			warnings = append(warnings, notFollowed("thread "+string(id)+" did not follow", err))
			continue
		}
		if x.want.Status.Ended() {
			warnings = append(warnings, openGaps(a.Thread)...)
		}
	}
	return warnings
}

// openGaps lists the gaps of a thread that ended all the same.
func openGaps(t thread.Thread) []model.Warning {
	if len(t.Gaps) == 0 {
		return nil
	}
	gaps := make([]string, len(t.Gaps))
	for i, g := range t.Gaps {
		gaps[i] = fmt.Sprintf("%v: %v", model.Text(g.Severity), g.Summary)
	}
	things := "gaps"
	if len(gaps) == 1 {
		things = "gap"
	}
	return []model.Warning{{Kind: model.WarnThreadGaps,
		Message: fmt.Sprintf("thread %s is %s with %d open %s: %s", t.ID, t.Status, len(gaps), things, strings.Join(gaps, "; "))}}
}

// targets are those of an item's threads that should follow: to go on, the newest that is
// loadable; to rest, those in progress; else all that have not ended. Parked ones stay, and
// are named where somebody asks for them.
func (r *Repository) targets(x itemThreads) (ids []thread.ID, warnings []model.Warning) {
	err := r.Read(func(s *threads.Snapshot) error {
		var live []thread.Thread
		live, warnings = x.live(s)
		ids = nil
		for _, t := range thread.Newest(live) {
			j, err := r.Judge(t, "")
			if err != nil {
				return err
			}
			switch {
			case j.Loadable && (x.want.Status != thread.InProgress || len(ids) == 0):
				ids = append(ids, t.ID)
			case !j.Loadable && (x.picked || x.want.Status.Ended()):
				warnings = append(warnings, model.Warning{Kind: model.WarnThreadParked, Message: fmt.Sprintf("thread %s is %v", t.ID, j.Line())})
			}
		}
		return nil
	})
	if err != nil {
		return nil, []model.Warning{notFollowed("the thread of this repository did not follow", err)}
	}
	return ids, warnings
}

// live are the item's threads that its new standing concerns.
func (x itemThreads) live(s *threads.Snapshot) (live []thread.Thread, warnings []model.Warning) {
	for _, id := range x.ids {
		t, there, err := s.Thread(id)
		switch {
		case err != nil:
			warnings = append(warnings, notFollowed("thread "+string(id)+" cannot be read", err))
		case !there:
			warnings = append(warnings, model.Warning{Kind: model.WarnThreadNotFollowed, Message: fmt.Sprintf("thread %s is linked and not there", id)})
		case x.want.Lift && !t.Waits():
		case !t.Status.Ended() && (x.want.Lift || x.want.Status != thread.Paused || x.want.Next != "" || t.Status == thread.InProgress):
			live = append(live, t)
		}
	}
	return live, warnings
}
