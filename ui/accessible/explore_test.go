package accessible

import (
	"context"
	"strings"
	"testing"

	"vise/model"
	"vise/model/todo"
	"vise/ui/action"
)

// props are sources with which every act is possible: a plan that changed, and file todos.
type props struct{}

func (p props) Plan(context.Context, model.AgentID, model.ItemID) (model.PlanArtifact, model.Text) {
	return model.PlanArtifact{Path: "/plan.md", Condition: model.PlanOK, Hash: "theirs"}, "# Plan\nnew\n"
}

func (p props) Seen(context.Context, model.ItemID) (model.Text, bool) { return "# Plan\nold\n", true }
func (p props) Keep(context.Context, model.ItemID, model.Text) error  { return nil }
func (p props) Unsettled([]model.ThreadLink) []model.Warning          { return nil }
func (p props) Open(context.Context, []model.TodoRef) []todo.Todo     { return nil }

// answers are the inputs at each question: a number, the end of a text, then a time span.
type answers struct{ n int }

func (a *answers) Read(p []byte) (int, error) {
	a.n++
	return copy(p, []string{"1\n", ".\n", "1h\n"}[a.n%3]), nil
}

// explore goes through every menu of a session, takes each line once, and returns the actions that it saw.
func explore(t *testing.T) map[action.ID]bool {
	st := newStage(t)
	done := st.apply(model.CreateWorkItem{Objective: "Finished"})
	st.apply(model.CompleteWorkItem{WorkItemID: done.WorkItemID})
	reported := st.apply(model.CreateWorkItem{Objective: "Told"})
	st.apply(model.CompleteWorkItem{WorkItemID: reported.WorkItemID})
	st.apply(model.ReportWorkItem{WorkItemID: reported.WorkItemID, Text: "It is done."})
	woken := st.apply(model.CreateWorkItem{Objective: "Woken"})
	st.apply(model.UpdateWorkItem{WorkItemID: woken.WorkItemID, TodoList: &[]model.Todo{{Text: "one", State: model.TodoPending}, {Text: "two", State: model.TodoPending}}})
	st.apply(model.WaitFor{WorkItemID: woken.WorkItemID, Reason: "CI", Wake: model.WakeExternal, Resource: "ci"})
	st.apply(model.Trigger{WorkItemID: woken.WorkItemID, Source: "ci"})
	p := props{}
	st.sources = Sources{Plans: p, Findings: p, Threads: p, SaveFilter: func(context.Context, string, string) error { return nil },
		RunCustom: func(context.Context, []string, []byte) (string, error) { return "", nil }}
	e, out := st.env()
	e.In = &answers{}
	reached, taken := map[action.ID]bool{}, map[string]bool{}
	s := newDialogue(e)
	s.walks = func(ctx context.Context, title string, options []option) (bool, error) {
		fresh := false
		for _, o := range options {
			reached[o.act] = true
			if at := title + "\n" + o.words; !taken[at] {
				taken[at], fresh = true, true
				if err := o.do(ctx); err != nil {
					return false, err
				}
			}
		}
		if !fresh && strings.HasPrefix(title, "Agent a.") {
			return false, errQuit{}
		}
		return true, nil
	}
	if err := s.firstMenu(t.Context()); err != (errQuit{}) {
		t.Fatalf("%v after\n%s", err, out)
	}
	return reached
}
