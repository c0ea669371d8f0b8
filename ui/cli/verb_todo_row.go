package cli

import (
	"fmt"
	"slices"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// row is a todo as commands show it: the content of the file, and what follows from it.
type row struct {
	ID file.Ref `json:"id"`
	file.Todo
	WaitingOn []file.Wait `json:"waiting_on"`
	// Dismissed is an earlier todo that says the same and was dismissed.
	Dismissed *row        `json:"dismissed_before,omitempty"`
	Stale     *file.Stale `json:"stale,omitempty"`
	// name is the todo's name on its line.
	name file.Ref
}

// row returns a todo as commands show it, with lists that are never null. Without an index, it does not say what the todo waits for.
func (at *todoSession) row(t file.Todo, x *file.Index) row {
	t.Tags, t.Files, t.WorkflowChain = listed(t.Tags), listed(t.Files), listed(t.WorkflowChain)
	t.Dependencies, t.Related = listed(t.Dependencies), listed(t.Related)
	r := row{ID: t.Ref(), Todo: t, name: at.label(t.Ref()), WaitingOn: []file.Wait{}}
	if x != nil {
		r.WaitingOn = append(r.WaitingOn, x.Waiting(t)...)
	}
	return r
}

// brief removes the parts that only show prints.
func (r row) brief() row {
	r.History, r.Notes = nil, nil
	return r
}

// line returns a row for people.
func (r row) line() string {
	s := fmt.Sprintf("%-16s %s  %-11s %s", r.name, r.Priority, r.Status, r.Title)
	if r.AssignedTo != "" && !r.Status.Final() {
		s += fmt.Sprintf("  [%s]", r.AssignedTo)
	}
	if r.Resolution != "" && r.Status == file.WontFix {
		s += fmt.Sprintf("  (%s)", r.Resolution)
	}
	if len(r.WaitingOn) > 0 {
		s += "  waiting on " + file.JoinWaits(r.WaitingOn)
	}
	if r.Stale != nil {
		s += "  stale: " + r.Stale.Reason
	}
	if r.Dismissed != nil {
		s += fmt.Sprintf("\n%18sdismissed before, %s", "", r.Dismissed.Dismissal(r.Session))
	}
	return s
}

// one answers with a single todo after an act.
func (at *todoSession) one(t file.Todo, err error) (answer, error) {
	if err != nil {
		return nil, err
	}
	var x *file.Index
	var warnings []model.Warning
	if len(t.Dependencies) > 0 {
		snap, err := at.Load(false)
		if x = snap.Index; err != nil { // the todo is saved
			x, warnings = nil, todoWarnings("saved; what it waits on could not be read: "+fault(err).Message)
		}
	}
	r := at.row(t, x)
	return &reply{data: map[string]any{"session": at.Rel, "todo": r}, warnings: warnings, lines: []string{r.line()}}, nil
}

// changed is the answer to an act on several todos.
type changed struct {
	reply
	rows     []row
	sessions []string
}

// add records the new state of a session's todos.
func (c *changed) add(at *todoSession, all ...file.Todo) {
	if !slices.Contains(c.sessions, at.Rel) {
		c.sessions = append(c.sessions, at.Rel)
	}
	for _, t := range all {
		r := at.row(t, nil).brief()
		c.rows, c.lines = append(c.rows, r), append(c.lines, r.line())
	}
}

// answer reports what was changed. Session is empty if there were several.
func (c *changed) answer(none string) answer {
	session := ""
	if len(c.sessions) == 1 {
		session = c.sessions[0]
	}
	c.data = map[string]any{"session": session, "todos": listed(c.rows)}
	if len(c.rows) == 0 {
		c.lines = []string{none}
	}
	return &c.reply
}

// each changes the todos with these ids in order, each in the session that holds it.
func (v *todoVerbs) each(ids []string, none string, m file.Move, judge file.Judgement) (answer, error) {
	var out changed
	for _, id := range ids {
		at, word, err := v.holding(id)
		if err == nil {
			var t file.Todo
			if t, err = at.Change(word, v.by(m), judge); err == nil {
				out.add(at, t)
			}
			at.Close()
		}
		if err != nil && len(out.rows) > 0 {
			err = fmt.Errorf("after %d were done: %w", len(out.rows), err)
		}
		if err != nil {
			return nil, err
		}
	}
	return out.answer(none), nil
}

// damageLines returns for people what could not be read.
func damageLines(damaged []todos.Damage) []string {
	out := make([]string, len(damaged))
	for i, d := range damaged {
		out[i] = fmt.Sprintf("%s/%s/%s is damaged: %s (%s); left as it is", d.Session, safe(d.Source), safe(d.File), safe(d.Reason), d.Rule)
	}
	return out
}

// todoWarnings returns sentences about file todos as warnings.
func todoWarnings(list ...string) []model.Warning { return warningsOf(model.WarnFileTodos, list) }
