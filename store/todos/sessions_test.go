package todos

import (
	"testing"

	"vise/model/todo"
)

func TestFixRepairsWhatNeedsNoDecision(t *testing.T) {
	s := newSession(t, review)
	put(t, s, "review/001-ready-p1-a.md",
		"---\nstatus: ready\npriority: p1\ndependencies: [\"001\", \"002\"]\nrelated_todos: [review/002]\n---\n# A\n")
	put(t, s, "review/002-ready-p1-b.md", "---\nstatus: ready\npriority: p1\n---\n# B\n")
	fixed, err := s.Fix(operator())
	if err != nil || len(fixed) != 2 {
		t.Fatalf("fixed %d, %v", len(fixed), err)
	}
	for _, p := range todo.CheckAll(mustLoad(t, s).Index) {
		if p.Fixable {
			t.Errorf("%+v", p)
		}
	}
	if again, err := s.Fix(operator()); err != nil || len(again) != 0 {
		t.Errorf("fixed again: %+v, %v", again, err)
	}
}
