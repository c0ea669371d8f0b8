package prompt

import (
	"fmt"
	"strings"
	"time"

	"vise/model"
)

// Bounds of what is told of the current item, in characters or entries.
const (
	leastObjective   = 96
	compactObjective = 400
	compactPreview   = 320
	maxTodosShown    = 20
	compactTodos     = 5
	todoText         = 200
	waitText         = 200
	maxWaitsShown    = 4
	maxAnswers       = 3
	maxTraceShown    = 5
	maxNotesShown    = 12
	noteText         = 160
	compactNotes     = 4
	notesRead        = 100
)

func heading(agent model.AgentID, revision uint64) layer {
	return layerOf("heading", 0, "", "", fmt.Sprintf("# Work of agent %s (ledger revision %d)", agent, revision))
}

func noCurrent() layer {
	return layerOf("current", 0, "Current work item: none", "", "Current work item: none. PickWorkItem before you work; only a pick sets the focus.")
}

// current are the layers of the focus, strongest first.
func current(r Reader, w model.WorkItem) []layer {
	v := model.ViewOf(r, w)
	t, _ := r.Trace(w.AgentID, w.ID)
	return []layer{
		objective(v), plan(v), todos(v), conflicts(v), blocker(v), waits(v), answers(w),
		trace(CompactTrace(t.Entries)), notes(NotesOf(r.Entries(w.ID, notesRead))),
	}
}

func objective(v model.View) layer {
	say := func(n int) string {
		return fmt.Sprintf("Current work item: %s (%s), %s, plan %s, revision %d\nObjective: %s",
			v.Handle, v.ID, v.Scheduling, v.PlanStatus, v.Revision, clip(v.Objective, n))
	}
	least := fmt.Sprintf("Current work item: %s :: %s", v.Handle, clip(v.Objective, leastObjective))
	return layerOf("current", 1, least, say(compactObjective), say(model.MaxObjective))
}

func plan(v model.View) layer {
	p := v.Plan
	least := fmt.Sprintf("Plan: %s, %d bytes, %s", p.Condition, p.Bytes, p.Path)
	if p.Path == "" {
		least = fmt.Sprintf("Plan: %s, %d bytes", p.Condition, p.Bytes)
	}
	if p.Preview == "" {
		return layerOf("plan", 1, least, "", "")
	}
	say := func(n int) string {
		text, cut := preview(p.Preview, n)
		out := least + "\n" + text
		if cut || !p.PreviewComplete {
			out += "\n(the preview ends here; read the file for the rest)"
		}
		return out
	}
	return layerOf("plan", 1, least, say(compactPreview), say(model.PreviewRunes))
}

// preview quotes the first n characters of a plan. The bar before each line keeps it apart
// from what vise says.
func preview(t model.Text, n int) (text string, cut bool) {
	runes := []rune(t.Multiline())
	if cut = len(runes) > n; cut {
		runes = runes[:n]
	}
	lines := strings.Split(strings.TrimRight(string(runes), "\n"), "\n")
	return "| " + strings.Join(lines, "\n| "), cut
}

func todos(v model.View) layer {
	if len(v.TodoList) == 0 {
		return layer{name: "todos"}
	}
	w := model.WorkItem{TodoList: v.TodoList}
	done, _, total := w.TodoCounts()
	least := fmt.Sprintf("Todos: %d of %d completed", done, total)
	if t, ok := w.CurrentTodo(); ok {
		least += "; current: " + clip(t.Text, leastObjective)
	}
	say := func(n int) string {
		lines := []string{fmt.Sprintf("Todos: %d of %d completed", done, total)}
		left := total - done
		for _, t := range active(v.TodoList, n) {
			lines = append(lines, fmt.Sprintf("- [%s] %s", t.State, clip(t.Text, todoText)))
			left--
		}
		if left > 0 {
			lines = append(lines, fmt.Sprintf("- … and %d more that are not completed", left))
		}
		return strings.Join(lines, "\n")
	}
	return layerOf("todos", total, least, say(compactTodos), say(maxTodosShown))
}

// active are the first n todos that are not completed, those in progress first.
func active(list []model.Todo, n int) []model.Todo {
	var out []model.Todo
	for _, state := range []model.TodoState{model.TodoInProgress, model.TodoPending} {
		for _, t := range list {
			if t.State == state && len(out) < n {
				out = append(out, t)
			}
		}
	}
	return out
}

func blocker(v model.View) layer {
	if v.BlockedBy == "" {
		return layer{name: "blocker"}
	}
	return layerOf("blocker", 1, "Blocked by: "+clip(v.BlockedBy, leastObjective), "", "Blocked by: "+clip(v.BlockedBy, model.MaxBlocker))
}

func waits(v model.View) layer {
	if len(v.ActiveWaits) == 0 {
		return layer{name: "waits"}
	}
	heard := 0
	var lines []string
	for _, x := range v.ActiveWaits {
		if x.Triggered() {
			heard++
		}
		if len(lines) < maxWaitsShown {
			lines = append(lines, "- "+waitLine(x))
		}
	}
	least := fmt.Sprintf("Waits: %d active, %d triggered", len(v.ActiveWaits), heard)
	return layerOf("waits", len(v.ActiveWaits), least, "", least+"\n"+strings.Join(lines, "\n"))
}

func waitLine(x model.Wait) string {
	out := fmt.Sprintf("%s (%s): %s", x.WaitsFor(), x.ID, clip(x.Reason, waitText))
	if x.Ask.Question != "" {
		out += "; asks: " + clip(x.Ask.Question, waitText)
	}
	if x.Triggered() {
		out += fmt.Sprintf("; triggered %d×, last %s by %s", x.TriggerCount, stamp(x.LastTriggeredAt), x.LastTrigger.Actor)
		if x.LastTrigger.Payload != "" {
			out += ", with data: " + clip(x.LastTrigger.Payload, waitText)
		}
	}
	return clip(model.Text(out), 4*waitText)
}

func answers(w model.WorkItem) layer {
	if len(w.Replies) == 0 {
		return layer{name: "answers"}
	}
	var lines []string
	for _, r := range w.Replies[max(0, len(w.Replies)-maxAnswers):] {
		line := fmt.Sprintf("- %s, %s: %s", r.By, stamp(r.At), clip(r.Text, 2*waitText))
		if r.Question != "" {
			line = fmt.Sprintf("- asked: %s; %s, %s: %s", clip(r.Question, waitText), r.By, stamp(r.At), clip(r.Text, 2*waitText))
		}
		lines = append(lines, line)
	}
	least := fmt.Sprintf("Answers: %d", len(w.Replies))
	return layerOf("answers", len(w.Replies), least, least+"\n"+lines[len(lines)-1], least+"\n"+strings.Join(lines, "\n"))
}

func trace(t Trail) layer {
	if len(t.Steps) == 0 {
		return layer{name: "trace"}
	}
	shown := t.Steps[max(0, len(t.Steps)-maxTraceShown):]
	lines, brief := []string{}, []string{}
	for _, x := range shown {
		lines = append(lines, x.line(true))
		brief = append(brief, x.line(false))
	}
	least := fmt.Sprintf("Recent rounds with acts: %d", len(t.Steps))
	return layerOf("trace", len(t.Steps), least, least+"\n"+strings.Join(brief, "\n"), least+"\n"+strings.Join(lines, "\n"))
}

func notes(list []Note) layer {
	if len(list) == 0 {
		return layer{name: "notes"}
	}
	say := func(n int) string {
		shown := list[max(0, len(list)-n):]
		lines := []string{fmt.Sprintf("Notes: %d, the newest %d:", len(list), len(shown))}
		for _, x := range shown {
			lines = append(lines, fmt.Sprintf("- %s %s", stamp(x.At), clip(x.Text, noteText)))
		}
		return strings.Join(lines, "\n")
	}
	return layerOf("notes", len(list), fmt.Sprintf("Notes: %d", len(list)), say(compactNotes), say(maxNotesShown))
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }
