package action

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// Exactly one context gets the keys at a time; three basic keys of the desk always work.
func TestNoTwoActionsShareAKey(t *testing.T) {
	for _, x := range Standard().clashes() {
		t.Error(x.Why)
	}
}

func TestNoKeyIsOneThatTerminalsConfuse(t *testing.T) {
	for _, a := range Standard() {
		for _, k := range a.Keys {
			switch k {
			case "ctrl+i", "ctrl+m", "ctrl+[", "ctrl+h", "ctrl+j":
				t.Errorf("%s: %s cannot be told from another key", a.ID, k)
			}
		}
	}
}

func TestEveryActionIsNamedOnceAndExplained(t *testing.T) {
	seen := map[ID]bool{}
	for _, a := range Standard() {
		if a.ID == "" || seen[a.ID] || a.Title == "" || a.Does == "" || len(a.Keys) == 0 && a.In != Desk || a.In == "" || a.Group == "" {
			t.Errorf("%q is incomplete or there twice", a.ID)
		}
		seen[a.ID] = true
		session := a.ID == Undo || a.ID == Redo // of this console's own acts
		if a.Writes && a.Verb == "" && a.In == Desk && !session {
			t.Errorf("%s changes the ledger and has no verb on the command line", a.ID)
		}
		if Standard().ByID(a.ID).Title != a.Title {
			t.Errorf("%s is not found by its id", a.ID)
		}
	}
}

func TestAKeyOfAnotherLayoutMeansTheKeyAtItsPlace(t *testing.T) {
	for _, c := range []struct {
		key  tea.Key
		want ID
	}{
		{tea.Key{Code: 'о', Text: "о", BaseCode: 'j'}, Down},
		{tea.Key{Code: 'О', Text: "О", BaseCode: 'j', Mod: tea.ModShift}, PreviewDown},
		{tea.Key{Code: 'j', Text: "j"}, Down},
		{tea.Key{Code: 'о', Text: "о"}, Down}, // from here on the terminal does not report the directory
		{tea.Key{Code: 'о', Text: "О", Mod: tea.ModShift}, PreviewDown},
		{tea.Key{Code: 'х', Text: "х"}, PrevTab},
		{tea.Key{Code: 'Х', Text: "Х", Mod: tea.ModShift}, PrevAgent},
		{tea.Key{Code: 'ї', Text: "ї"}, NextTab},
		{tea.Key{Code: 'ξ', Text: "ξ"}, Down},
		{tea.Key{Code: 'ח', Text: "ח"}, Down},
		{tea.Key{Code: 'ت', Text: "ت"}, Down},
		{tea.Key{Code: 'ㅓ', Text: "ㅓ"}, Down},
	} {
		if a, _ := Standard().Of(Desk, tea.KeyPressMsg(c.key)); a.ID != c.want {
			t.Errorf("%q: got %q, want %q", c.key.Text, a.ID, c.want)
		}
	}
}

func TestWhatCannotBeDoneSaysWhy(t *testing.T) {
	open := model.Row{Handle: "wi-open", Class: model.QueuedRunnable}
	done := model.Row{Handle: "wi-done", Class: model.CompletedRecent}
	current := model.Row{Handle: "wi-cur", Class: model.CurrentRunnable, IsCurrent: true}
	asks := model.Row{Handle: "wi-asks", Class: model.WaitingForOperator, NeedsOperator: true}
	answered := model.Row{Handle: "wi-said", Class: model.TriggeredBlocked, Wait: model.WaitGist{Kind: model.WaitOperator}}
	stalled := model.Row{Handle: "wi-stuck", Class: model.QueuedRunnable, Stalled: true}
	failing := model.Row{Handle: "a", AgentID: "a", Class: model.WaitingForOperator, ReasonCode: "agent_failing"}
	rests := model.Desk{Decision: model.Decision{HeldBy: "its last turn changed nothing"}}
	fails := model.Desk{Agent: model.Agent{ID: "a", Pace: model.Pace{Failure: &model.TurnFailure{Turn: 1}}}}
	for _, c := range []struct {
		id   ID
		s    State
		want string
	}{
		{Pick, State{}, "no work item is selected"},
		{Pick, State{Item: &open}, ""},
		{Pick, State{Item: &current}, "already current"},
		{Pick, State{Item: &open, ReadOnly: "opened read-only"}, "read-only"},
		{Complete, State{Item: &done}, "completed, for good"},
		{Report, State{Item: &open}, "follows its completion"},
		{Report, State{Item: &done}, ""},
		{Review, State{Item: &open}, "has no news"},
		{Review, State{Item: &stalled}, ""},
		{Review, State{Item: &open, Desk: rests}, ""},
		{Review, State{Agent: "a"}, "does not rest"},
		{Review, State{Agent: "a", Desk: fails}, ""},
		{Hide, State{Item: &failing}, "until a turn goes well"},
		{Pick, State{Item: &failing}, "the agent's program fails"},
		{Answer, State{Item: &open}, "asks nothing"},
		{Answer, State{Item: &answered}, "has its answer"},
		{Answer, State{Item: &done}, "completed, for good"},
		{Answer, State{Item: &asks}, ""},
		{Message, State{Agent: "a"}, "does not know a yet"},
		{Message, State{Agent: "a", Desk: model.Desk{Agent: model.Agent{ID: "a"}}}, ""},
		{EditPlan, State{Item: &open}, "EDITOR"},
		{New, State{}, "no agent"},
		{New, State{Agent: "a"}, ""},
		{NextAgent, State{Agents: 1}, "only one"},
		{NeedsYou, State{}, "nothing needs you"},
		{Help, State{ReadOnly: "x"}, ""},
	} {
		why := Standard().Refusal(Standard().ByID(c.id), c.s)
		if (why == "") != (c.want == "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: got %q, want %q", c.id, why, c.want)
		}
	}
}
