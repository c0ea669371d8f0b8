package console

import (
	"fmt"
	"strconv"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// fleetActivity is the fleet's third pane, which only shows.
const fleetActivity = fleetPaneCount

// fleetPanes lays the fleet out: agents above, the inbox below, activity where there is
// room. A zoom, or a screen of one pane, gives the pane in focus all.
func (c Console) fleetPanes() (out [fleetPaneCount + 1]rect) {
	body, p := c.layout.body(), c.place.fleet
	if c.place.zoomed || body.h < 12 {
		out[p.focus] = body
		return out
	}
	least := 0 // of the activity
	if c.layout.shape == three || body.h >= 26 {
		least = min(max(body.h/4, 5), 10)
	}
	room := body.h - least
	agents := min(max(len(p.order), 1)+3, room/2)
	inbox := room - agents
	if wanted := max(len(p.inbox), 2) + 2; inbox > wanted { // what one does not need the next one gets
		agents = min(max(len(p.order), 1)+3, room-wanted)
		inbox = room - agents
		if least > 0 {
			inbox = min(inbox, wanted+1)
		}
	}
	out[fleetAgents] = body.rowsOf(agents)
	out[fleetInbox] = body.below(agents).rowsOf(inbox)
	if least > 0 {
		out[fleetActivity] = body.below(agents + inbox)
	}
	return out
}

// fleetBody draws the fleet.
func (c Console) fleetBody(body rect) []string {
	var out []string
	panes := c.fleetPanes()
	for _, pane := range []struct {
		at   rect
		draw func(rect) []string
	}{{panes[fleetAgents], c.agentsPane}, {panes[fleetInbox], c.inboxPane}, {panes[fleetActivity], c.fleetRest}} {
		if !pane.at.empty() {
			out = append(out, pane.draw(pane.at)...)
		}
	}
	return out[:min(len(out), body.h)]
}

// agentsPane lists the agents by attention.
func (c Console) agentsPane(r rect) []string {
	w, h := r.inner()
	p, k := c.place.fleet, c.styles
	b := widget.Box{Title: k.Strong.Paint("Agents"), Right: c.fleetNote(), Focused: p.focus == fleetAgents}
	switch {
	case c.trouble != nil && c.truth.at.IsZero():
		b.Lines = c.frame().Said(c.troubleWords(), w)
	case c.truth.at.IsZero():
		b.Lines = []string{" " + k.Muted.Paint("Reading the ledger…")}
	case len(p.order) == 0:
		b.Lines = c.frame().Said("No agents yet. vise new OBJECTIVE --agent NAME makes the first.", w)
	default:
		b.Lines = append(b.Lines, c.agentHeads(w))
		members := map[model.AgentID]*model.FleetMember{}
		for i := range c.truth.fleet.Agents {
			members[c.truth.fleet.Agents[i].Agent.ID] = &c.truth.fleet.Agents[i]
		}
		for _, id := range p.order[min(p.top[fleetAgents], len(p.order)):min(p.top[fleetAgents]+h-1, len(p.order))] {
			if m := members[id]; m != nil {
				b.Lines = append(b.Lines, c.agentLine(*m, w))
				continue
			}
			b.Lines = append(b.Lines, k.Strip(w, false, k.Muted.Of("   "+c.show(model.Text(id)))))
		}
		b.Foot = k.Muted.Paint(fmt.Sprintf("%d of %d", indexOf(p.order, p.agent)+1, len(p.order)) + more(c.truth.fleet.More))
	}
	return b.Draw(r.w, r.h, k)
}

func more(there bool) string {
	if there {
		return ", and more"
	}
	return ""
}

func indexOf[T comparable](list []T, x T) int {
	for i := range list {
		if list[i] == x {
			return i
		}
	}
	return -1
}

func (c Console) fleetNote() string {
	if c.place.fleet.held {
		return c.styles.NeedsYou.Paint("order changed") + c.styles.Muted.Paint(" R")
	}
	return c.styles.Muted.Paint("by attention")
}

// fleetColumns are the columns that have room; what is dropped first stands last.
type fleetColumns struct {
	name, work            int
	todo, counts, age, at bool
}

const (
	stateCells = 16
	countCells = 4
	lastCells  = 24
	todoCells  = 6
)

func fleetColumnsOf(w int) fleetColumns {
	f := fleetColumns{name: min(max(w/6, 12), 24)}
	room := w - 3 - f.name - 1 - stateCells
	take := func(cells, keep int) bool {
		if room-cells < keep {
			return false
		}
		room -= cells
		return true
	}
	f.age = take(ageCells+1, 0)
	f.counts = take(4*countCells, 16)
	f.todo = take(todoCells, 18)
	f.at = take(lastCells, 26)
	f.work = max(room-1, 0)
	return f
}

func (c Console) agentHeads(w int) string {
	f, g := fleetColumnsOf(w), c.styles.Glyph
	s := "   " + text.Pad("AGENT", f.name) + " " + text.Pad("STATE", stateCells)
	if f.age {
		s += text.Pad("", ageCells+1)
	}
	if f.work > 0 {
		s += text.Pad("CURRENT WORK", f.work) + " "
	}
	if f.todo {
		s += text.Pad("TODO", todoCells)
	}
	if f.counts {
		for _, glyph := range []string{g.Triggered, g.Queued, g.NeedsYou, g.Blocked} {
			s += text.Pad(glyph, countCells)
		}
	}
	if f.at {
		s += "LAST EVENT"
	}
	return c.styles.Strip(w, false, c.styles.Faint.Of(s))
}

// agentLine is an agent on a line.
func (c Console) agentLine(m model.FleetMember, w int) string {
	k, f, p := c.styles, fleetColumnsOf(w), c.place.fleet
	selected := m.Agent.ID == p.agent
	marker := " "
	if selected {
		marker = k.Glyph.Cursor
	}
	glyph, mark := c.agentMark(m.State)
	pieces := []widget.Piece{k.NeedsYou.Of(marker), mark.Of(glyph + " "), k.Strong.Of(text.Pad(c.show(model.Text(m.Agent.ID)), f.name) + " "), mark.Of(text.Pad(string(m.State), stateCells))}
	if f.age {
		pieces = append(pieces, k.Muted.Of(text.PadLeft(c.ageOf(m), ageCells)+" "))
	}
	if f.work > 0 {
		pieces = append(pieces, k.Text.Of(text.Pad(c.workOf(m), f.work)+" "))
	}
	if f.todo {
		pieces = append(pieces, k.Muted.Of(text.Pad(todoGist(m.Current), todoCells)))
	}
	if f.counts {
		count := func(n int, k widget.Ink) widget.Piece { return k.Of(text.Pad(c.countWord(n), countCells)) }
		pieces = append(pieces, count(m.Counts[model.TriggeredBlocked], k.Triggered), count(m.Counts[model.QueuedRunnable], k.Queued),
			count(m.NeedsYou, k.NeedsYou), count(m.Counts[model.BlockedClass], k.Blocked))
	}
	if f.at && m.Last != nil {
		age := text.Age(c.now.Sub(m.Last.At))
		pieces = append(pieces, k.Muted.Of(text.Pad(c.show(m.Last.Tell()), lastCells-ageCells)+text.PadLeft(age, ageCells-1)))
	}
	return k.Strip(w, selected && c.dialogless() && p.focus == fleetAgents, pieces...)
}

func (c Console) ageOf(m model.FleetMember) string {
	if m.Since.IsZero() {
		return ""
	}
	return text.Age(c.now.Sub(m.Since))
}

func (c Console) countWord(n int) string {
	switch {
	case n == 0:
		return c.styles.Glyph.Dot
	case n > 999:
		return "999+"
	}
	return strconv.Itoa(n)
}

// workOf is an agent's current item, or what there is instead.
func (c Console) workOf(m model.FleetMember) string {
	switch {
	case m.Current != nil:
		return string(m.Current.Handle) + " " + c.show(m.Current.Objective)
	case m.Agent.QueuedInput > 0:
		return fmt.Sprintf("none · %d queued %s", m.Agent.QueuedInput, plural(m.Agent.QueuedInput, "message", "messages"))
	}
	return "none"
}

func todoGist(r *model.Row) string {
	if r == nil || r.Todo.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", r.Todo.Done, r.Todo.Total)
}

func (c Console) agentMark(s model.AgentState) (string, widget.Ink) {
	k := c.styles
	switch s {
	case model.AgentAsks:
		return k.Glyph.NeedsYou, k.NeedsYou
	case model.AgentStalled, model.AgentFails:
		return k.Glyph.Warning, k.NeedsYou
	case model.AgentTriggered:
		return k.Glyph.Triggered, k.Triggered
	case model.AgentWorks:
		return k.Glyph.Current, k.Current
	case model.AgentHasWork:
		return k.Glyph.Queued, k.Queued
	case model.AgentWaits, model.AgentStopped:
		return k.Glyph.Blocked, k.Blocked
	}
	return k.Glyph.Dot, k.Muted
}

// fleetActivityPane shows the newest events of all agents.
func (c Console) fleetActivityPane(r rect) []string {
	w, h := r.inner()
	b := widget.Box{Title: c.styles.Strong.Paint("Activity") + "  " + c.styles.Muted.Paint("all agents")}
	b.Right = c.styles.Accent.Paint(c.styles.Glyph.Following) + c.styles.Muted.Paint(" following")
	for _, e := range c.truth.activity[:min(h, len(c.truth.activity))] {
		b.Lines = append(b.Lines, c.streamLine(e, string(c.truth.names[e.WorkItemID]), w))
	}
	return b.Draw(r.w, r.h, c.styles)
}

// streamLine is an event of any agent on a line.
func (c Console) streamLine(e model.Entry, handle string, w int) string {
	return c.styles.Strip(w, false, append([]widget.Piece{c.styles.Muted.Of(" ")}, c.streamPieces(e, handle, w)...)...)
}

// streamPieces are an event: when, whose, what.
func (c Console) streamPieces(e model.Entry, handle string, w int) []widget.Piece {
	k := c.styles
	glyph, ink := c.glyphOfEvent(e.Kind)
	if handle != "" {
		handle += "  "
	}
	agent := c.show(model.Text(e.AgentID))
	who := ""
	if e.Actor != model.AgentActor(e.AgentID) {
		who = "  " + c.show(model.Text(e.Actor))
	}
	cells := min(max(w/7, 8), inboxAgentCells)
	return []widget.Piece{
		k.Muted.Of(text.Pad(c.frame().Clock(e.At), 8) + "  "), k.Strong.Of(text.Pad(agent, cells) + " "), ink.Of(glyph + " "),
		k.Muted.Of(handle), k.Text.Of(c.show(e.Tell())), k.Faint.Of(who),
	}
}

// fleetGist is the fleet in a few words for the header.
func (c Console) fleetGist() string {
	count := map[model.AgentState]int{}
	for _, m := range c.truth.fleet.Agents {
		count[m.State]++
	}
	n := len(c.truth.fleet.Agents)
	s := fmt.Sprintf("%d %s", n, plural(n, "agent", "agents"))
	sep := ": "
	for _, g := range []struct {
		state model.AgentState
		word  string
	}{{model.AgentWorks, "work"}, {model.AgentAsks, "asks"}, {model.AgentStalled, "stalled"}, {model.AgentFails, "fail"}, {model.AgentTriggered, "triggered"}} {
		if count[g.state] > 0 {
			s += fmt.Sprintf("%s%d %s", sep, count[g.state], g.word)
			sep = ", "
		}
	}
	return s
}

// fleetWords say what the entry under the cursor is about, for the message line.
func (c Console) fleetWords() string {
	x := c.place.fleet.entry()
	if x == nil || c.place.fleet.focus != fleetInbox {
		return ""
	}
	age := text.Age(c.now.Sub(x.Since))
	if x.Need == model.NeedAnswer {
		return fmt.Sprintf("%s of %s has waited %s for an answer.", x.Handle, c.show(model.Text(x.AgentID)), age)
	}
	return fmt.Sprintf("%s of %s: %s", x.Handle, c.show(model.Text(x.AgentID)), c.needWords(*x))
}
