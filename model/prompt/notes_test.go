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
		got = append(got, n.Text.String())
	}
	want := []string{
		"created",
		"1/1 todos (3 times in a row)",
		"asks: LFU or LRU?",
		"answered: LFU",
		"unblocked",
		"picked: answered",
		"completed",
		"report kept: Split; the proxy uses it.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("of %d events, got\n%s\nwant\n%s", events, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTrailKeepsWhatWasDecided: a round without calls of our tools is in it too. Of many rounds, those stay that
// decided or did something, and of long texts the sentences that matter.
func TestTrailKeepsWhatWasDecided(t *testing.T) {
	long := "I read the callers. " + strings.Repeat("There is much to say of this. ", 20) +
		"We decided to keep the Redis script because the proxy shares it. " + strings.Repeat("More of it. ", 20) + "Next I port the gateway."
	entries := []model.TraceEntry{{Text: model.Text(long), Tools: []model.Text{"Bash", "Read"}}}
	for range 10 {
		entries = append(entries, model.TraceEntry{Text: "Hm."})
	}
	entries = append(entries, model.TraceEntry{Text: "x", Calls: []string{"UpdateWorkItem"}}, model.TraceEntry{Text: "Hm.", Refused: "moved on"})
	got := prompt.TrailOf(entries)
	first := got.Steps[0]
	want := "I read the callers. … We decided to keep the Redis script because the proxy shares it. … Next I port the gateway."
	if got.LeftOut != 5 || len(got.Steps) != 8 || first.Text.String() != want || len(first.Tools) != 2 {
		t.Errorf("left out %d of %d; the first says %q", got.LeftOut, len(entries), first.Text)
	}
	if one := prompt.TrailOf([]model.TraceEntry{{Text: model.Text(strings.Repeat("because ", 200))}}); len([]rune(one.Steps[0].Text)) > 240 {
		t.Errorf("got %q", one.Steps[0].Text)
	}
}
