package prompt

import (
	"fmt"
	"strings"

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

// candidateLayers follow the order in which classes keep their room (docs/lifecycle.md 10).
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
		return layer{name: c.name}
	}
	least := fmt.Sprintf("%s: %d", c.title, total)
	more := ""
	if total > len(rows) {
		more = fmt.Sprintf("\n- … and %d more: ListWorkItems(filter=%s)", total-len(rows), c.filter)
	}
	brief, full := []string{least}, []string{least}
	for _, row := range rows {
		brief = append(brief, fmt.Sprintf("- %s :: %s", row.Handle, clip(row.Objective, shortObjective)))
		full = append(full, rowLine(r, row))
	}
	l := layerOf(c.name, total, least, strings.Join(brief, "\n")+more, strings.Join(full, "\n")+more)
	return l.showing(rows)
}

// showing notes which items the richer forms tell of.
func (l layer) showing(rows []model.Row) layer {
	for i := range l.forms[1:] {
		for _, row := range rows {
			l.forms[i+1].shown = append(l.forms[i+1].shown, row.ID)
		}
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
		return layer{name: "completed"}
	}
	total := r.Count(agent, model.TallyCompleted)
	least := fmt.Sprintf("Completed: %d", total)
	say := func(n int) string {
		lines := []string{least + ", newest reports:"}
		for _, row := range rows {
			w, _ := r.Item(row.ID)
			lines = append(lines, fmt.Sprintf("- %s :: %s :: %s", row.Handle, clip(row.Objective, shortObjective),
				clip(w.ResultSummary, n)))
		}
		return strings.Join(lines, "\n")
	}
	return layerOf("completed", total, least, say(shortReport), say(fullReport)).showing(rows)
}
