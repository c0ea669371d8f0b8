package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
)

// Fill gives agent n work items with records of a usual size: half are completed, one open
// item in five is blocked.
func Fill(t testing.TB, l *store.Ledger, agent model.AgentID, n int) {
	t.Helper()
	const atOnce = 500
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for first := 0; first < n; first += atOnce {
		in := model.Import{AgentID: agent}
		for i := first; i < min(first+atOnce, n); i++ {
			in.Items = append(in.Items, model.Imported{Item: filled(i, start)})
		}
		apply(t, l, model.Envelope{Key: fmt.Sprintf("fill-%s-%d", agent, first), Actor: model.Operator, Agent: agent, Command: in})
	}
}

// Age gives the items that Fill made a past: their todos change until that many events have
// happened, Fill's own among them.
func Age(t testing.TB, l *store.Ledger, agent model.AgentID, items, events int) {
	t.Helper()
	happened := items
	for n := 0; happened < events; n++ {
		var b model.Batch
		for range min(model.MaxBatch, events-happened) {
			i := (2*happened + 1) % items // Fill completes the even ones
			happened++
			todos := filled(i, time.Time{}).TodoList
			todos[2].Text = model.Text(fmt.Sprintf("make it pass, attempt %d", happened))
			b.Calls = append(b.Calls, model.Call{Command: model.UpdateWorkItem{WorkItemID: filledID(i), TodoList: &todos}})
		}
		apply(t, l, model.Envelope{Key: fmt.Sprintf("age-%s-%d", agent, n), Actor: model.Operator, Agent: agent, Command: b})
	}
}

func filledID(i int) model.ItemID { return model.ItemID(fmt.Sprintf("wi-%012d", i)) }

func filled(i int, start time.Time) model.WorkItem {
	at := start.Add(time.Duration(i) * time.Second)
	w := model.WorkItem{
		ID: filledID(i), State: model.Open, PlanStatus: model.Ready, Revision: 3,
		Objective: model.Text(fmt.Sprintf("objective %d: %s", i, strings.Repeat("make it so ", 8))),
		TodoList: []model.Todo{
			{Text: "read the code that is there", State: model.TodoCompleted},
			{Text: "write a test that fails", State: model.TodoInProgress},
			{Text: "make it pass", State: model.TodoPending},
		},
		CreatedAt: at, UpdatedAt: at,
	}
	switch {
	case i%2 == 0:
		w.State = model.Completed
	case i%10 == 1:
		w.BlockedBy = "waiting for the review"
	}
	return w
}

func apply(t testing.TB, l *store.Ledger, e model.Envelope) {
	t.Helper()
	if _, err := l.Apply(ctx, e); err != nil {
		t.Fatalf("%s: %v", e.Command.Name(), err)
	}
}
