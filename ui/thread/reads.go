package thread

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

func (d *door) status() *cobra.Command {
	var all bool
	c := d.verb("status", "Show the active thread, if it belongs here", fromCLI, 0,
		func(_ context.Context, at *desk, _ []string) (r outcome, err error) {
			if all {
				return at.list()
			}
			err = at.Read(func(s *threads.Snapshot) error {
				r, err = at.active(s)
				return err
			})
			return r, err
		})
	c.Flags().BoolVar(&all, "all", false, "list every thread")
	return c
}

// active shows the active thread; a parked one is named, not shown as active.
func (d *desk) active(s *threads.Snapshot) (outcome, error) {
	none := thread.View{}.With("active", false)
	t, source, err := thread.ActiveOf(s)
	if err != nil {
		return outcome{}, err
	}
	if t.ID == "" {
		return outcome{data: none, human: []string{"No active thread."}}, nil
	}
	j, err := d.Judge(t, source)
	if err != nil {
		return outcome{}, err
	}
	status := j.View(t.ID).With("source", string(source))
	if !j.Loadable {
		k := thread.Parked{Thread: t, Source: source, Check: j}
		return outcome{
			data:  none.With("skipped_work_state", k.View()).With("work_state_git_status", status),
			human: append([]string{"No active thread here.", fmt.Sprintf("%s is %v", t.ID, j.Line())}, remedies(j, t.ID)...),
		}, nil
	}
	return outcome{
		data:     t.View().With("active", true).With("work_state_git_status", status),
		warnings: warning(j), human: card(t, j, d.Scene.Git),
	}, nil
}

func (d *door) list() *cobra.Command {
	var parked, everywhere bool
	c := d.verb("list", "List every thread, the newest first", fromCLI, 0,
		func(ctx context.Context, at *desk, _ []string) (r outcome, err error) {
			if everywhere {
				return at.everywhere(ctx)
			}
			if !parked {
				return at.list()
			}
			err = at.Read(func(s *threads.Snapshot) error {
				p, err := thread.Prepare(s, at.Scene)
				if err == nil {
					r = radar(p)
				}
				return err
			})
			return r, err
		})
	c.Flags().BoolVar(&parked, "parked", false, "only those that wait for another branch, with what would wake each")
	c.Flags().BoolVar(&everywhere, "everywhere", false, "those to take up, here and in the repositories that open work items link to")
	return c
}

// radar lists the parked threads with their ways out.
func radar(p thread.Prepared) outcome {
	rows := []thread.View{}
	var r outcome
	for _, k := range p.Parked {
		rows = append(rows, k.View().With("work_state_git_status", k.Check.View(k.Thread.ID)))
		r.human = append(r.human, fmt.Sprintf("%s: %v; %v; wakes %v", k.Thread.ID, k.Thread.Goal, k.Check.Warning, k.Check.Wake()))
		r.human = append(r.human, remedies(k.Check, k.Thread.ID)...)
	}
	if len(rows) == 0 {
		r.human = []string{"No parked threads."}
	}
	r.data = thread.View{}.With("parked", rows)
	return r
}

func (d *desk) list() (r outcome, err error) {
	err = d.Read(func(s *threads.Snapshot) error {
		r, err = d.rows(s)
		return err
	})
	return r, err
}

func (d *desk) rows(s *threads.Snapshot) (outcome, error) {
	all, err := s.Threads()
	if err != nil {
		return outcome{}, err
	}
	active, source, err := thread.ActiveOf(s)
	if err != nil {
		active = thread.Thread{}
	}
	var r outcome
	rows := []thread.View{}
	for _, t := range thread.Newest(all) {
		from := thread.Source("")
		if t.ID == active.ID {
			from = source
		}
		row := thread.Row{Thread: t, Active: t.ID == active.ID}
		if !t.Status.Ended() {
			if row.Check, err = d.Judge(t, from); err != nil {
				return outcome{}, err
			}
		}
		rows = append(rows, row.View())
		r.human = append(r.human, fmt.Sprintf("%s [%s] %v", t.ID, marks(row), t.Goal))
	}
	if len(rows) == 0 {
		r.human = []string{"No threads."}
	}
	for _, b := range s.Broken() {
		r.warnings = append(r.warnings, model.Text(fmt.Sprintf("%v; see vise thread doctor", b.Cause)))
	}
	r.data = thread.View{}.With("tasks", rows)
	return r, nil
}

func (d *door) show() *cobra.Command {
	return d.verb("show ID", "Show a thread", fromCLI, 1, func(_ context.Context, at *desk, args []string) (r outcome, err error) {
		err = at.Read(func(s *threads.Snapshot) error {
			t, err := thread.Find(s, thread.Slug(args[0]))
			if err != nil {
				return err
			}
			j, err := at.Judge(t, "")
			if err != nil {
				return err
			}
			r = outcome{data: t.View().With("work_state_git_status", j.View(t.ID)), warnings: warning(j), human: card(t, j, at.Scene.Git)}
			return nil
		})
		return r, err
	})
}

func (d *door) prepare() *cobra.Command {
	return d.verb("prepare", "What somebody who takes up the work here should know", fromCLI, 0,
		func(_ context.Context, at *desk, _ []string) (r outcome, err error) {
			err = at.Read(func(s *threads.Snapshot) error {
				p, err := thread.Prepare(s, at.Scene)
				if err == nil {
					r = prepared(p)
				}
				return err
			})
			return r, err
		})
}

func prepared(p thread.Prepared) outcome {
	r := outcome{data: p.View(), warnings: warning(p.Check)}
	if p.Unreadable != nil {
		r.warnings = append(r.warnings, model.Text(p.Unreadable.Error()))
	}
	switch {
	case p.Active != nil:
		r.human = card(*p.Active, p.Check, p.Git)
	case p.Recent != nil:
		r.human = append([]string{"No active thread. Most recent:"}, card(*p.Recent, p.RecentCheck, p.Git)...)
	default:
		r.human = []string{"No active thread."}
	}
	for _, k := range p.Parked {
		r.human = append(r.human, fmt.Sprintf("Parked: %s (%v) wakes %v", k.Thread.ID, k.Thread.Goal, k.Check.Wake()))
	}
	return r
}
