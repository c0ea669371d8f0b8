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
		"stalled":             {State{Item: &model.Row{Stalled: true}}, Review},
		"completed":           {State{Item: &model.Row{Class: model.CompletedRecent}}, Open},
		"a report is offered": {State{Item: &model.Row{Class: model.CompletedRecent, NeedsOperator: true}}, Report},
		"marked, with a need": {State{Marked: 2, MarkedNeed: true, Item: &model.Row{}}, Acknowledge},
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

func TestThePresetClassicHasTheKeysOfBefore(t *testing.T) {
	table, troubles := Remap(map[ID][]string{Preset: {"classic"}}, nil)
	if len(troubles) > 0 {
		t.Fatal(troubles)
	}
	for key, want := range map[string]ID{"space": Mark, "v": MarkRange, "V": MarkClass, ",": WayBack} {
		if got, _ := table.find(Desk, key); got.ID != want {
			t.Errorf("%s means %q, not %s", key, got.ID, want)
		}
	}
	if _, troubles := Remap(map[ID][]string{Preset: {"modern"}}, nil); len(troubles) == 0 {
		t.Error("a preset that is none is taken")
	}
}

// A configuration that was written for the earlier keys still works.
func TestKeysThatWereGivenBeforeStayGiven(t *testing.T) {
	table, troubles := Remap(map[ID][]string{Zoom: {"space"}, Mark: {"f5"}}, []Action{Custom("own-log", "Log", "", "ctrl+o", false)})
	if len(troubles) > 0 {
		t.Fatal(troubles)
	}
	for key, want := range map[string]ID{"space": Zoom, "f5": Mark, "ctrl+o": "own-log"} {
		if got, _ := table.find(Desk, key); got.ID != want {
			t.Errorf("%s means %q, not %s", key, got.ID, want)
		}
	}
}
