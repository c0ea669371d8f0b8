package cli

import (
	"fmt"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
)

func (v *threadVerbs) status() verb {
	var all bool
	return verb{
		use: "status", short: "Show the active thread, if it belongs here", flags: flags{{"all", &all, "list every thread"}},
		example: "vise thread status",
		run: v.reading(func(at *home.Repository, s *threads.Snapshot) (answer, error) {
			if all {
				return listThreads(at, s)
			}
			none := thread.View{}.With("active", false)
			t, source, err := thread.ActiveOf(s)
			if err != nil {
				return nil, err
			}
			if t.ID == "" {
				why := thread.NoneActive(s)
				return &reply{data: none.With("hint", why.Hint), lines: []string{"No active thread.", why.Hint}}, s.Unread()
			}
			j, err := at.Judge(t, source)
			if err != nil {
				return nil, err
			}
			status := j.View(t.ID).With("source", source)
			if !j.Loadable {
				k := thread.Row{Thread: t, Source: source, Check: j}
				return &reply{
					data:  none.With("skipped_work_state", k.ParkedView()).With("work_state_git_status", status),
					lines: append([]string{"No active thread here.", fmt.Sprintf("%s is %v", t.ID, j.Line())}, threadRemedies(j, t.ID)...),
				}, nil
			}
			return &reply{
				data:     t.View().With("active", true).With("work_state_git_status", status),
				warnings: threadWarning(j), lines: threadCard(t, j, at.Stamp.Git),
			}, nil
		}),
	}
}

func (v *threadVerbs) list() verb {
	var everywhere bool
	return verb{
		use: "list", short: "List every thread, the newest first",
		example: "vise thread list",
		flags:   flags{{"everywhere", &everywhere, "those to take up, here and in the repositories that open work items link to"}},
		run: func(e *Env) (answer, error) {
			if !everywhere {
				return v.reading(listThreads)(e)
			}
			in := threadsOf(v.Env, v.actor)
			h, err := open(v.Env)
			if err != nil && !home.NoHome(err) {
				return nil, err
			}
			r := &reply{}
			var repos []thread.View
			for _, x := range in.List(v, h) {
				repos = append(repos, x.View())
				r.say("%v", x.Repo)
				if x.Problem != "" {
					r.warnings = append(r.warnings, threadWarnings(x.Repo+": "+x.Problem)...)
				}
				for _, b := range x.Rows {
					r.say("%s", threadRowLine(b))
				}
			}
			r.data = thread.View{}.With("repositories", repos)
			return r, nil
		},
	}
}

func listThreads(at *home.Repository, s *threads.Snapshot) (answer, error) {
	all, err := s.Threads()
	if err != nil {
		return nil, err
	}
	active, source, err := thread.ActiveOf(s)
	if err != nil {
		active = thread.Thread{}
	}
	r := &reply{}
	var rows []thread.View
	for _, t := range thread.Newest(all) {
		from := thread.Source("")
		if t.ID == active.ID {
			from = source
		}
		row := thread.Row{Thread: t, Active: t.ID == active.ID}
		if !t.Status.Ended() {
			if row.Check, err = at.Judge(t, from); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row.View())
		r.say("%s [%s] %v", t.ID, threadMarks(row), t.Goal)
	}
	if len(rows) == 0 {
		r.lines = []string{"No threads."}
	}
	for _, b := range s.Broken() {
		r.warnings = append(r.warnings, threadWarnings(model.Textf("%v; see vise thread doctor", b.Cause))...)
	}
	r.data = thread.View{}.With("tasks", rows)
	return r, nil
}

func (v *threadVerbs) show() verb {
	return verb{
		use: "show ID", short: "Show a thread", args: to(&v.task),
		example: "vise thread show fix-login-token-refresh",
		run: v.reading(func(at *home.Repository, s *threads.Snapshot) (answer, error) {
			t, err := thread.Find(s, thread.Slug(v.task))
			if err != nil {
				return nil, err
			}
			j, err := at.Judge(t, "")
			data := t.View().With("work_state_git_status", j.View(t.ID))
			return &reply{data: data, warnings: threadWarning(j), lines: threadCard(t, j, at.Stamp.Git)}, err
		}),
	}
}

func (v *threadVerbs) prepare() verb {
	var said string
	return verb{
		use: "prepare", short: "Show what somebody who goes on with the work should know",
		example: "vise thread prepare",
		flags:   flags{{"work-state-json", &said, "a JSON object laid over what is shown, key by key; nothing is saved"}},
		run: v.reading(func(at *home.Repository, s *threads.Snapshot) (answer, error) {
			p, err := thread.Prepare(s, at.Stamp)
			if err != nil || said == "" {
				return preparedAnswer(p), err
			}
			patch, err := thread.ParsePatch([]byte(said))
			if err == nil {
				p, err = p.Overlay(patch)
			}
			return preparedAnswer(p), err
		}),
	}
}

func preparedAnswer(p thread.Prepared) answer {
	r := &reply{data: p.View(), warnings: threadWarning(p.Check)}
	if p.Unreadable != nil {
		r.warnings = append(r.warnings, threadWarnings(model.Text(p.Unreadable.Error()))...)
	}
	switch {
	case p.Active == nil:
		r.lines = []string{"No active thread."}
	case p.Active.Git == nil: // also for what was said about the work, beside a parked thread
		j, _ := thread.CheckBranch(nil, false, p.Git, nil)
		r.lines = threadCard(*p.Active, j, p.Git)
	default:
		r.lines = threadCard(*p.Active, p.Check, p.Git)
	}
	if p.Recent != nil {
		r.lines = append(append(r.lines, "Most recent:"), threadCard(*p.Recent, p.RecentCheck, p.Git)...)
	}
	for _, k := range p.Parked {
		r.say("Parked: %s (%v) wakes %v", k.Thread.ID, k.Thread.Goal, k.Check.Wake())
	}
	return r
}

func threadRowLine(b thread.Row) string {
	line := fmt.Sprintf("  %-12s %s: %v", b.State(), b.Thread.ID, b.Thread.Goal)
	for _, o := range b.Items {
		line += "  " + string(o.Handle)
	}
	if b.Parked() {
		line += fmt.Sprintf("; wakes %v", b.Check.Wake())
	}
	return model.Text(line).String()
}

// threadCard returns a thread for people: the summary first, then what a person needs to continue.
func threadCard(t thread.Thread, j thread.BranchCheck, now thread.Git) []string {
	lines := []string{threadSummary(t)}
	if t.Status != thread.InProgress {
		lines = append(lines, "  status     "+string(t.Status))
	}
	for _, r := range t.Details(j, now) {
		lines = append(lines, fmt.Sprintf("  %-10s %v", r.Label, r.Text))
	}
	return lines
}

func threadSummary(t thread.Thread) string {
	if s := t.Summary(); s != "" {
		return fmt.Sprint(s)
	}
	return string(t.ID)
}

func threadRemedies(j thread.BranchCheck, id thread.ID) []string {
	var out []string
	for _, r := range j.Remedies(id) {
		out = append(out, fmt.Sprintf("  %-10s %v", r.Kind, r.Command))
	}
	return out
}

func threadMarks(row thread.Row) string {
	s := string(row.Thread.Status)
	if row.Active {
		s += " active"
	}
	if row.Check.Reason != "" && !row.Check.Loadable {
		s += " parked"
	}
	return s
}

func threadWarning(j thread.BranchCheck) []model.Warning {
	if j.Warning == "" || !j.Loadable {
		return nil
	}
	return threadWarnings(j.Warning)
}

// threadWarnings returns the threads' messages as warnings.
func threadWarnings(list ...model.Text) []model.Warning { return warningsOf(model.WarnThread, list) }
