package screen

import (
	"fmt"
	"slices"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/text"
)

// The fleet's panes. The parked threads, beside the activity, cannot have the keys.
const (
	FleetAgents = iota
	FleetInbox
	FleetActivity
	FleetPanes
	fleetThreads = -1
)

// Fleet is the operator's position on the fleet, and what was drawn there. The drawn order stays until the operator pauses.
type Fleet struct {
	Focus  int                 `json:"focus,omitempty"`
	Agents List[model.AgentID] `json:"agents,omitzero"`
	Inbox  List[model.ItemID]  `json:"inbox,omitzero"`
	// Entries are the inbox's entries as drawn.
	Entries []model.Inboxed `json:"-"`
	// Snoozed means that snoozed entries are shown too, at the end of the inbox.
	Snoozed bool `json:"-"`
	// Journal are the newest events of all agents, Told the same as drawn. While the cursor is on the newest, it follows newer ones.
	Journal List[model.Position] `json:"-"`
	Told    []model.Act          `json:"-"`
	// Wanted is how many events to read, if more than usual.
	Wanted int `json:"-"`
	// Filter, if set, replaces the inbox by the items of all agents that it keeps; with OfEvents it keeps events.
	Filter   string `json:"filter,omitempty"`
	OfEvents bool   `json:"of_events,omitempty"`
}

// Adopt takes new data. If touched is set, the drawn order and entries stay and are marked as held. An empty list takes the new order.
func (p Fleet) Adopt(read model.Fleet, events []model.Act, touched bool) Fleet {
	before := p.Journal.At()
	if before <= 0 {
		p.Journal.Cursor = model.Position{}
	}
	p.Told, p.Journal = events, p.Journal.Show(keysOf(events, model.Act.Position))
	p.Journal.Top += max(p.Journal.At()-before, 0) // newer events move nothing on screen
	if p.Snoozed {
		read.Inbox = slices.Concat(read.Inbox, read.Snoozed)
	}
	agents := keysOf(read.Agents, func(m model.FleetMember) model.AgentID { return m.Agent.ID })
	if n := len(p.Entries); n > 0 && len(read.Inbox) > n && slices.EqualFunc(p.Entries, read.Inbox[:n], sameEntry) {
		p = p.entries(read.Inbox) // a longer list with the same beginning has the same order
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
	return a.ID == b.ID && a.Revision == b.Revision && a.Need == b.Need && a.Seen == b.Seen && a.Snoozed == b.Snoozed &&
		a.SnoozedUntil.Equal(b.SnoozedUntil)
}

// Entry returns the entry of the inbox at the cursor, or nil if there is none.
func (p Fleet) Entry() *model.Inboxed {
	if at := p.Inbox.At(); p.Focus == FleetInbox && at >= 0 {
		return &p.Entries[at]
	}
	return nil
}

// Subject returns what the keys apply to: the item of an inbox entry or of an event, or an agent and no item.
func (p Fleet) Subject() (model.AgentID, model.ItemID) {
	if e := p.Entry(); e != nil {
		return e.AgentID, e.ID
	}
	if at := p.Journal.At(); p.Focus == FleetActivity && at >= 0 {
		return p.Told[at].AgentID, p.Told[at].WorkItemID
	}
	return p.Agents.Cursor, ""
}

// Step moves the cursor of the focused pane by n rows.
func (p Fleet) Step(n int) Fleet {
	switch p.Focus {
	case FleetInbox:
		p.Inbox = p.Inbox.Step(n)
	case FleetActivity:
		p.Journal = p.Journal.Step(n)
	default:
		p.Agents = p.Agents.Step(n)
	}
	return p
}

// Named returns the agents that a frame of that many rows can show. Their data are read with the next refresh.
func (p Fleet) Named(rows int) []model.AgentID {
	from, to := p.Agents.Window(rows)
	return append(slices.Clone(p.Agents.Order[from:to]), p.Agents.Cursor)
}

// FleetView shows all agents, the most urgent first, below them the inbox, and the newest events.
type FleetView struct {
	Frame
	Fleet
	Body   Rect
	Zoomed bool
	// Long means that the screen has room for long strips and for a second line of an agent.
	Long  bool
	Known model.Fleet
	// Sessions are the sessions of agents, the newest first.
	Sessions []home.Session
	// Tracks holds the data of the agents' strips.
	Tracks map[model.AgentID]model.Track
	Found  Filter
	Events Events
	// Findings is the number of findings that wait for triage. Threads is what is known of all threads.
	Findings int
	Threads  []thread.Overview
	// Marked are the marked entries of the inbox. MarkWords says how many there are.
	Marked    []model.ItemID
	MarkWords string
}

// Panes lays out the fleet: agents above, the inbox below, the rest where it fits. With a zoom or on a low screen the focused pane gets the
// whole screen.
func (v FleetView) Panes() (out [FleetPanes]Rect) {
	body, rest := v.Body, 0
	if v.Wide || body.H >= 26 {
		rest = min(max(body.H/4, 5), 10)
	}
	if v.Zoomed || body.H < 12 || v.Focus == FleetActivity && rest == 0 {
		out[v.Focus] = body
		return out
	}
	height, wanted := body.H-rest, max(len(v.Entries), 2)+2+v.found(false).Rows()
	agents := len(v.Agents.Order)
	if v.Long && agents < height {
		agents = len(slices.Concat(v.rows(v.Agents.Order, body.W-2)...))
	}
	agents = min(max(agents, 1)+3, max(height/2, height-wanted)) // rows that the agents do not need go to the inbox
	inbox := height - agents
	if inbox > wanted && rest > 0 {
		inbox = wanted + 1
	}
	out[FleetAgents], out[FleetInbox] = body.RowsOf(agents), body.Below(agents).RowsOf(inbox)
	if rest > 0 {
		out[FleetActivity] = body.Below(agents + inbox)
	}
	return out
}

// Revealed returns the position scrolled so that both cursors are visible.
func (v FleetView) Revealed() Fleet {
	panes := v.Panes()
	_, h := panes[FleetAgents].Inner()
	v.Agents = v.Agents.Reveal(h - 1)
	_, h = panes[FleetInbox].Inner()
	v.Inbox = v.Inbox.Reveal(h - v.found(false).Rows())
	_, h = panes[FleetActivity].Inner()
	v.Journal = v.Journal.Reveal(h - v.found(true).Rows())
	return v.Fleet
}

// found is the filter, if it is that of the events, or that of the inbox.
func (v FleetView) found(ofEvents bool) (f Filter) {
	if v.OfEvents == ofEvents {
		f = v.Found
	}
	return f
}

// Draw draws the fleet.
func (v FleetView) Draw() Drawing {
	panes := v.Panes()
	d := v.agents(panes[FleetAgents]).Above(v.inbox(panes[FleetInbox])).Above(v.rest(panes[FleetActivity]))
	d.Lines = d.Lines[:min(len(d.Lines), v.Body.H)]
	return d
}

// Gist describes the fleet in a few words, for the header.
func (v FleetView) Gist() string {
	count := map[model.AgentState]int{}
	for _, m := range v.Known.Agents {
		count[m.State]++
	}
	n := len(v.Known.Agents)
	s, sep := model.Counted(n, "agent"), ": "
	for _, g := range []struct {
		state model.AgentState
		words string
	}{
		{model.AgentWorks, "working"}, {model.AgentAsks, "asking"}, {model.AgentStalled, "stalled"}, {model.AgentFails, "failing"},
		{model.AgentTriggered, "with news"},
	} {
		if n := count[g.state]; n > 0 {
			s += fmt.Sprintf("%s%d %s", sep, n, g.words)
			sep = ", "
		}
	}
	return s
}

// Words describe the entry under the cursor, or say when the agent under the cursor runs next.
func (v FleetView) Words() string {
	x := v.Entry()
	agent, _ := v.Subject()
	host, away := v.awayOf(agent)
	switch {
	case away && host.Trouble != nil:
		return fmt.Sprintf("%s is away since %s: %s. %s.", host.Name, host.Since.Local().Format("15:04"),
			v.Show(model.Text(host.Trouble.Error())), v.Show(model.Text(host.Trouble.Hint)))
	case v.Focus == FleetActivity:
		return ""
	case x == nil:
		return v.runsNext()
	case x.Need == model.NeedRepair:
		return fmt.Sprintf("%s fails: %s", v.AgentName(x.AgentID), v.Show(x.Objective))
	case x.Need == model.NeedPermit:
		return fmt.Sprintf("%s waits in %s for permission since %s: %s", v.AgentName(x.AgentID), v.Show(x.Wait.Source),
			v.Age(x.Since), v.Show(x.Objective))
	case x.Need == model.NeedAnswer:
		return fmt.Sprintf("%s has waited %s for an answer: %s", v.AgentName(x.AgentID), v.Age(x.Since), v.Show(x.Objective))
	}
	return fmt.Sprintf("%s: %s", v.AgentName(x.AgentID), v.Show(action.NeedSays(*x)))
}

// runsNext says when the agent under the cursor runs next, and what delays it.
func (v FleetView) runsNext() string {
	at := slices.IndexFunc(v.Known.Agents, func(m model.FleetMember) bool { return m.Agent.ID == v.Agents.Cursor })
	if at < 0 || len(v.Known.Agents[at].Why.Lines) == 0 {
		return ""
	}
	m, name, cost := v.Known.Agents[at], v.AgentName(v.Agents.Cursor), ""
	name, why := v.overlaps(m.Overlaps)+name, m.Why
	if words := m.Agent.CostWords(v.Now); words != "" {
		cost = " Its turns used " + words + "."
	}
	if words := v.ownUse(m.Agent.ID).Words(); words != "" {
		cost += " Its sessions in their own terminals used " + words + " today."
	}
	s, _ := home.Live(v.Sessions, m.Agent.ID)
	if says := s.Says(v.Now, why.Decision); says != "" {
		return name + " " + v.Show(model.Text(says)) + "." + cost
	}
	if d := why.Decision; d.HeldBy != "" {
		next := fmt.Sprintf("%s runs next in %s: %s. {review} retries now.", name, text.Age(d.Until.Sub(v.Now)), d.HeldBy)
		return v.Keyed(next) + cost
	}
	return fmt.Sprintf("%s runs next %s.%s", name, v.Show(why.Lines[0].Text), cost)
}

// ownUse is what an agent's sessions used today that people run.
func (v FleetView) ownUse(agent model.AgentID) (u model.Usage) {
	for _, s := range v.Sessions {
		if s.Agent == agent {
			u = u.Plus(s.Count.Days[v.Now.UTC().Format(time.DateOnly)])
		}
	}
	return u
}

// overlaps name the agents that change the same files as the agent under the cursor.
func (v FleetView) overlaps(list []model.Overlapped) string {
	if len(list) == 0 {
		return ""
	}
	more := ""
	if n := len(list) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return v.Show(model.Text(list[0].Where())) + more + ". "
}
