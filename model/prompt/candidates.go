package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
)

// Bounds of a candidate's line, in characters.
const (
	fullObjective   = 160
	shortObjective  = 80
	candidateDetail = 100
	fullReport      = 240
	shortReport     = 80
	reportedHorizon = 20
)

// candidateLayer is how a class is shown.
type candidateLayer struct {
	name, title string
	class       model.Class
	filter      model.Filter
}

// candidateLayers follow the order in which classes keep their share (docs/lifecycle.md 10).
var candidateLayers = []candidateLayer{
	{"triggered", "Triggered, for review", model.TriggeredBlocked, model.FilterBlocked},
	{"queued", "Queued", model.QueuedRunnable, model.FilterQueued},
	{"waiting_for_operator", "Waiting for the operator", model.WaitingForOperator, model.FilterOperator},
	{"blocked", "Blocked", model.BlockedClass, model.FilterBlocked},
}

func candidates(r model.Reader, agent model.AgentID) []layer {
	var out []layer
	for _, c := range candidateLayers {
		out = append(out, classLayer(r, agent, c))
	}
	return append(out, completed(r, agent))
}

func classLayer(r model.Reader, agent model.AgentID, c candidateLayer) layer {
	total := r.Count(agent, model.ClassTally(c.class))
	var rows []model.Row
	for _, row := range r.Rows(agent, c.class, nil, c.class.Limit()+1) {
		switch {
		case row.IsCurrent:
			total--
		case len(rows) < c.class.Limit():
			rows = append(rows, row)
		}
	}
	if total == 0 {
		return layer{}
	}
	least := fmt.Sprintf("%s: %d", c.title, total)
	l := layer{name: c.name, total: total, class: true, forms: []form{{detail: Counts, text: least}}}
	brief, full := []string{least}, []string{least}
	for i, row := range rows {
		brief = append(brief, fmt.Sprintf("- %s :: %s", row.Handle, clip(row.Objective, shortObjective)))
		full = append(full, rowLine(r, row))
		if i+1 < len(rows) { // fewer rows before fewer words: the first ones are the next ones
			l.forms = append(l.forms, form{Compact, strings.Join(brief, "\n") + more(total-i-1, c.filter), idsOf(rows[:i+1])})
		}
	}
	rest := more(total-len(rows), c.filter)
	l.forms = append(l.forms, form{Compact, strings.Join(brief, "\n") + rest, idsOf(rows)},
		form{Full, strings.Join(full, "\n") + rest, idsOf(rows)})
	return l
}

func more(n int, filter model.Filter) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n- … and %d more: ListWorkItems(filter=%s)", n, filter)
}

func idsOf(rows []model.Row) (ids []model.ItemID) {
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// showing notes which items the richer forms tell of.
func (l layer) showing(ids []model.ItemID) layer {
	for i := range l.forms[1:] {
		l.forms[i+1].shown = ids
	}
	return l
}

func rowLine(r model.Reader, row model.Row) string {
	parts := []string{fmt.Sprintf("- [%s] %s (%s) :: %s", row.Class, row.Handle, row.ID, clip(row.Objective, fullObjective))}
	add := func(label string, t model.Text) {
		if t != "" {
			parts = append(parts, label+clip(t, candidateDetail))
		}
	}
	add("todo: ", row.Todo.Current)
	if row.Class == model.TriggeredBlocked {
		add("triggered "+stamp(row.Wait.LastTriggeredAt)+" by ", row.Wait.TriggeredBy)
	}
	add("checks: ", row.Wait.Checked)
	add("asks: ", row.Wait.Question)
	add("blocked by: ", row.BlockedBy)
	if w, ok := r.Item(row.ID); ok {
		add("plan: ", firstLine(w.PlanArtifact.Preview))
	}
	return strings.Join(parts, " :: ")
}

// firstLine is the first line of a plan with words in it.
func firstLine(t model.Text) model.Text {
	for line := range strings.Lines(t.Raw()) { // raw: clipped, and made safe there
		if s := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#-*>")); s != "" {
			return model.Text(s)
		}
	}
	return ""
}

// completed tells of reports alone: an item that was completed without one is left out.
func completed(r model.Reader, agent model.AgentID) layer {
	var rows []model.Row
	for _, row := range r.Rows(agent, model.CompletedRecent, nil, reportedHorizon) {
		if row.Reported && len(rows) < model.CompletedRecent.Limit() {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return layer{}
	}
	total := r.Count(agent, model.TallyCompleted)
	least := fmt.Sprintf("Completed: %d", total)
	say := func(n int) string {
		lines := []string{least + ", newest reports:"}
		for _, row := range rows {
			w, _ := r.Item(row.ID)
			lines = append(lines, fmt.Sprintf("- %s :: %s :: %s", row.Handle, clip(row.Objective, shortObjective),
				clip(w.ResultSummary, n)))
			b, _ := r.Brief(agent, row.ID)
			for _, x := range b.Warnings {
				lines = append(lines, "  warned: "+x.Message)
			}
		}
		return strings.Join(lines, "\n")
	}
	l := layerOf("completed", total, least, say(shortReport), say(fullReport)).showing(idsOf(rows))
	l.class = true
	return l
}

// Note is a process note: what is worth knowing of an item's history when it is resumed.
// It is derived from the journal each time, and never stored.
type Note struct {
	At   time.Time  `json:"at"`
	Text model.Text `json:"text"`
	By   string     `json:"by"`
	// Revision is the ledger's that the note's newest event came with.
	Revision uint64 `json:"revision"`
	// Count is how many events in a row the note stands for.
	Count int `json:"count"`
}

// noted are the events that are always a note; noteOf has the rules for others. Everything else of the journal (rounds,
// ticks, turns, messages, releases of the focus, waits cancelled, silent rechecks) is derivable or chatter, and makes none.
var noted = []model.EventKind{
	model.EventWaitRegistered, model.EventStalled, model.EventOperatorAnswered, model.EventTaskStarted, model.EventTaskEnded,
	model.EventDelegationOpened, model.EventDelegationCompleted, model.EventDelegationReported, model.EventDelegationCancelled,
	model.EventReportPromoted, model.EventReportOffered, model.EventCompletionWarning,
}

// NotesOf selects the notes of an item from its events, newest first as the ledger gives
// them. The notes are oldest first.
func NotesOf(entries []model.Entry) []Note {
	var out []Note
	series := ""
	for _, e := range slices.Backward(entries) {
		of, ok := noteOf(e)
		if !ok {
			continue
		}
		n := Note{At: e.At, Text: e.Describe(), By: string(e.Actor), Revision: e.Revision, Count: 1}
		if last := len(out) - 1; of != "" && of == series {
			n.Count += out[last].Count
			out = out[:last]
		}
		out, series = append(out, n), of
	}
	for i, n := range out {
		if n.Count > 1 {
			out[i].Text += model.Textf(" (%d times in a row)", n.Count)
		}
	}
	return out
}

// noteOf reports whether an event is a note. Those of one series in a row are one note.
func noteOf(e model.Entry) (series string, ok bool) {
	switch e.Kind {
	case model.EventWorkItemPicked:
		d := model.DataOf[model.Picked](e)
		return "", d.Reason != "" || d.SwitchKind == model.SwitchAutoPick
	case model.EventWaitTriggered:
		return "", model.DataOf[model.TriggerNews](e).Source != "answer" // the answer has its own note
	case model.EventPlanRefreshed:
		return "plan", true
	case model.EventTodosRefreshed:
		return "todos", true
	case model.EventWorkItemWritten:
		d := model.DataOf[model.Written](e)
		if d.Action == "updated" && slices.Equal(d.Changed, []string{"todo_list"}) {
			return "todos", true
		}
		return "", slices.Contains([]string{"created", "imported", "updated", "blocked", "unblocked", "completed"}, d.Action)
	}
	return "", slices.Contains(noted, e.Kind)
}
