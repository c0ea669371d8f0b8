package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/text"
)

func (v FleetView) agents(r Rect) Drawing {
	w, h := r.Inner()
	p := v.pane(r, FleetAgents, "Agents", "", v.Focus == FleetAgents)
	p.Right = v.heldNote(v.Agents.Held, "by attention")
	if away := v.awayWords(); away != "" {
		p.Right = v.NeedsYou.Paint(text.Cut(away, max(w/2, 0))) + v.Muted.Paint(" · ") + p.Right
	}
	if v.Unread != "" || len(v.Agents.Order) == 0 {
		p.Lines = v.Said(cmp.Or(v.Unread, noAgents), w)
		return p.draw()
	}
	p.Lines = []string{v.heads(w)}
	from, to := v.Agents.Window(h - 1)
	rows := v.rows(v.Agents.Order[from:to], w)
	short := len(slices.Concat(rows...)) > h-1
	for i, lines := range rows {
		if short {
			lines = lines[:1]
		}
		for _, l := range lines {
			p.row(l, from+i)
		}
	}
	p.Foot = v.Agents.position()
	if v.Known.More {
		p.Foot += ", and more"
	}
	p.Foot = v.Muted.Paint(p.Foot)
	return p.draw()
}

// rows returns the lines of agents, one for each, or two on a long screen if its words need them.
func (v FleetView) rows(order []model.AgentID, w int) (out [][]string) {
	known := make(map[model.AgentID]*model.FleetMember, len(v.Known.Agents))
	for i := range v.Known.Agents {
		known[v.Known.Agents[i].Agent.ID] = &v.Known.Agents[i]
	}
	for _, id := range order {
		lines := []string{v.Strip(w, false, v.Muted.Of("   "+v.Show(model.Text(id))))}
		if m, ok := known[id]; ok {
			lines = v.agent(*m, w)
		}
		out = append(out, lines)
	}
	return out
}

// noAgents is shown if there are no agents.
const noAgents = "No agents yet. vise new OBJECTIVE --agent NAME makes the first."

// heldNote says above a list that its order is held, or else how it is ordered.
func (f Frame) heldNote(held bool, order string) string {
	if held {
		return f.NeedsYou.Paint("order changed") + f.Muted.Paint(" "+f.KeyOf(action.Refresh))
	}
	return f.Muted.Paint(order)
}

// fleetColumns are the widths of a line of the fleet: the agent's name, its strip, and the text about its state.
type fleetColumns struct{ name, strip, now int }

// columns divides w cells. The text comes first: the strip gets the cells that are left. Each cell of it stands for a whole number of
// minutes. On a long screen, where the text can take two lines, the strip has a cell for each of 60 minutes.
func (v FleetView) columns(w int) (c fleetColumns) {
	c.name = min(max(w/7, 10), 20)
	c.now = w - 4 - c.name
	least := 48
	if v.Long {
		least /= 2
	}
	for _, x := range [][2]int{{60, least}, {30, 40}, {20, 36}} {
		if c.now-x[0]-2 >= x[1] {
			c.strip = x[0]
			c.now -= x[0] + 2
			break
		}
	}
	c.now = max(c.now, 0)
	return c
}

// line puts the pieces of a line into their columns.
func (c fleetColumns) line(mark []Piece, name Piece, strip, now []Piece) []Piece {
	gap := Ink{}.Of(" ")
	out := append(mark, name.Of(text.Pad(name.Text, c.name)), gap)
	if c.strip > 0 {
		out = append(append(out, strip...), gap, gap)
	}
	return append(out, now...)
}

func (v FleetView) heads(w int) string {
	c := v.columns(w)
	strip := v.Faint.Of(text.Pad("LAST 60 MIN", c.strip))
	mark, now := []Piece{v.Faint.Of("   ")}, []Piece{v.Faint.Of("NOW")}
	return v.Strip(w, false, c.line(mark, v.Faint.Of("AGENT"), []Piece{strip}, now)...)
}

// agent returns the lines of an agent.
func (v FleetView) agent(m model.FleetMember, w int) []string {
	c := v.columns(w)
	glyph, ink := v.agentMark(m)
	selected := m.Agent.ID == v.Agents.Cursor
	mark := []Piece{v.Accent.Of(v.marker(selected)), ink.Of(glyph + " ")}
	name, now := v.Strong.Of(v.AgentName(m.Agent.ID)), v.now(m, ink, c.now)
	var more []Piece
	if v.Long {
		now, more = v.wrap(v.now(m, ink, 2*c.now), c.now)
	}
	if asOf := v.AsOf(m.Agent.ID); asOf != "" { // the ages after it are of that time and continue to count
		now = append([]Piece{v.Muted.Of(text.Cut(asOf+": ", c.now))}, v.now(m, ink, max(c.now-text.Width(asOf)-2, 0))...)
		for i := range now {
			now[i] = v.Muted.Of(now[i].Text)
		}
		name, mark[1], more = v.Muted.Of(name.Text), v.Muted.Of(mark[1].Text), nil
	}
	selected = selected && v.Cursor && v.Focus == FleetAgents
	out := []string{v.Strip(w, selected, c.line(mark, name, v.strip(m, c.strip), now)...)}
	if more != nil {
		blank := func(cells int) Piece { return Ink{}.Of(text.Pad("", cells)) }
		out = append(out, v.Strip(w, selected, c.line([]Piece{blank(3)}, blank(0), []Piece{blank(c.strip)}, more)...))
	}
	return out
}

// wrap puts what an agent does into lines of w cells, the second one empty if it is not needed.
func (v FleetView) wrap(now []Piece, w int) (first, second []Piece) {
	all := ""
	for _, p := range now {
		all += p.Text
	}
	lines := text.Wrap(all, w)
	if len(lines) < 2 {
		return now, nil
	}
	lead := min(len(now[0].Text), len(lines[0]))
	return []Piece{now[0].Of(lines[0][:lead]), v.Text.Of(lines[0][lead:])}, []Piece{v.Text.Of(strings.Join(lines[1:], " "))}
}

// strip returns what an agent did in the time that strips show.
func (v FleetView) strip(m model.FleetMember, cells int) (out []Piece) {
	t, known := v.Tracks[m.Agent.ID]
	if !known || cells == 0 {
		return []Piece{Ink{}.Of(text.Pad("", cells))}
	}
	marks := t.Strip(m, v.Now, model.StripTime/time.Duration(cells), cells)
	for from := 0; from < len(marks); {
		s, ink := v.stripMark(marks[from])
		to := from + 1
		for ; to < len(marks); to++ {
			next, other := v.stripMark(marks[to])
			if other != ink {
				break
			}
			s += next
		}
		out, from = append(out, ink.Of(s)), to
	}
	return out
}

func (v FleetView) stripMark(m model.StripMark) (string, Ink) {
	switch m {
	case model.StripUnread:
		return " ", v.Faint
	case model.StripNothing:
		return v.Glyph.Dot, v.Faint
	case model.StripTriggered:
		return v.Glyph.Triggered, v.Triggered
	case model.StripAsks:
		return v.Glyph.NeedsYou, v.NeedsYou
	case model.StripCompleted:
		return v.Glyph.Done, v.Done
	case model.StripFailed:
		return v.Glyph.Failed, v.Blocked
	}
	return [...]string{v.Glyph.Work1, v.Glyph.Work2, v.Glyph.Work3, v.Glyph.Work4}[m-model.StripWork1], v.Current
}

// saying is the text about an agent's state: lead in the ink of its state, rest, which is cut if there is no room, and end, which is not
// cut. The usage is added if there is room.
type saying struct {
	lead, rest, end string
	used            []string
}

// leastRest is the width that rest must have before the usage is shown.
const leastRest = 32

// now says what an agent is doing, or what prevents it from working.
func (v FleetView) now(m model.FleetMember, ink Ink, w int) []Piece {
	s := v.saying(m)
	if len(m.Overlaps) > 0 {
		s.end += v.overlapMark(m.Overlaps)
	}
	between := ""
	if s.lead != "" && s.rest != "" {
		between = " "
	}
	for _, used := range s.used {
		used = " · " + used
		if text.Width(s.lead+between)+min(text.Width(s.rest), leastRest)+text.Width(s.end)+text.Width(used) <= w {
			s.end += used
		}
	}
	lead := text.Cut(s.lead, w)
	room := max(w-text.Width(lead)-text.Width(s.end), 0)
	return []Piece{ink.Of(lead), v.Text.Of(text.Cut(between+s.rest, room)), v.Muted.Of(s.end)}
}

// overlapMark names an agent that changes a file of this agent's current work.
func (v FleetView) overlapMark(list []model.Overlapped) string {
	file := v.Show(list[0].File)
	name := text.Cut(file[strings.LastIndexByte(file, '/')+1:], markedFile)
	return fmt.Sprintf(" %s %s: %s", v.Glyph.Warning, v.AgentName(list[0].AgentID), name)
}

// markedFile is how many cells of a file's name an overlap mark shows.
const markedFile = 16

func (v FleetView) saying(m model.FleetMember) saying {
	s := saying{lead: model.Spaced(m.State), used: v.used(m)}
	retry := v.Keyed(" · {review} retry")
	x, isLive := v.live(m)
	switch d := m.Why.Decision; {
	case m.Asks != nil && (m.State == model.AgentAsks || m.State == model.AgentWaits):
		s.lead, s.rest = v.asks(*m.Asks)+":", v.Show(action.NeedSays(*m.Asks))
		if m.Asks.Wait.Question != "" {
			s.rest = `"` + s.rest + `"`
		}
	case m.State == model.AgentFails && m.Agent.Pace.Failure != nil:
		s.lead, s.rest, s.end = "failing:", `"`+v.Show(m.Agent.Pace.Failure.Reason)+`"`, retry
		if d.HeldBy != "" {
			s.used = append([]string{"again in " + text.Age(d.Until.Sub(v.Now))}, s.used...)
		}
	case m.State == model.AgentStalled && len(m.Why.Stalled) > 0:
		s.lead, s.rest, s.end = "stalled:", v.Show(m.Why.Stalled[0].Objective), retry
	case m.State == model.AgentTriggered && m.Came != nil:
		s.lead, s.rest, s.end = v.came(m)
	case m.Current == nil && isLive && x.State != home.SessionGone:
		s.lead, s.rest = "", "no work item is picked"
		return v.inSession(s, x)
	case d.HeldBy != "" && !isLive:
		s.lead, s.rest, s.end = "rests "+text.Age(d.Until.Sub(v.Now))+":", d.HeldBy, retry
	case m.State == model.AgentWorks && m.Current != nil:
		s.lead, s.rest = "", v.work(*m.Current)
		if m.Asks != nil {
			s.end = " · " + v.asks(*m.Asks)
		}
		return v.inSession(s, x)
	case m.State == model.AgentHasWork:
		s.lead, s.rest = v.queue(m)
	case m.State == model.AgentWaits:
		s.lead, s.rest = "", d.Words()
	case m.Last != nil:
		s.end = " · last event " + v.Age(m.Last.At) + " ago"
	}
	if isLive && x.State != home.SessionAsks {
		s.end += " · " + string(x.State) + " " + v.Age(x.Since)
	}
	return s
}

// live is the agent's session, and whether it tells what the agent does now.
func (v FleetView) live(m model.FleetMember) (x home.Session, ok bool) {
	x, _ = home.Live(v.Sessions, m.Agent.ID)
	return x, x.Says(v.Now, m.Why.Decision) != ""
}

// inSession adds at what an agent's session works, and what it used.
func (v FleetView) inSession(s saying, x home.Session) saying {
	if x.State == "" || x.State == home.SessionGone && x.Driver.PID != 0 {
		return s
	}
	s.lead, s.end = string(x.State)+" "+v.Age(x.Since)+":", s.end+x.Used()
	if x.Doing != "" {
		s.rest = v.Show(model.Text(x.Doing)) + " · " + s.rest
	}
	return s
}

// asks says since when a question is waiting.
func (v FleetView) asks(x model.Inboxed) string {
	if x.Need == model.NeedPermit {
		return "permission, " + v.Age(x.Since)
	}
	if x.Seen {
		return "seen, asks " + v.Age(x.Since)
	}
	return "asks " + v.Age(x.Since)
}

// came describes the trigger that an agent has not reviewed.
func (v FleetView) came(m model.FleetMember) (lead, rest, end string) {
	rest = v.Show(cmp.Or(m.With, m.Came.Objective))
	if by := m.Came.Wait.Came(); by != "" {
		lead = v.Show(by) + ":"
	}
	end = " " + v.Age(m.Came.Since) + " ago, nobody looked"
	if m.Looked {
		end = " " + v.Age(m.Came.Since) + " ago, not reviewed"
	}
	return lead, rest, end
}

// work says how far an item is, with its current todo.
func (v FleetView) work(r model.Row) string {
	if r.Todo.Current == "" {
		return v.Show(r.Objective)
	}
	return fmt.Sprintf("%d/%d %s", r.Todo.Done, r.Todo.Total, v.Show(r.Todo.Current))
}

// queue says what waits for an agent's next turn.
func (v FleetView) queue(m model.FleetMember) (lead, rest string) {
	switch n := m.Counts[model.QueuedRunnable]; {
	case m.Next != nil:
		return model.Counted(n, "item") + " queued, next", v.Show(m.Next.Objective)
	case m.Agent.QueuedInput > 0:
		return model.Counted(m.Agent.QueuedInput, "message") + " queued", ""
	}
	return model.Spaced(m.State), ""
}

// used says what an agent's turns used today, and how many turns there were in the time of its strip.
func (v FleetView) used(m model.FleetMember) (words []string) {
	if x := m.Agent.UsedToday(v.Now); x.CostUSD > 0 {
		words = append(words, fmt.Sprintf("$%.2f today", x.CostUSD))
	}
	if n := v.Tracks[m.Agent.ID].Turns(v.Now.Add(-model.StripTime)); n > 0 {
		words = append(words, model.Counted(n, "turn")+" in 60 min")
	}
	return words
}

func (v FleetView) agentMark(m model.FleetMember) (string, Ink) {
	switch m.State {
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
		if m.Asks != nil && m.State == model.AgentWaits {
			return v.Glyph.NeedsYou, v.Muted
		}
		return v.Glyph.Blocked, v.Blocked
	}
	return v.Glyph.Dot, v.Muted
}
