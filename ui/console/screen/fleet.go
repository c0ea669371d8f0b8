package screen

import (
	"cmp"
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
// the operator pauses.
type Fleet struct {
	Focus  int
	Agents List[model.AgentID]
	Inbox  List[model.ItemID]
	// Entries are the inbox's, as drawn.
	Entries []model.Inboxed
	// Filter shows, in place of the inbox, what of all agents' items it keeps.
	Filter string
}

// Adopt takes what was read. Touched: the order and the entries that are drawn stay,
// and are held; a list that is empty has nothing to keep.
func (p Fleet) Adopt(read model.Fleet, touched bool) Fleet {
	agents := keysOf(read.Agents, func(m model.FleetMember) model.AgentID { return m.Agent.ID })
	if n := len(p.Entries); n > 0 && len(read.Inbox) > n && slices.EqualFunc(p.Entries, read.Inbox[:n], sameEntry) {
		p = p.entries(read.Inbox) // more of the same list is no other order
	}
	if touched && len(p.Agents.Order) > 0 {
		p.Agents.Held = !slices.Equal(p.Agents.Order, agents) || !slices.EqualFunc(p.Entries, read.Inbox, sameEntry)
		return p
	}
	p.Agents = p.Agents.Show(agents)
	return p.entries(read.Inbox)
}

func (p Fleet) entries(all []model.Inboxed) Fleet {
	p.Inbox, p.Entries = p.Inbox.Show(keysOf(all, func(x model.Inboxed) model.ItemID { return x.ID })), all
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

// Named are the agents that a frame of so many rows may show: what is known of them is read
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
	Known  model.Fleet
	Found  Filter
	Events Events
	// Findings wait for triage; Threads are what is known of all threads.
	Findings int
	Threads  []thread.Overview
	// Marked are the marked entries of the inbox, MarkWords how many there are.
	Marked    []model.ItemID
	MarkWords string
}

// Panes lays the fleet out: agents above, the inbox below, the rest where it fits. A
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
	height, wanted := body.H-rest, max(len(v.Entries), 2)+2+v.Found.Rows()
	agents := min(max(len(v.Agents.Order), 1)+3, max(height/2, height-wanted)) // what one does not need the next one gets
	inbox := height - agents
	if inbox > wanted && rest > 0 {
		inbox = wanted + 1
	}
	out[FleetAgents], out[FleetInbox] = body.RowsOf(agents), body.Below(agents).RowsOf(inbox)
	if rest > 0 {
		out[fleetRest] = body.Below(agents + inbox)
	}
	return out
}

// Revealed is the place with both cursors visible.
func (v FleetView) Revealed() Fleet {
	panes := v.Panes()
	_, h := panes[FleetAgents].Inner()
	v.Agents = v.Agents.Reveal(h - 1)
	_, h = panes[FleetInbox].Inner()
	v.Inbox = v.Inbox.Reveal(h - v.Found.Rows())
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
	if v.Unread != "" || len(v.Agents.Order) == 0 {
		p.Lines = v.Said(cmp.Or(v.Unread, noAgents), w)
		return p.draw(v.Frame)
	}
	p.Lines = []string{v.heads(w)}
	known := make(map[model.AgentID]*model.FleetMember, len(v.Known.Agents))
	for i := range v.Known.Agents {
		known[v.Known.Agents[i].Agent.ID] = &v.Known.Agents[i]
	}
	from, to := v.Agents.Window(h - 1)
	for i, id := range v.Agents.Order[from:to] {
		if m, ok := known[id]; ok {
			p.row(v.agent(*m, w), from+i)
			continue
		}
		p.row(v.Strip(w, false, v.Muted.Of("   "+v.Show(model.Text(id)))), from+i)
	}
	p.Foot = v.Agents.position()
	if v.Known.More {
		p.Foot += ", and more"
	}
	p.Foot = v.Muted.Paint(p.Foot)
	return p.draw(v.Frame)
}

// noAgents is said where agents would stand.
const noAgents = "No agents yet. vise new OBJECTIVE --agent NAME makes the first."

// heldNote says at a list's head that its order waits, else how it is ordered.
func (f Frame) heldNote(held bool, order string) string {
	if held {
		return f.NeedsYou.Paint("order changed") + f.Muted.Paint(" "+f.Keys.KeyOf(action.Refresh))
	}
	return f.Muted.Paint(order)
}

// The fleet's columns, from left to right.
const (
	colName = iota
	colState
	colAge
	colWork
	colTodo
	colTriggered
	colQueued
	colNeedsYou
	colBlocked
	colLast
	colCount
)

const (
	ageCells   = 5
	stateCells = 16
	lastCells  = 24
)

// widths are the columns that fit in w cells, gaps included; the work takes what is left.
func widths(w int) (out [colCount]int) {
	out[colName], out[colState] = min(max(w/6, 12), 24)+1, stateCells
	free := w - 3 - out[colName] - stateCells
	take := func(cells, least int, columns ...int) { // where it leaves the work the least that it needs
		if free-cells*len(columns) < least {
			return
		}
		for _, c := range columns {
			out[c] = cells
			free -= cells
		}
	}
	take(ageCells+1, 0, colAge)
	take(4, 16, colTriggered, colQueued, colNeedsYou, colBlocked)
	take(6, 18, colTodo)
	take(lastCells, 26, colLast)
	out[colWork] = max(free, 0)
	return out
}

// cells are a line of the fleet's table, by column.
type cells [colCount]widget.Piece

// line are the pieces that fit.
func (x cells) line(mark []widget.Piece, w int) []widget.Piece {
	gap := widget.Ink{}.Of(" ")
	for i, n := range widths(w) {
		switch {
		case n == 0:
		case i == colAge:
			mark = append(mark, x[i].PadLeft(n-1), gap)
		case i == colName || i == colWork:
			mark = append(mark, x[i].Pad(n-1), gap)
		default:
			mark = append(mark, x[i].Pad(n))
		}
	}
	return mark
}

func (v FleetView) heads(w int) string {
	g := v.Glyph
	var x cells
	heads := [colCount]string{
		"AGENT", "STATE", "", "CURRENT WORK", "TODO", g.Triggered, g.Queued, g.NeedsYou, g.Blocked, "LAST EVENT",
	}
	for i, s := range heads {
		x[i] = v.Faint.Of(s)
	}
	return v.Strip(w, false, x.line([]widget.Piece{v.Faint.Of("   ")}, w)...)
}

// agent is an agent on a line.
func (v FleetView) agent(m model.FleetMember, w int) string {
	glyph, ink := v.agentMark(m.State)
	x := cells{
		colName: v.Strong.Of(v.Show(model.Text(m.Agent.ID))), colState: ink.Of(v.stateOf(m)), colWork: v.Text.Of(v.workOf(m)),
		colTriggered: v.count(m.Counts[model.TriggeredBlocked], v.Triggered),
		colQueued:    v.count(m.Counts[model.QueuedRunnable], v.Queued),
		colNeedsYou:  v.count(v.needs(m), v.NeedsYou),
		colBlocked:   v.count(m.Counts[model.BlockedClass], v.Blocked),
	}
	if !m.Since.IsZero() {
		x[colAge] = v.Muted.Of(v.Age(m.Since))
	}
	if m.Current != nil && m.Current.Todo.Total > 0 {
		x[colTodo] = v.Muted.Of(fmt.Sprintf("%d/%d", m.Current.Todo.Done, m.Current.Todo.Total))
	}
	if m.Last != nil {
		x[colLast] = v.Muted.Of(text.Pad(v.Show(m.Last.Describe()), lastCells-ageCells) + text.PadLeft(v.Age(m.Last.At), ageCells-1))
	}
	selected := m.Agent.ID == v.Agents.Cursor
	mark := []widget.Piece{v.Accent.Of(v.marker(selected)), ink.Of(glyph + " ")}
	return v.Strip(w, selected && v.Cursor && v.Focus == FleetAgents, x.line(mark, w)...)
}

// stateOf is an agent's state, and how long it rests.
func (v FleetView) stateOf(m model.FleetMember) string {
	switch d := m.Why.Decision; {
	case d.HeldBy == "":
		return string(m.State)
	case m.State == model.AgentWorks || m.State == model.AgentHasWork:
		return "rests " + text.Age(d.Until.Sub(v.Now))
	default:
		return string(m.State) + ", " + text.Age(d.Until.Sub(v.Now))
	}
}

func (v FleetView) count(n int, ink widget.Ink) widget.Piece {
	switch {
	case n == 0:
		return v.Muted.Of(v.Glyph.Dot)
	case n > 999:
		return ink.Of("999+")
	}
	return ink.Of(strconv.Itoa(n))
}

// workOf is an agent's current item, or what there is instead.
func (v FleetView) workOf(m model.FleetMember) string {
	switch {
	case m.Current != nil:
		return v.Show(m.Current.Objective)
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
	for _, m := range v.Known.Agents {
		count[m.State]++
	}
	n := len(v.Known.Agents)
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

// Words say what the entry under the cursor is about, or when the agent under it runs next.
func (v FleetView) Words() string {
	x := v.Entry()
	switch {
	case x == nil:
		return v.runsNext()
	case x.Need == model.NeedRepair:
		return fmt.Sprintf("%s fails: %s", v.Show(model.Text(x.AgentID)), v.Show(x.Objective))
	case x.Need == model.NeedPermit:
		return fmt.Sprintf("%s waits in %s for permission since %s: %s", v.Show(model.Text(x.AgentID)), v.Show(x.Wait.Source),
			v.Age(x.Since), v.Show(x.Objective))
	case x.Need == model.NeedAnswer:
		return fmt.Sprintf("%s has waited %s for an answer: %s", v.Show(model.Text(x.AgentID)), v.Age(x.Since), v.Show(x.Objective))
	}
	return fmt.Sprintf("%s: %s", v.Show(model.Text(x.AgentID)), v.Show(action.NeedSays(*x)))
}

// runsNext says when the agent under the cursor runs next, and what holds it back.
func (v FleetView) runsNext() string {
	at := slices.IndexFunc(v.Known.Agents, func(m model.FleetMember) bool { return m.Agent.ID == v.Agents.Cursor })
	if at < 0 || len(v.Known.Agents[at].Why.Lines) == 0 {
		return ""
	}
	m, name, cost := v.Known.Agents[at], v.Show(model.Text(v.Agents.Cursor)), ""
	why := m.Why
	if words := m.Agent.CostWords(v.Now); words != "" {
		cost = " Its turns used " + words + "."
	}
	if d := why.Decision; d.HeldBy != "" {
		next := fmt.Sprintf("%s runs next in %s: %s. {review} retries now.", name, text.Age(d.Until.Sub(v.Now)), d.HeldBy)
		return v.Keys.Keyed(next) + cost
	}
	return fmt.Sprintf("%s runs next: %s.%s", name, v.Show(why.Lines[0].Text), cost)
}
