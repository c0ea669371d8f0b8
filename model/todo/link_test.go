package todo

import (
	"slices"
	"testing"

	"vise/model"
)

func TestALinkedRowIsDerived(t *testing.T) {
	want := map[Status]model.TodoState{
		Pending: model.TodoPending, Ready: model.TodoPending, Blocked: model.TodoPending, Interrupted: model.TodoPending,
		InProgress: model.TodoInProgress, Complete: model.TodoCompleted, WontFix: model.TodoCompleted,
	}
	for _, s := range Statuses() {
		if got := s.Progress(); got != want[s] {
			t.Errorf("%s is shown as %s, want %s", s, got, want[s])
		}
	}
}

func TestCompletingAsksAboutEveryOpenTodo(t *testing.T) {
	x := NewIndex([]Todo{todoWith("001", Complete), todoWith("002", Ready), todoWith("003", Blocked)})
	var links []model.TodoRef
	for _, t := range x.All() {
		links = append(links, model.TodoRef{TodosBase: "tmp/reviews/abc/todos", QualifiedID: model.Text(t.Ref())})
	}
	links = append(links, model.TodoRef{TodosBase: "gone", QualifiedID: "review/009"})
	open := Undecided(links, func(l model.TodoRef) (Todo, bool) { return x.Find(Ref(l.QualifiedID)) })
	if len(open) != 2 || open[0].IssueID != "002" || open[1].IssueID != "003" {
		t.Fatalf("got %+v", open)
	}
}

func TestAFindingBecomesAnObjectiveAndItsPlan(t *testing.T) {
	finding := standing(Pending)
	finding.Title = "Fix\nit"
	objective, plan := Promote(finding, "\n# Fix it\n\n## Findings\n\nx\n\n## Work Log\n\ny\n\n## Status History\n\nz\n")
	if objective != "Fix it" || plan != "# Fix it\n\n## Findings\n\nx\n" {
		t.Fatalf("got %q and %q", objective, plan)
	}
}

// Two sessions have a todo of one short id. A word that means both decides nothing; the full id and the path each mean one.
func TestAnIdNamesOneLink(t *testing.T) {
	link := func(base string) model.TodoRef {
		return model.TodoRef{TodosBase: model.Text(base), QualifiedID: "review/001"}
	}
	a, b, plain := link("/r/tmp/reviews/a/todos"), link("/r/tmp/reviews/b/todos"), link("/tmp/x/y/z/todos")
	links := []model.TodoRef{a, b, plain}
	for word, want := range map[string][]model.TodoRef{
		"review/001": links, "reviews/a/review/001": {a}, "/r/tmp/reviews/b/review/001": {b}, "b/review/001": {b},
		string(LinkedFull(plain)): {plain}, "001": nil, "review/002": nil, "ew/001": nil,
	} {
		if got := Named(links, word); !slices.Equal(got, want) {
			t.Errorf("%q names %v, want %v", word, got, want)
		}
	}
	find := func(l model.TodoRef) (Todo, bool) { return Todo{Status: Complete}, l == b }
	list := []model.Todo{{Text: "review/001: which?"}, {Text: "reviews/b/review/001: this one"}}
	if rows := DeriveRows(list, links, find); rows[0].State == model.TodoCompleted || rows[1].State != model.TodoCompleted {
		t.Errorf("the rows are %v", rows)
	}
}
