package action

import (
	"testing"

	"vise/model"
)

func TestTheObviousActIsOneThatCanBeDone(t *testing.T) {
	todo := model.TodoGist{Done: 1, Total: 2}
	for name, c := range map[string]struct {
		s    State
		want ID
	}{
		"an empty desk":       {State{Agent: "a"}, New},
		"an empty fleet":      {State{View: "fleet"}, Open},
		"queued":              {State{Item: &model.Row{Class: model.QueuedRunnable}}, Pick},
		"current, with todos": {State{Item: &model.Row{Class: model.CurrentRunnable, IsCurrent: true, Todo: todo}}, Tick},
		"current, all done":   {State{Item: &model.Row{IsCurrent: true, Todo: model.TodoGist{Done: 2, Total: 2}}}, Complete},
		"current, blocked":    {State{Item: &model.Row{IsCurrent: true, BlockedBy: "ops", Todo: todo}}, Block},
		"asks":                {State{Item: &model.Row{Class: model.WaitingForOperator, NeedsOperator: true}}, Answer},
		"a need":              {State{Item: &model.Row{ID: "a", Stalled: true}, Need: &model.Inboxed{Row: model.Row{ID: "a"}}, NeedYou: 1}, NeedsYou},
		"completed":           {State{Item: &model.Row{Class: model.CompletedRecent}}, Open},
		"marked, with a need": {State{Marked: 2, MarkedNeed: true, Item: &model.Row{}}, Hide},
		"marked, without one": {State{Marked: 2, View: "desk", Item: &model.Row{}}, Block},
		"nothing is written":  {State{ReadOnly: "read-only", Item: &model.Row{Class: model.QueuedRunnable}}, Open},
	} {
		table := Standard()
		got := table.Obvious(c.s)
		if got != c.want || got != Open && table.Refusal(table.ByID(got), c.s) != "" {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}
