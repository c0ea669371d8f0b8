package todo

import (
	"testing"
	"time"

	"vise/model"
)

func TestAFindingIsItsWordsItsSnippetAndItsPlace(t *testing.T) {
	body := "# SQL injection\n\n## Problem Statement\n\nThe name is pasted.\n\n## Findings\n\n```go\nq := \"x\" + name\n\trun(q)\n```\n\n" +
		"## Proposed Solutions\n\n_None yet._\n\n## Work Log\n\nprivate\n"
	f := PartsOf(Todo{Title: "SQL injection", Files: []model.Text{"src/db.go:40-42", "b.go"}}, body)
	if f.Problem != "The name is pasted." || f.Snippet != "q := \"x\" + name\n\trun(q)" || f.File != "src/db.go" || f.Line != 40 {
		t.Errorf("got %+v", f)
	}
	if f := PartsOf(Todo{}, "no heading, ```no fence```"); f.Snippet != "" || f.Problem == "" || f.File != "" {
		t.Errorf("got %+v", f)
	}
}

func TestARowThatNamesALinkedTodoHasItsState(t *testing.T) {
	links := []model.TodoRef{{TodosBase: "b", QualifiedID: "review/003"}, {TodosBase: "b", QualifiedID: "review/009"}}
	find := func(l model.TodoRef) (Todo, bool) { return Todo{Status: Complete}, l.QualifiedID == "review/003" }
	list := []model.Todo{
		{Text: "review/003", State: model.TodoPending}, {Text: "review/003: close it", State: model.TodoInProgress},
		{Text: "review/004 is not linked", State: model.TodoPending}, {Text: "review/009 cannot be found", State: model.TodoInProgress},
		{Text: "see review/003", State: model.TodoPending}, {Text: "a/b testing/", State: model.TodoPending},
	}
	want := []model.TodoState{model.TodoCompleted, model.TodoCompleted, model.TodoPending, model.TodoInProgress,
		model.TodoPending, model.TodoPending}
	for i, got := range DeriveRows(list, links, find) {
		if got.State != want[i] {
			t.Errorf("%s: got %s, want %s", list[i].Text, got.State, want[i])
		}
	}
	if list[0].State != model.TodoPending {
		t.Error("the list that was given changed")
	}
}

func TestAnApprovalIsTakenBackByTheOperatorBeforeAnybodyClaims(t *testing.T) {
	m := Move{Actor: Actor{Name: User, Operator: true}, At: time.Unix(0, 0)}
	ready := Todo{Source: "review", IssueID: "001", Status: Ready}
	c, err := Unapprove(ready, m, nil)
	if err != nil || c.After.Status != Pending || len(c.Rows) != 1 || c.Rows[0].From != Ready || c.Rows[0].To != Pending {
		t.Errorf("got %+v, %v", c, err)
	}
	claimed := ready
	claimed.AssignedTo = "w"
	if _, err := Unapprove(claimed, m, nil); err == nil {
		t.Error("a claimed todo lost its approval")
	}
	if _, err := Unapprove(Todo{Status: Complete}, m, nil); err == nil {
		t.Error("a completed todo became pending")
	}
	m.Actor.Operator = false
	if _, err := Unapprove(ready, m, nil); err == nil {
		t.Error("an agent took an approval back")
	}
}

func TestFinishingTakesEveryStepThatTheTableAsksFor(t *testing.T) {
	m := Move{Actor: Actor{Name: User, Operator: true}, At: time.Unix(0, 0), Reason: "done with wi-1"}
	for from, rows := range map[Status]int{Pending: 1, Ready: 2, Interrupted: 3} {
		x := Todo{Source: "review", IssueID: "001", Status: from, Outcome: Outcome{Reason: "laid down"}}
		c, err := Finish(x, m, NewIndex([]Todo{x}))
		if err != nil || c.After.Status != Complete || c.After.Resolution != Fixed || len(c.Rows) != rows || c.Rows[0].From != from {
			t.Errorf("%s: got %+v, %v", from, c, err)
		}
	}
	done := Todo{Source: "review", IssueID: "001", Status: WontFix}
	if _, err := Finish(done, m, NewIndex([]Todo{done})); err == nil {
		t.Error("a rejected todo was finished")
	}
}

func TestTheCodeBesideAFindingIsFoundByItsSnippet(t *testing.T) {
	e := Parts{Snippet: "two()", Line: 40}
	b := ExcerptOf(e, "zero\none\n\ttwo()\nthree\n")
	if b.Line != 3 || b.Changed || b.First != 1 || len(b.Lines) != 4 {
		t.Errorf("got %+v", b)
	}
	if b := ExcerptOf(e, "other\n"); !b.Changed || b.Line != 0 || len(b.Lines) != 1 {
		t.Errorf("got %+v", b)
	}
	if b := ExcerptOf(Parts{}, ""); b.Changed || b.First != 1 {
		t.Errorf("got %+v", b)
	}
}
