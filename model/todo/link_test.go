package todo

import (
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
