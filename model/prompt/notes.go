package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vise/model"
)

// Note is a process note: what is worth knowing of an item's history when it is resumed.
// It is derived from the journal each time, and never stored.
type Note struct {
	At   time.Time  `json:"at"`
	Kind NoteKind   `json:"kind"`
	Text model.Text `json:"text"`
	By   string     `json:"by"`
	// Revision is the ledger's that the note's newest event came with.
	Revision uint64 `json:"revision"`
	// Count is how many events in a row the note stands for.
	Count int `json:"count"`
}

// NoteKind is what a note is about.
type NoteKind string

// The kinds of notes. The rules, in one place:
//
//	scope     created, imported, its objective or plan status changed, threads and refs linked
//	step      its todo list changed
//	blocker   blocked, unblocked, a wait registered, a stall
//	trigger   a wait was triggered, other than by an answer
//	answer    the operator answered
//	decision  picked with a reason, or by the scheduler
//	plan      plan.md changed
//	task      a task or delegation began or ended
//	report    completed, a report promoted or offered, a completion warned of
//
// Steps and plan changes in a row are one note. Everything else of the journal (rounds,
// ticks, turns, messages, releases of the focus, waits cancelled, silent rechecks) is
// either derivable or chatter, and makes none. The journal keeps it all the same.
const (
	NoteScope    NoteKind = "scope"
	NoteStep     NoteKind = "step"
	NoteBlocker  NoteKind = "blocker"
	NoteTrigger  NoteKind = "trigger"
	NoteAnswer   NoteKind = "answer"
	NoteDecision NoteKind = "decision"
	NotePlan     NoteKind = "plan"
	NoteTask     NoteKind = "task"
	NoteReport   NoteKind = "report"
)

var noteKinds = map[model.EventKind]NoteKind{
	model.EventWaitRegistered: NoteBlocker, model.EventStalled: NoteBlocker,
	model.EventOperatorAnswered: NoteAnswer,
	model.EventPlanRefreshed:    NotePlan,
	model.EventTodosRefreshed:   NoteStep,
	model.EventTaskStarted:      NoteTask, model.EventTaskEnded: NoteTask,
	model.EventDelegationOpened: NoteTask, model.EventDelegationCompleted: NoteTask,
	model.EventReportPromoted: NoteReport, model.EventReportOffered: NoteReport, model.EventCompletionWarning: NoteReport,
}

// NotesOf selects the notes of an item from its events, newest first as the ledger gives
// them. The notes are oldest first.
func NotesOf(entries []model.Entry) []Note {
	var out []Note
	for _, e := range slices.Backward(entries) {
		kind, ok := kindOf(e)
		if !ok {
			continue
		}
		n := Note{At: e.At, Kind: kind, Text: e.Tell(), By: string(e.Actor), Revision: e.Revision, Count: 1}
		if last := len(out) - 1; last >= 0 && out[last].Kind == kind && (kind == NoteStep || kind == NotePlan) {
			n.Count += out[last].Count
			out[last] = n
			continue
		}
		out = append(out, n)
	}
	for i, n := range out {
		if n.Count > 1 {
			out[i].Text += model.Text(fmt.Sprintf(" (%d times in a row)", n.Count))
		}
	}
	return out
}

func kindOf(e model.Entry) (NoteKind, bool) {
	switch e.Kind {
	case model.EventWorkItemPicked:
		var d model.Picked
		_ = json.Unmarshal(e.Data, &d)
		return NoteDecision, d.Reason != "" || d.SwitchKind == model.SwitchAutoPick
	case model.EventWaitTriggered:
		var d model.TriggerNews
		_ = json.Unmarshal(e.Data, &d)
		return NoteTrigger, d.Source != "answer" // the answer has its own note
	case model.EventWorkItemWritten:
		var d model.Written
		_ = json.Unmarshal(e.Data, &d)
		return writtenKind(d)
	}
	kind, ok := noteKinds[e.Kind]
	return kind, ok
}

func writtenKind(d model.Written) (NoteKind, bool) {
	switch d.Action {
	case "blocked", "unblocked":
		return NoteBlocker, true
	case "completed":
		return NoteReport, true
	case "updated":
		if slices.Equal(d.Changed, []string{"todo_list"}) {
			return NoteStep, true
		}
		return NoteScope, true
	case "created", "imported":
		return NoteScope, true
	}
	return "", false
}

// Trail is a process trace without its chatter.
type Trail struct {
	Steps []Step `json:"steps"`
	// Dropped counts the rounds that only talked.
	Dropped int `json:"dropped,omitempty"`
}

// Step is a round that did something, or was refused to.
type Step struct {
	At      time.Time  `json:"at"`
	Calls   []string   `json:"calls,omitempty"`
	Text    model.Text `json:"text,omitempty"`
	Refused model.Text `json:"refused,omitempty"`
}

const stepText = 180

// CompactTrace keeps the rounds that called something or were refused, with the beginning
// of what they said; rounds that only talked are counted. Current truth is in the record
// and reports are on their items: neither is taken from a trace.
func CompactTrace(entries []model.TraceEntry) Trail {
	var t Trail
	for _, e := range entries {
		if len(e.Calls) == 0 && e.Refused == "" {
			t.Dropped++
			continue
		}
		t.Steps = append(t.Steps, Step{At: e.At, Calls: e.Calls, Text: model.Text(clip(e.Text, stepText)),
			Refused: model.Text(clip(e.Refused, stepText))})
	}
	return t
}

func (s Step) line(words bool) string {
	out := fmt.Sprintf("- %s called %d tools", stamp(s.At), len(s.Calls))
	if len(s.Calls) > 0 {
		out = fmt.Sprintf("- %s called %s", stamp(s.At), clip(model.Text(fmt.Sprint(s.Calls)), shortObjective))
	}
	if s.Refused != "" {
		out += "; refused: " + s.Refused.String()
	}
	if words && s.Text != "" {
		out += "; said: " + s.Text.String()
	}
	return out
}
