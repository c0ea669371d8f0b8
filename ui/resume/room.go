package resume

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Ledger is what a room asks of the ledger.
type Ledger interface {
	View(context.Context, func(model.Reader) error) error
}

// patience is how long an act on an item waits for its thread, at most.
const patience = 3 * time.Second

// After carries an act that the ledger accepted over to the threads of the items of the
// act, in every repository that the items link to. Nothing is asked of git where no item of
// the act has a thread. What went wrong, or is worth knowing, comes back as warnings for
// the receipt.
func (r Room) After(ctx context.Context, l Ledger, c model.Command, in model.Receipt) []model.Warning {
	if end, ok := c.(model.EndTask); ok {
		return r.ended(ctx, l, end)
	}
	acts := actsOf(c, in)
	if len(acts) == 0 {
		return nil
	}
	found, err := follow(ctx, l, threads.FindRoot(r.Dir), acts)
	if err != nil {
		return []model.Warning{trouble("the threads did not follow", err)}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var warnings []model.Warning
	for _, place := range found {
		warnings = append(warnings, r.at(ctx, place)...)
	}
	return warnings
}

// at makes the threads of one repository follow.
func (r Room) at(ctx context.Context, p place) []model.Warning {
	desk, done := r.Sit(ctx, p.repo.Root(), "work_item")
	defer done()
	var warnings []model.Warning
	for _, f := range p.followed {
		if r.Abandon != nil && f.want.Status == thread.Resolved {
			f.want = r.Abandon.bookmark()
		}
		if f.want.Status.Ended() {
			f.want.Anyway = r.Anyway
		}
		warnings = append(warnings, desk.mark(ctx, f)...)
	}
	return warnings
}

func trouble(what string, err error) model.Warning {
	return model.Warning{Kind: model.WarnThreadNotFollowed, Message: fmt.Sprintf("%s: %v", what, model.Text(err.Error()))}
}

// mark makes an item's threads stand as it wants.
func (d *Desk) mark(ctx context.Context, f followed) []model.Warning {
	targets, warnings := d.targets(f)
	for _, id := range targets {
		a, err := d.Apply(ctx, thread.Follow{Thread: id, Wanted: f.want})
		if err != nil {
			warnings = append(warnings, trouble("thread "+string(id)+" did not follow", err))
			continue
		}
		if f.want.Status.Ended() {
			warnings = append(warnings, leftOpen(a.Thread)...)
		}
	}
	return warnings
}

// leftOpen lists the gaps of a thread that ended all the same.
func leftOpen(t thread.Thread) []model.Warning {
	if len(t.Gaps) == 0 {
		return nil
	}
	told := make([]string, len(t.Gaps))
	for i, g := range t.Gaps {
		told[i] = fmt.Sprintf("%v: %v", model.Text(g.Severity), g.Summary)
	}
	things := "gaps"
	if len(told) == 1 {
		things = "gap"
	}
	return []model.Warning{{Kind: model.WarnThreadGaps, Message: fmt.Sprintf("thread %s is %s with %d open %s: %s", t.ID, t.Status, len(told), things, strings.Join(told, "; "))}}
}

// targets are those of an item's threads that should follow: to go on, the newest that is
// loadable; to rest, those in progress; else all that are not ended. Parked ones stay, and
// are told where somebody asks for them.
func (d *Desk) targets(f followed) (ids []thread.ID, warnings []model.Warning) {
	err := d.Read(func(s *threads.Snapshot) error {
		ids, warnings = nil, nil
		var live []thread.Thread
		for _, id := range f.threads {
			t, there, err := s.Thread(id)
			switch {
			case err != nil:
				warnings = append(warnings, trouble("thread "+string(id)+" cannot be read", err))
			case !there:
				warnings = append(warnings, model.Warning{Kind: model.WarnThreadNotFollowed, Message: fmt.Sprintf("thread %s is linked and not there", id)})
			case f.want.Lift && !t.Waits():
			case !t.Status.Ended() && (f.want.Lift || f.want.Status != thread.Paused || f.want.Next != "" || t.Status == thread.InProgress):
				live = append(live, t)
			}
		}
		for _, t := range thread.Newest(live) {
			j, err := d.Judge(t, "")
			if err != nil {
				return err
			}
			switch {
			case j.Loadable && (f.want.Status != thread.InProgress || len(ids) == 0):
				ids = append(ids, t.ID)
			case !j.Loadable && (f.picked || f.want.Status.Ended()):
				warnings = append(warnings, model.Warning{Kind: model.WarnThreadParked, Message: fmt.Sprintf("thread %s is %v", t.ID, j.Line())})
			}
		}
		return nil
	})
	if err != nil {
		return nil, []model.Warning{trouble("the thread of this repository did not follow", err)}
	}
	return ids, warnings
}
