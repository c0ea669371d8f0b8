package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
)

// closing are the commands that a cluster takes whose space is scarce.
var closing = []model.Command{
	model.CompleteWorkItem{}, model.ReportWorkItem{}, model.OfferReport{}, model.DeclineReport{}, model.EndTurn{}, model.EndTask{},
	model.Answer{}, model.AnswerPermission{}, model.EndPermissions{}, model.CancelWait{}, model.CancelDelegation{}, model.RevokeIngress{},
	model.Acknowledge{}, model.Batch{Calls: []model.Call{{Command: model.Acknowledge{}}}}, model.Round{Calls: []model.Call{{Command: model.CompleteWorkItem{}}}},
	model.Batch{Calls: []model.Call{{Command: model.CancelWait{}}, {Command: model.Acknowledge{}}}},
}

// beginning are all others.
var beginning = []model.Command{
	model.CreateWorkItem{}, model.UpdateWorkItem{}, model.PickWorkItem{}, model.WaitFor{}, model.Trigger{}, model.RefreshPlan{},
	model.SavePlan{}, model.RefreshTodos{}, model.AddAgent{}, model.RemoveAgent{}, model.UpdateAgent{}, model.StartTask{}, model.SpawnAgent{}, model.OpenDelegation{}, model.Import{},
	model.Say{}, model.HandMessages{}, model.SeeMessages{}, model.ClaimTurn{}, model.BeatTurn{}, model.Tick{}, model.MintIngress{},
	model.DeliverIngress{}, model.CommentOn{}, model.SendComments{}, model.KeepCheck{}, model.RefreshTree{}, model.NoteChecks{},
	model.NoteOverlap{}, model.AskPermission{}, model.Snooze{}, model.LinkWorkItem{}, model.Retry{}, model.KeepUsageLimit{}, model.Undo{},
	model.KeepSummary{}, model.NotifyOperator{}, model.Round{}, model.Batch{},
	model.Round{Calls: []model.Call{{Command: model.CompleteWorkItem{}}, {Command: model.PickWorkItem{}}}},
}

// Each command is taken or refused when the space of a cluster is scarce. A new one has to be in one of the lists.
func TestEachCommandEndsSomethingOrNot(t *testing.T) {
	listed := map[string]bool{}
	for ends, list := range map[bool][]model.Command{true: closing, false: beginning} {
		for _, c := range list {
			if listed[model.CommandName(c)] = true; store.Ends(c) != ends {
				t.Errorf("%s: ends something: %v", model.CommandName(c), !ends)
			}
		}
	}
	for _, name := range commandNames(t) {
		if !listed[name] {
			t.Errorf("%s is in no list", name)
		}
	}
}

// commandNames are the names of all commands of the model.
func commandNames(t *testing.T) (names []string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join("..", "model", "*.go"))
	must(err)
	for _, path := range list {
		raw, err := os.ReadFile(path)
		must(err)
		for line := range strings.Lines(string(raw)) {
			if receiver, _, ok := strings.Cut(line, `) step(s *step)`); ok && !strings.HasSuffix(path, "_test.go") {
				names = append(names, receiver[strings.LastIndexAny(receiver, " (")+1:])
			}
		}
	}
	if len(names) < 40 || !slices.Contains(names, "Tick") {
		t.Fatalf("the commands are %q", names)
	}
	return names
}
