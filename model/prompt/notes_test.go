package prompt_test

import (
	"context"
	"strings"
	"testing"

	"vise/model"
	"vise/model/prompt"
)

// TestNotesTellWhatMattersAndDropTheRest reads the whole history of one item.
func TestNotesTellWhatMattersAndDropTheRest(t *testing.T) {
	h := newHome(t)
	id := h.create("Split the limiter")
	h.apply(ann, model.PickWorkItem{WorkItemID: id})
	for _, state := range []model.TodoState{model.TodoPending, model.TodoInProgress, model.TodoCompleted} {
		h.apply(ann, model.UpdateWorkItem{WorkItemID: id, TodoList: &[]model.Todo{{Text: "port", State: state}}})
	}
	h.apply(ann, model.WaitFor{Reason: "needs a decision", Wake: model.WakeOperatorInput, Question: "LFU or LRU?"})
	h.apply(model.Operator, model.Answer{WorkItemID: id, Text: "LFU"})
	h.apply(ann, model.PickWorkItem{WorkItemID: id, ClearBlocker: true, Reason: "answered"})
	h.apply(ann, model.Round{Text: "Split; the proxy uses it.", Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: id}}}})

	var notes []prompt.Note
	events := 0
	err := h.ledger.View(context.Background(), func(r model.Reader) error {
		entries := r.Entries(id, 100)
		events, notes = len(entries), prompt.NotesOf(entries)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range notes {
		got = append(got, string(n.Kind)+": "+n.Text.String())
	}
	want := []string{
		"scope: created",
		"step: updated todo list (3 times in a row)",
		"blocker: asks: LFU or LRU?",
		"answer: answered: LFU",
		"blocker: unblocked",
		"decision: picked: answered",
		"report: completed",
		"report: report kept (same round): Split; the proxy uses it.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("of %d events, got\n%s\nwant\n%s", events, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTraceKeepsActsAndDropsChatter(t *testing.T) {
	got := prompt.CompactTrace([]model.TraceEntry{
		{Text: "Let me think about it."},
		{Text: model.Text(strings.Repeat("x", 900)), Calls: []string{"UpdateWorkItem"}},
		{Text: "Hm.", Refused: "work item moved on"},
	})
	if got.Dropped != 1 || len(got.Steps) != 2 || len([]rune(got.Steps[0].Text)) > 180 {
		t.Errorf("got %+v", got)
	}
}
