package prompt

import (
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/model/thread"
)

// Bounds of what is told apart from the focus: items of one kind, and messages looked through
// for the items that they name.
const (
	maxNamed    = 3
	maxMessages = 20
)

// turnOf tells why the agent's turn runs; without a turn nothing.
func turnOf(a model.Agent) layer {
	if a.Turn == nil {
		return layer{name: "turn"}
	}
	text := fmt.Sprintf("Turn %d. %s", a.Turn.Index, why(a.Turn.Tick, len(a.Turn.Messages)))
	return layerOf("turn", 0, "", "", text)
}

func why(tick string, messages int) string {
	switch {
	case tick == "" && messages > 0:
		return fmt.Sprintf("New messages for you: %d.", messages)
	case strings.HasPrefix(tick, "work_queue:continue_active:"):
		return "Go on with the current work item."
	case strings.HasPrefix(tick, "work_queue:review_triggered:"):
		return "Something that a blocked work item waits for was heard. Review it."
	case strings.HasPrefix(tick, "work_queue:queued_available:"):
		return "A queued work item is available."
	case strings.HasPrefix(tick, "work_item_recheck:"):
		return "Blocked work items are due for a second look: look into the blockers, then clear or renew them."
	}
	return "You were asked to run."
}

// besideFocus are the items that the turn or a message is about, the focus aside: what the tick
// offers, what is due for a second look, and what messages to the agent name.
func besideFocus(r Reader, a model.Agent, current model.ItemID) []layer {
	told := []model.ItemID{current}
	pick := func(ids []model.ItemID, keep func(model.WorkItem) bool) (out []model.WorkItem) {
		for _, id := range ids {
			w, ok := r.Item(id)
			if ok && w.AgentID == a.ID && keep(w) && !slices.Contains(told, id) && len(out) < maxNamed {
				told, out = append(told, id), append(out, w)
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
func namedBy(r Reader, a model.Agent) []model.ItemID {
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
func items(r Reader, name, title string, list []model.WorkItem) layer {
	if len(list) == 0 {
		return layer{name: name}
	}
	least, brief, full := []string{}, []string{title + ":"}, []string{title + ":"}
	var rows []model.Row
	for _, w := range list {
		v := model.ViewOf(r, w)
		rows = append(rows, model.Row{ID: w.ID})
		least = append(least, string(w.Handle))
		head := fmt.Sprintf("- %s (%s), %s, plan %s, revision %d :: ", v.Handle, v.ID, v.Scheduling, v.PlanStatus, v.Revision)
		short := append([]string{head + clip(v.Objective, shortObjective)}, standing(v, blocker(v), waits(v))...)
		brief = append(brief, short...)
		long := append([]string{head + clip(v.Objective, model.MaxObjective)}, standing(v, blocker(v), waits(v), answers(w), todos(v), plan(v))...)
		full = append(full, long...)
	}
	return layerOf(name, len(list), title+": "+strings.Join(least, ", "), strings.Join(brief, "\n"), strings.Join(full, "\n")).showing(rows)
}

// standing are the fullest forms of an item's layers, set below its line.
func standing(v model.View, parts ...layer) []string {
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
		return layer{name: "thread"}
	}
	head := fmt.Sprintf("Where the work was left, as the thread in %s has it; a note with its age, not an order", clip(c.Repo, noteText))
	if c.Thread != nil {
		head += "; saved at " + clip(c.Thread.UpdatedAt, noteText)
	}
	var lines []string
	last, n := "", 0
	for _, row := range c.Rows("") {
		if n++; row.Label != last {
			last, n = row.Label, 1
		}
		if n <= shownEntries {
			lines = append(lines, "| "+row.Label+": "+clip(row.Text, shownEntry))
		}
	}
	return layerOf("thread", 0, head, "", head+":\n"+strings.Join(lines, "\n"))
}

// Bounds of what is told of a thread: entries of one kind, and characters of one entry.
const (
	shownEntries = 4
	shownEntry   = 300
)
