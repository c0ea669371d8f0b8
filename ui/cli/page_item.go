package cli

import (
	"strings"

	"vise/model"
	"vise/themes"
)

// changed says what was done to an item, in one line.
func (p *page) changed(did string, v model.View) {
	mark, name := className(v.Class)
	p.line("%s %s %s  %s", did, p.strong(string(v.Handle)), v.Objective, p.class(v.Class, mark+" "+name))
}

// item writes everything that a view tells.
func (p *page) item(v model.View, waits []model.Wait) {
	mark, name := className(v.Class)
	p.line("%s  %s", p.strong(string(v.Handle)), p.strong(v.Objective.String()))
	p.line("%s · %s · plan %s · revision %d", p.class(v.Class, mark+" "+name), strings.ReplaceAll(string(v.Scheduling), "_", " "), v.PlanStatus, v.Revision)
	p.line("%s", p.muted("id "+string(v.ID)+" · agent "+string(v.AgentID)+" · created "+when(v.CreatedAt)+" · updated "+when(v.UpdatedAt)))
	if v.BlockedBy != "" {
		p.line("")
		p.block("blocked by", v.BlockedBy)
	}
	if !v.RecheckAt.IsZero() && v.BlockedBy != "" {
		p.line("recheck       %s", when(v.RecheckAt))
	}
	p.todos(v.TodoList)
	p.waits(waits)
	p.plan(v.Plan)
	if v.Report != nil {
		p.line("")
		p.line("%s", p.strong("Report")+p.muted(" "+string(v.Report.By)))
		p.indented(v.Report.Text)
	}
	for _, d := range v.Diagnostics {
		p.line("! %s", strings.ReplaceAll(d, "_", " "))
	}
}

func (p *page) block(label string, t model.Text) {
	lines := t.Lines()
	if len(lines) == 0 {
		return
	}
	p.line("%-13s %s", label, lines[0])
	for _, l := range lines[1:] {
		p.line("%-13s %s", "", l)
	}
}

func (p *page) indented(t model.Text) {
	for _, l := range t.Lines() {
		p.line("  %s", l)
	}
}

func (p *page) todos(list []model.Todo) {
	if len(list) == 0 {
		return
	}
	done, _, total := model.WorkItem{TodoList: list}.TodoCounts()
	p.line("")
	p.line("%s %d/%d", p.strong("Todos"), done, total)
	for _, t := range list {
		p.line("  %s %s", todoMark(t.State), t.Text)
	}
}

func todoMark(s model.TodoState) string {
	switch s {
	case model.TodoCompleted:
		return themes.Unicode.Done
	case model.TodoInProgress:
		return themes.Unicode.InProgress
	}
	return themes.Unicode.Pending
}

func (p *page) waits(list []model.Wait) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.strong("Waits"))
	for _, x := range list {
		p.wait(x)
	}
}

func (p *page) wait(x model.Wait) {
	state := "pending"
	switch {
	case x.Triggered():
		state = "triggered " + p.age(x.LastTriggeredAt) + " ago"
	case x.Status == model.WaitCancelled:
		state = "cancelled"
	}
	p.line("  %s  %s, %s: %s", x.ID, x.Kind, state, x.Reason)
	if x.Ask.Question != "" {
		p.line("      asks: %s", x.Ask.Question)
	}
	for i, c := range x.Ask.Choices {
		p.line("      %d  %s", i+1, c)
	}
	if !x.WakeAt.IsZero() {
		p.line("      at %s", when(x.WakeAt))
	}
	if x.Triggered() && x.LastTrigger.Payload != "" {
		p.line("      trigger: %s", x.LastTrigger.Payload)
	}
}

// plan writes what is known of a plan file, and the beginning of its text.
func (p *page) plan(a model.PlanArtifact) {
	p.line("")
	p.line("%s %s", p.strong("Plan"), p.muted(planWords(a)))
	p.indented(a.Preview)
	if a.Condition == model.PlanOK && !a.PreviewComplete {
		p.line("  … vise plan show tells the rest")
	}
}

func planWords(a model.PlanArtifact) string {
	path := model.Text(a.Path).String()
	if a.Condition == model.PlanOK {
		if a.Bytes == 0 {
			return path + " (empty)"
		}
		return path
	}
	return path + " (" + strings.ReplaceAll(string(a.Condition), "_", " ") + ")"
}
