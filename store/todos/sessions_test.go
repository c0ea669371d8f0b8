package todos

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model/todo"
)

func TestAdoptionMovesWhatIsUnfinishedOnce(t *testing.T) {
	repo := t.TempDir()
	from, to := openIn(t, repo, review), openIn(t, repo, "tmp/reviews/next/todos")
	second := draft("two", todo.Ready)
	second.Dependencies, second.FindingID, second.SourceRef = []todo.Ref{"review/001"}, "SEC-2", "T"
	mustCreate(t, from, draft("one", todo.Ready), second, draft("three", todo.Pending), draft("four", todo.Ready))
	mustCreate(t, to, draft("own", todo.Pending))
	done := operator()
	done.To, done.Resolution, done.Reason = todo.Complete, todo.Fixed, "done"
	if _, err := from.Move("003", done); err != nil {
		t.Fatal(err)
	}
	mustStart(t, from, "004", agent("smith"))
	_, err := to.Adopt(from, nil, operator(), nil)
	refusedBy(t, err, todo.RuleClaimed)
	mustCleanUp(t, from)
	extra := filepath.Join(from.Path(), "review", "001-ready-p2-one.md")
	must(t, os.WriteFile(extra, []byte(strings.Replace(read(t, extra), "---\n", "---\nmine: kept # yes\n", 1)), 0o644))

	adopted, err := to.Adopt(from, nil, operator(), nil)
	if err != nil || len(adopted) != 3 {
		t.Fatalf("adopted %+v, %v", adopted, err)
	}
	snap := mustLoad(t, to)
	if len(snap.Todos) != 4 {
		t.Fatalf("%d todos", len(snap.Todos))
	}
	copied, _ := snap.Index().Find("review/003")
	if copied.FindingID != "SEC-2" || !slices.Equal(copied.Dependencies, []todo.Ref{"review/002"}) || len(copied.History) != 2 {
		t.Errorf("copied as %+v", copied)
	}
	if one, _ := snap.Index().Find("review/002"); !strings.Contains(read(t, filepath.Join(to.Path(), "review", one.File)),
		"mine: kept # yes\n") {
		t.Error("an unknown key was lost")
	}
	if four, _ := snap.Index().Find("review/004"); four.Status != todo.Ready || four.AssignedTo != "" {
		t.Errorf("the interrupted todo goes on as %s of %q", four.Status, four.AssignedTo)
	}
	for _, old := range mustLoad(t, from).Todos {
		if !old.Status.Final() {
			t.Errorf("%s is still %s", old.Ref(), old.Status)
		}
	}
	if again, err := to.Adopt(from, nil, operator(), nil); err != nil || len(again) != 0 {
		t.Errorf("adopted again: %+v, %v", again, err)
	}
	for _, p := range todo.CheckAll(snap.Index()) {
		if p.Severity == todo.Error {
			t.Errorf("%+v", p)
		}
	}
}

func TestASessionIsRemovedOnlyWhenNothingIsLost(t *testing.T) {
	s := newSession(t, review)
	mustCreate(t, s, draft("one", todo.Ready))
	mustStart(t, s, "001", agent("smith"))
	_, err := s.Remove(operator(), "box", nil, true)
	refusedBy(t, err, todo.RuleInUse)
	mustCleanUp(t, s)
	loss, err := s.Remove(operator(), "box", nil, false)
	refusedBy(t, err, todo.RuleUnfinished)
	if len(loss.Unfinished) != 1 || loss.Files != 1 {
		t.Errorf("preview %+v", loss)
	}
	if _, err := s.Remove(operator(), "box", nil, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Path()); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}

func TestFixRepairsWhatNeedsNoDecision(t *testing.T) {
	s := newSession(t, review)
	put(t, s, "review/001-ready-p1-a.md",
		"---\nstatus: ready\npriority: p1\ndependencies: [\"001\", \"002\"]\nrelated_todos: [review/002]\n---\n# A\n")
	put(t, s, "review/002-ready-p1-b.md", "---\nstatus: ready\npriority: p1\n---\n# B\n")
	fixed, err := s.Fix(operator(), true)
	if err != nil || len(fixed) != 2 {
		t.Fatalf("fixed %d, %v", len(fixed), err)
	}
	for _, p := range todo.CheckAll(mustLoad(t, s).Index()) {
		if p.Fixable || p.Rule == todo.RuleOrder {
			t.Errorf("%+v", p)
		}
	}
	if got := mustLoad(t, s).Todos; got[0].ExecutionOrder != 2 || got[1].ExecutionOrder != 1 {
		t.Errorf("order %d %d", got[0].ExecutionOrder, got[1].ExecutionOrder)
	}
	if again, err := s.Fix(operator(), true); err != nil || len(again) != 0 {
		t.Errorf("fixed again: %+v, %v", again, err)
	}
}
