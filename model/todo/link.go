package todo

import (
	"strings"
	"unicode/utf8"

	"vise/model"
)

// Progress is how a row of a WorkItem's todo list stands that refers to a todo of status s:
// such a row is derived, never typed twice.
func (s Status) Progress() model.TodoState {
	switch {
	case s.Final():
		return model.TodoCompleted
	case s == InProgress:
		return model.TodoInProgress
	}
	return model.TodoPending
}

// Link is how a WorkItem names t, in the session whose todos directory is base.
func (t Todo) Link(base string) model.TodoRef {
	return model.TodoRef{TodosBase: model.Text(base), QualifiedID: model.Text(t.Ref())}
}

// Linked is the ref that a link names.
func Linked(l model.TodoRef) Ref { return Ref(l.QualifiedID) }

// Undecided lists the todos that a WorkItem links to and that are not final: completing it
// asks for a decision on each. Find looks a link up; what it does not find has no state
// to decide on, and is not listed.
func Undecided(links []model.TodoRef, find func(model.TodoRef) (Todo, bool)) []Todo {
	var open []Todo
	for _, l := range links {
		if t, ok := find(l); ok && !t.Status.Final() {
			open = append(open, t)
		}
	}
	return open
}

// Promote makes the objective and the plan of a WorkItem out of a finding: its title, and
// its text up to the sections that only the todo's own life concerns.
func Promote(t Todo, body string) (objective, plan model.Text) {
	title := []rune(OneLine(strings.ToValidUTF8(t.Title.Raw(), string(utf8.RuneError))))
	if len(title) > model.MaxObjective {
		title = title[:model.MaxObjective]
	}
	for _, own := range []string{"\n## Work Log", "\n## Status History"} {
		body, _, _ = strings.Cut(body, own)
	}
	return model.Text(title), model.Text(strings.TrimSpace(body) + "\n")
}
