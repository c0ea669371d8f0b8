package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/model/thread"
)

// Bounds of what is shown of the current item, in characters or entries.
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
	maxNotesShown    = 12
	noteText         = 160
	compactNotes     = 4
	notesRead        = 100
)

func heading(agent model.AgentID, revision uint64) layer {
	return layerOf("heading", 0, "", "", fmt.Sprintf("%s%d)", begins(agent), revision))
}

func begins(agent model.AgentID) string {
	return fmt.Sprintf("# Work of agent %s (ledger revision ", agent)
}

// IsIn reports whether a text holds an agent's context.
func IsIn(text string, agent model.AgentID) bool { return strings.Contains(text, begins(agent)) }

// current are the layers of the focus, strongest first.
func current(r model.Reader, w model.WorkItem, o Options) []layer {
	v := model.ViewOf(r, w)
	w.PlanArtifact = v.Plan // as it is now, noted by the ledger or not
	t, _ := r.Trace(w.AgentID, w.ID)
	return []layer{
		objective(v), plan(v), todos(v), evidence(model.EvidenceOf(r, w)), conflicts(w, v), overlaps(v.Overlaps),
		reminders(model.Advise(r, w, o.Now)), blocker(v), waits(v),
		answers(w), threadOf(o.Thread), linkedTodos(o.Todos),
		summary(t.Summary), trace(TrailOf(t.Entries)), notes(NotesOf(r.Entries(w.ID, notesRead))),
	}
}

func objective(v model.View) layer {
	say := func(n int) string {
		used := ""
		if words := v.Used.Words(); words != "" {
			used = "\nIts turns used " + words + "."
		}
		return fmt.Sprintf("Current work item: %s (%s), %s, plan %s, revision %d\nObjective: %s%s",
			v.Handle, v.ID, v.Scheduling, v.PlanStatus, v.Revision, clip(v.Objective, n), used)
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
	return layerOfSome("todos", total, least, say(compactTodos), say(maxTodosShown))
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
		return layer{}
	}
	return layerOf("blocker", 1, "Blocked by: "+clip(v.BlockedBy, leastObjective), "", "Blocked by: "+clip(v.BlockedBy, model.MaxBlocker))
}

func waits(v model.View) layer { return waitsOf("waits", "Waits", v.ActiveWaits) }

// ownWaits are the agent's waits that belong to no work item.
func ownWaits(r model.Reader, agent model.AgentID) layer {
	return waitsOf("own_waits", "Your own waits, of no work item", r.ItemWaits(agent, ""))
}

func waitsOf(name, title string, list []model.Wait) layer {
	triggered := 0
	var lines []string
	for _, x := range list {
		if x.Triggered() {
			triggered++
		}
		if len(lines) < maxWaitsShown {
			lines = append(lines, "- "+waitLine(x))
		}
	}
	least := fmt.Sprintf("%s: %d active, %d triggered", title, len(list), triggered)
	return layerOfSome(name, len(list), least, "", least+"\n"+strings.Join(lines, "\n"))
}

func waitLine(x model.Wait) string {
	out := fmt.Sprintf("%s (%s): %s", x.WaitsFor(), x.ID, clip(x.Reason, waitText))
	if x.Ask.Question != "" {
		out += "; asks: " + clip(x.Ask.Question, waitText)
	}
	if said := x.Checked.Gist(); said != "" {
		out += "; " + clip(said, waitText)
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
		return layer{}
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

func notes(list []Note) layer {
	say := func(n int) string {
		shown := list[max(0, len(list)-n):]
		lines := []string{fmt.Sprintf("Notes: %d, the newest %d:", len(list), len(shown))}
		for _, x := range shown {
			lines = append(lines, fmt.Sprintf("- %s %s", stamp(x.At), clip(x.Text, noteText)))
		}
		return strings.Join(lines, "\n")
	}
	return layerOfSome("notes", len(list), fmt.Sprintf("Notes: %d", len(list)), say(compactNotes), say(maxNotesShown))
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }

// Bounds of what is shown apart from the focus: items of one kind, and messages looked through
// for the items that they name.
const (
	maxNamed    = 3
	maxMessages = 20
)

// turnOf tells why the agent's turn runs; without a turn nothing.
func turnOf(a model.Agent, now time.Time) layer {
	if a.Turn == nil {
		return layer{}
	}
	text := fmt.Sprintf("Turn %d. %s", a.Turn.Index, why(a.Turn.Tick, len(a.Turn.Messages)))
	if a.Limits.MaxCostPerDay > 0 {
		text += " Your turns used " + a.CostWords(now) + "."
	}
	return layerOf("turn", 0, "", "", text)
}

func why(tick string, messages int) string {
	switch {
	case tick == "" && messages > 0:
		return fmt.Sprintf("New messages for you: %d.", messages)
	case strings.HasPrefix(tick, "work_queue:continue_active:"):
		return "Go on with the current work item."
	case strings.HasPrefix(tick, "work_queue:review_triggered:"):
		return "Something that a blocked work item waits for happened. Review it."
	case strings.HasPrefix(tick, "work_queue:queued_available:"):
		return "A queued work item is available."
	case strings.HasPrefix(tick, "work_item_recheck:"):
		return "Blocked work items are due for a second look: look into the blockers, then clear or renew them."
	}
	return "You were asked to run."
}

// otherItems are the items that the turn or a message is about, the focus aside: what the tick
// offers, what is due for a second look, and what messages to the agent name.
func otherItems(r model.Reader, a model.Agent, current model.ItemID) []layer {
	taken := []model.ItemID{current}
	pick := func(ids []model.ItemID, keep func(model.WorkItem) bool) (out []model.WorkItem) {
		for _, id := range ids {
			w, ok := r.Item(id)
			if ok && w.AgentID == a.ID && keep(w) && !slices.Contains(taken, id) && len(out) < maxNamed {
				taken, out = append(taken, id), append(out, w)
			}
		}
		return out
	}
	var offered, rechecks []model.WorkItem
	if a.Turn != nil {
		offered = pick([]model.ItemID{a.Turn.OfferedID}, func(model.WorkItem) bool { return true })
		rechecks = pick(a.Turn.Rechecks, func(w model.WorkItem) bool { return w.BlockedBy != "" })
	}
	named := pick(namedBy(r, a), func(model.WorkItem) bool { return true })
	return []layer{
		items(r, "offered", "Offered work item", offered),
		items(r, "rechecks", "Blocked, and due for a second look", rechecks),
		items(r, "named", "What messages to you are about", named),
	}
}

// namedBy are the items of the messages that the agent has, or gets next.
func namedBy(r model.Reader, a model.Agent) []model.ItemID {
	var out []model.ItemID
	add := func(m model.Message) {
		if m.WorkItemID != "" {
			out = append(out, m.WorkItemID)
		}
	}
	ids := slices.Clone(a.Handed)
	if a.Turn != nil {
		ids = append(ids, a.Turn.Messages...)
	}
	for _, id := range ids {
		m, _ := r.Message(id)
		add(m)
	}
	for _, m := range r.QueuedMessages(a.ID, maxMessages) {
		add(m)
	}
	return out
}

// items tell of some items: by name, then how they stand, then with todos and plan.
func items(r model.Reader, name, title string, list []model.WorkItem) layer {
	if len(list) == 0 {
		return layer{}
	}
	least, brief, full := []string{}, []string{title + ":"}, []string{title + ":"}
	var ids []model.ItemID
	for _, w := range list {
		v := model.ViewOf(r, w)
		ids = append(ids, w.ID)
		least = append(least, string(w.Handle))
		head := fmt.Sprintf("- %s (%s), %s, plan %s, revision %d :: ", v.Handle, v.ID, v.Scheduling, v.PlanStatus, v.Revision)
		short := append([]string{head + clip(v.Objective, shortObjective)}, standing(blocker(v), waits(v))...)
		brief = append(brief, short...)
		long := append([]string{head + clip(v.Objective, model.MaxObjective)}, standing(blocker(v), waits(v), answers(w),
			summaryOf(r, w), todos(v), plan(v))...)
		full = append(full, long...)
	}
	return layerOf(name, len(list), title+": "+strings.Join(least, ", "), strings.Join(brief, "\n"), strings.Join(full, "\n")).showing(ids)
}

// standing are the fullest forms of an item's layers, set below its line.
func standing(parts ...layer) []string {
	var out []string
	for _, l := range parts {
		if n := len(l.forms); n > 0 {
			out = append(out, "  "+strings.ReplaceAll(l.forms[n-1].text, "\n", "\n  "))
		}
	}
	return out
}

// threadOf tells where the work was left. It is advice with its age: the plan and the
// objective outrank it.
func threadOf(c *thread.Card) layer {
	if c == nil || c.Empty() {
		return layer{}
	}
	head := fmt.Sprintf("Where the work was left, as the thread in %s has it; a note with its age, not an order", clip(c.Repo, noteText))
	if c.Thread != nil {
		head += "; saved at " + clip(c.Thread.UpdatedAt, noteText)
		if t := c.Thread; t.Status == thread.Paused || t.Status == thread.Blocked {
			head += fmt.Sprintf("; %s, vise thread resume %s goes on", t.Status, t.ID)
		}
	}
	say := func(entries int, labels string) string {
		var lines []string
		last, n := "", 0
		for _, row := range c.Rows("") {
			if n++; row.Label != last {
				last, n = row.Label, 1
			}
			if n <= entries && (labels == "" || strings.Contains(labels, row.Label)) {
				lines = append(lines, "| "+row.Label+": "+clip(row.Text, shownEntry))
			}
		}
		return head + ":\n" + strings.Join(lines, "\n")
	}
	return layerOf("thread", 0, head, say(2, "problem thread next unverified dead end parked elsewhere"), say(shownEntries, ""))
}

// Text is the compact form of both.
func (l Left) Text() string {
	out := ""
	for _, x := range []layer{threadOf(l.Thread), linkedTodos(l.Todos)} {
		if len(x.forms) > 0 {
			out += x.forms[min(1, len(x.forms)-1)].text + "\n"
		}
	}
	return out
}

// linkedTodos tells of the open file todos that the work item links to.
func linkedTodos(list []LinkedTodo) layer {
	least := fmt.Sprintf("Linked file todos: %d open", len(list))
	say := func(n int) string {
		out := least + "; vise todo show ID shows one:"
		for _, x := range list[:min(n, len(list))] {
			out += fmt.Sprintf("\n- %s (%s): %s", x.Todo, model.Spaced(x.Status), clip(x.Title, todoText))
		}
		return out
	}
	return layerOfSome("linked_todos", len(list), least, say(compactTodos), say(maxTodosShown))
}

// Bounds of what is shown of a thread: entries of one kind, and characters of one entry.
const (
	shownEntries = 4
	shownEntry   = 300
)

// conflicts says where objective, plan and todos do not fit together, as far as that can be
// seen without understanding them. The plan is the stronger anchor (docs/lifecycle.md 13).
func conflicts(w model.WorkItem, v model.View) layer {
	found := Conflicts(w, v)
	least := fmt.Sprintf("Conflicts: %d; where objective, plan and todos differ, the plan holds", len(found))
	return layerOfSome("conflicts", len(found), least, "", least+"\n- "+strings.Join(found, "\n- "))
}

// Conflicts are the sentences about what does not fit together in an open item.
func Conflicts(w model.WorkItem, v model.View) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	done, running, total := w.TodoCounts()
	switch {
	case v.Plan.Condition != model.PlanOK && v.Plan.Condition != "" && v.Plan.Condition != model.PlanElsewhere:
		say("the plan file is %s; the objective and todos stand alone", model.Spaced(v.Plan.Condition))
	case v.PlanStatus == model.Ready && strings.TrimSpace(v.Plan.Preview.Raw()) == "" && v.Plan.PreviewComplete:
		say("plan_status is ready, but the plan file is empty")
	case total > 0 && w.PlanMoved():
		say("plan.md changed after the work item was last updated; bring the todo list in line with it")
	}
	if total > 0 && done == total {
		say("all %d todos are completed, but the work item is open; complete it, or say in the plan what is left", total)
	}
	if running > 1 {
		say("%d todos are in progress; normally one is", running)
	}
	if v.PlanStatus == model.NeedsInput {
		say("the plan needs input: this is an inspection, not work")
	}
	return out
}

// reminders are advice: nothing follows from them by itself.
func reminders(list []model.Advice) layer {
	least := fmt.Sprintf("Reminders: %d", len(list))
	lines := []string{"Reminders:"}
	for _, a := range list {
		lines = append(lines, "- "+a.Text)
	}
	return layerOfSome("reminders", len(list), least, "", strings.Join(lines, "\n"))
}
