package screen

import (
	"fmt"
	"slices"
	"strconv"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// The fleet's panes. The last one only shows.
const (
	FleetAgents = iota
	FleetInbox
	fleetRest
	fleetPanes
)

// Fleet is where the operator is on the fleet, and what was drawn of it: that stays until
// the operator's hands rest.
type Fleet struct {
	Focus  int
	Agents List[model.AgentID]
	Inbox  List[model.ItemID]
	// Entries are the inbox's, as drawn.
	Entries []model.Inboxed
}

// Adopt takes what the ledger tells. Touched: the order and the entries that are drawn stay,
// and are held; a list that is empty has nothing to keep.
func (p Fleet) Adopt(told model.Fleet, touched bool) Fleet {
	agents := make([]model.AgentID, len(told.Agents))
	for i, m := range told.Agents {
		agents[i] = m.Agent.ID
	}
	if n := len(p.Entries); n > 0 && len(told.Inbox) > n && slices.EqualFunc(p.Entries, told.Inbox[:n], sameEntry) {
		p = p.entries(told.Inbox) // more of the same list is no other order
	}
	if touched && len(p.Agents.Order) > 0 {
		p.Agents.Held = !slices.Equal(p.Agents.Order, agents) || !slices.EqualFunc(p.Entries, told.Inbox, sameEntry)
		return p
	}
	p.Agents = p.Agents.Show(agents)
	return p.entries(told.Inbox)
}

func (p Fleet) entries(all []model.Inboxed) Fleet {
	order := make([]model.ItemID, len(all))
	for i, x := range all {
		order[i] = x.ID
	}
	p.Inbox, p.Entries = p.Inbox.Show(order), all
	return p
}

func sameEntry(a, b model.Inboxed) bool {
	return a.ID == b.ID && a.Revision == b.Revision && a.Need == b.Need && a.Seen == b.Seen
}

// Entry is the inbox's entry that the keys are about; nil without one.
func (p Fleet) Entry() *model.Inboxed {
	if at := p.Inbox.At(); p.Focus == FleetInbox && at >= 0 {
		return &p.Entries[at]
	}
	return nil
}

// Subject is what the keys are about: the entry of the inbox, or an agent and no item.
func (p Fleet) Subject() (model.AgentID, model.ItemID) {
	if e := p.Entry(); e != nil {
		return e.AgentID, e.ID
	}
	return p.Agents.Cursor, ""
}

// Step moves the cursor of the pane in focus by n rows.
func (p Fleet) Step(n int) Fleet {
	if p.Focus == FleetInbox {
		p.Inbox = p.Inbox.Step(n)
	} else {
		p.Agents = p.Agents.Step(n)
	}
	return p
}

// Named are the agents that a frame of so many rows may show: what is told of them is read
// with the next refresh.
func (p Fleet) Named(rows int) []model.AgentID {
	from, to := p.Agents.Window(rows)
	return append(slices.Clone(p.Agents.Order[from:to]), p.Agents.Cursor)
}

// FleetView is all agents by attention, below them what needs the operator, and the newest
// events.
type FleetView struct {
	Frame
	Fleet
	Body   Rect
	Zoomed bool
	Told   model.Fleet
	Events Events
	// Findings wait for triage; Threads are what is known of all threads.
	Findings int
	Threads  []thread.Overview
}

// Panes lays the fleet out: agents above, the inbox below, the rest where there is room. A
// zoom, or a low screen, gives the pane in focus all.
func (v FleetView) Panes() (out [fleetPanes]Rect) {
	body := v.Body
	if v.Zoomed || body.H < 12 {
		out[v.Focus] = body
		return out
	}
	rest := 0
	if v.Wide || body.H >= 26 {
		rest = min(max(body.H/4, 5), 10)
	}
	room, wanted := body.H-rest, max(len(v.Entries), 2)+2
	agents := min(max(len(v.Agents.Order), 1)+3, max(room/2, room-wanted)) // what one does not need the next one gets
	inbox := room - agents
	if inbox > wanted && rest > 0 {
		inbox = wanted + 1
	}
	out[FleetAgents], out[FleetInbox] = body.RowsOf(agents), body.Below(agents).RowsOf(inbox)
	if rest > 0 {
		out[fleetRest] = body.Below(agents + inbox)
	}
	return out
}

// Revealed is the place with both cursors in sight.
func (v FleetView) Revealed() Fleet {
	panes := v.Panes()
	_, h := panes[FleetAgents].Inner()
	v.Agents = v.Agents.Reveal(h - 1)
	_, h = panes[FleetInbox].Inner()
	v.Inbox = v.Inbox.Reveal(h)
	return v.Fleet
}

// Draw draws the fleet.
func (v FleetView) Draw() Drawing {
	panes := v.Panes()
	d := v.agents(panes[FleetAgents]).Above(v.inbox(panes[FleetInbox])).Above(v.rest(panes[fleetRest]))
	d.Lines = d.Lines[:min(len(d.Lines), v.Body.H)]
	return d
}

func (v FleetView) agents(r Rect) Drawing {
	w, h := r.Inner()
	p := v.pane(r, FleetAgents, "Agents", "", v.Focus == FleetAgents)
	p.Right = v.heldNote(v.Agents.Held, "by attention")
	switch {
	case v.Unread != "":
		p.Lines = v.Said(v.Unread, w)
		return p.draw(v.Frame)
	case len(v.Agents.Order) == 0:
		p.Lines = v.Said("No agents yet. vise new OBJECTIVE --agent NAME makes the first.", w)
		return p.draw(v.Frame)
	}
	p.Lines = []string{v.heads(w)}
	known := map[model.AgentID]model.FleetMember{}
	for _, m := range v.Told.Agents {
		known[m.Agent.ID] = m
	}
	from, to := v.Agents.Window(h - 1)
	for i, id := range v.Agents.Order[from:to] {
		if m, ok := known[id]; ok {
			p.row(v.agent(m, w), from+i)
			continue
		}
		p.row(v.Strip(w, false, v.Muted.Of("   "+v.Show(model.Text(id)))), from+i)
	}
	p.Foot = v.Agents.position()
	if v.Told.More {
		p.Foot += ", and more"
	}
	p.Foot = v.Muted.Paint(p.Foot)
	return p.draw(v.Frame)
}

// heldNote says at a list's head that its order waits, else how it is ordered.
func (f Frame) heldNote(held bool, order string) string {
	if held {
		return f.NeedsYou.Paint("order changed") + f.Muted.Paint(" "+f.Keys.KeyOf(action.Refresh))
	}
	return f.Muted.Paint(order)
}

// columns are the fleet's columns that have room; what is dropped first stands last.
type columns struct {
	name, work            int
	todo, counts, age, at bool
}

const (
	ageCells   = 5
	stateCells = 16
	countCells = 4
	lastCells  = 24
	todoCells  = 6
)

func columnsOf(w int) columns {
	f := columns{name: min(max(w/6, 12), 24)}
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

// cells are a line of the fleet's table, by column.
type cells struct {
	name, state, age, work, todo, last widget.Piece
	counts                             [4]widget.Piece
}

// line are the pieces of a line that have room.
func (c columns) line(x cells) []widget.Piece {
	gap := widget.Ink{}.Of(" ")
	out := []widget.Piece{x.name.Pad(c.name), gap, x.state.Pad(stateCells)}
	if c.age {
		out = append(out, x.age.PadLeft(ageCells), gap)
	}
	if c.work > 0 {
		out = append(out, x.work.Pad(c.work), gap)
	}
	if c.todo {
		out = append(out, x.todo.Pad(todoCells))
	}
	if c.counts {
		for _, n := range x.counts {
			out = append(out, n.Pad(countCells))
		}
	}
	if c.at {
		out = append(out, x.last)
	}
	return out
}

func (v FleetView) heads(w int) string {
	g, k := v.Glyph, v.Faint
	return v.Strip(w, false, append([]widget.Piece{k.Of("   ")}, columnsOf(w).line(cells{
		name: k.Of("AGENT"), state: k.Of("STATE"), work: k.Of("CURRENT WORK"), todo: k.Of("TODO"), last: k.Of("LAST EVENT"),
		counts: [4]widget.Piece{k.Of(g.Triggered), k.Of(g.Queued), k.Of(g.NeedsYou), k.Of(g.Blocked)},
	})...)...)
}

// agent is an agent on a line.
func (v FleetView) agent(m model.FleetMember, w int) string {
	glyph, ink := v.agentMark(m.State)
	x := cells{
		name: v.Strong.Of(v.Show(model.Text(m.Agent.ID))), state: ink.Of(string(m.State)),
		work: v.Text.Of(v.workOf(m)), counts: [4]widget.Piece{
			v.Triggered.Of(v.count(m.Counts[model.TriggeredBlocked])), v.Queued.Of(v.count(m.Counts[model.QueuedRunnable])),
			v.NeedsYou.Of(v.count(m.NeedsYou)), v.Blocked.Of(v.count(m.Counts[model.BlockedClass])),
		},
	}
	if !m.Since.IsZero() {
		x.age = v.Muted.Of(v.Age(m.Since))
	}
	if m.Current != nil && m.Current.Todo.Total > 0 {
		x.todo = v.Muted.Of(fmt.Sprintf("%d/%d", m.Current.Todo.Done, m.Current.Todo.Total))
	}
	if m.Last != nil {
		x.last = v.Muted.Of(text.Pad(v.Show(m.Last.Tell()), lastCells-ageCells) + text.PadLeft(v.Age(m.Last.At), ageCells-1))
	}
	selected := m.Agent.ID == v.Agents.Cursor
	pieces := append([]widget.Piece{v.NeedsYou.Of(v.marker(selected)), ink.Of(glyph + " ")}, columnsOf(w).line(x)...)
	return v.Strip(w, selected && v.Cursor && v.Focus == FleetAgents, pieces...)
}

func (v FleetView) count(n int) string {
	switch {
	case n == 0:
		return v.Glyph.Dot
	case n > 999:
		return "999+"
	}
	return strconv.Itoa(n)
}

// workOf is an agent's current item, or what there is instead.
func (v FleetView) workOf(m model.FleetMember) string {
	switch {
	case m.Current != nil:
		return string(m.Current.Handle) + " " + v.Show(m.Current.Objective)
	case m.Agent.QueuedInput > 0:
		return fmt.Sprintf("none · %d queued %s", m.Agent.QueuedInput, Plural(m.Agent.QueuedInput, "message", "messages"))
	}
	return "none"
}

func (v FleetView) agentMark(s model.AgentState) (string, widget.Ink) {
	switch s {
	case model.AgentAsks:
		return v.Glyph.NeedsYou, v.NeedsYou
	case model.AgentStalled, model.AgentFails:
		return v.Glyph.Warning, v.NeedsYou
	case model.AgentTriggered:
		return v.Glyph.Triggered, v.Triggered
	case model.AgentWorks:
		return v.Glyph.Current, v.Current
	case model.AgentHasWork:
		return v.Glyph.Queued, v.Queued
	case model.AgentWaits, model.AgentStopped:
		return v.Glyph.Blocked, v.Blocked
	}
	return v.Glyph.Dot, v.Muted
}

// Gist is the fleet in a few words, for the header.
func (v FleetView) Gist() string {
	count := map[model.AgentState]int{}
	for _, m := range v.Told.Agents {
		count[m.State]++
	}
	n := len(v.Told.Agents)
	s, sep := fmt.Sprintf("%d %s", n, Plural(n, "agent", "agents")), ": "
	for _, g := range []struct {
		state model.AgentState
		word  string
	}{
		{model.AgentWorks, "work"}, {model.AgentAsks, "asks"}, {model.AgentStalled, "stalled"}, {model.AgentFails, "fail"},
		{model.AgentTriggered, "triggered"},
	} {
		if count[g.state] > 0 {
			s += fmt.Sprintf("%s%d %s", sep, count[g.state], g.word)
			sep = ", "
		}
	}
	return s
}

// Words say what the entry under the cursor is about; empty without one.
func (v FleetView) Words() string {
	x := v.Entry()
	switch {
	case x == nil:
		return ""
	case x.Need == model.NeedAnswer:
		return fmt.Sprintf("%s of %s has waited %s for an answer.", x.Handle, v.Show(model.Text(x.AgentID)), v.Age(x.Since))
	}
	return fmt.Sprintf("%s of %s: %s", x.Handle, v.Show(model.Text(x.AgentID)), v.needWords(*x))
}
