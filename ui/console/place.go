package console

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/markdown"
)

// Memo is the operator's place, as stored. A console that starts again in the same terminal begins there. It
// holds no data of the ledger.
type Memo struct {
	View  string        `json:"view"`
	Agent model.AgentID `json:"agent,omitempty"`
	Focus int           `json:"focus,omitempty"`
	// Unfolded and Zoomed are the states on screen.
	Unfolded bool `json:"unfolded,omitempty"`
	Zoomed   bool `json:"zoomed,omitempty"`
	// LastKey is approximately the time of a person's last key.
	LastKey time.Time `json:"last_key,omitzero"`
	// Light reports whether the terminal said that its background is light. The console asks at each start, and
	// the answer comes after the first frame.
	Light bool `json:"light,omitempty"`
	// Desks holds the desk of Agent.
	Desks   map[model.AgentID]memoDesk `json:"desks,omitempty"`
	Fleet   screen.Fleet               `json:"fleet,omitzero"`
	Reports screen.Reports             `json:"reports,omitzero"`
}

// memoDesk is the place on one agent's desk, with the scroll position of the page on screen.
type memoDesk struct {
	Item   model.ItemID      `json:"item,omitempty"`
	Tab    string            `json:"tab,omitempty"`
	Filter string            `json:"filter,omitempty"`
	Marks  []model.ItemID    `json:"marks,omitempty"`
	Top    int               `json:"top,omitempty"`
	Line   int               `json:"line,omitempty"`
	Plan   markdown.Position `json:"plan,omitzero"`
}

// At is the place on an item's tab.
func At(agent model.AgentID, item model.ItemID, tab screen.Tab) *Memo {
	return &Memo{Agent: agent, Focus: int(paneDetail), Desks: map[model.AgentID]memoDesk{agent: {Item: item, Tab: screen.TabNames[tab]}}}
}

// Keeper stores the operator's place.
type Keeper interface {
	Keep(context.Context, Memo) error
}

// memoMarks is the greatest number of marks that are restored.
const memoMarks = 1000

// memo is the operator's current place.
func (c *console) memo() Memo {
	p := c.place
	desk := p.spot
	m := Memo{View: p.view.String(), Agent: p.agent, Focus: int(p.focus), Unfolded: p.unfolded, Zoomed: p.zoomed, Light: !c.terminal.dark,
		LastKey: c.idle.lastKey.Truncate(keyGrain)}
	if p.view != viewDesk {
		m.Agent, desk = p.home, p.elsewhere[p.home]
	}
	m.Desks = map[model.AgentID]memoDesk{m.Agent: desk.memo()}
	m.Fleet, m.Reports = p.fleet, p.reports
	return m
}

func (s spot) memo() memoDesk {
	return memoDesk{Item: s.cursor, Tab: screen.TabNames[s.tab], Filter: s.filter, Marks: slices.Sorted(maps.Keys(s.marks)), Top: s.top,
		Line: s.scroll[page{s.cursor, s.tab}], Plan: s.reading[s.cursor]}
}

// restored begins at the place in a memo. It ignores invalid values, because the file may be old or damaged. An
// agent that the operator named has priority.
func restored(c *console, m *Memo) {
	if m == nil {
		return
	}
	c.terminal.dark = !m.Light
	c.styles = c.terminal.styles(c.opt)
	c.idle.lastKey = m.LastKey
	p := &c.place
	agent := p.agent
	if agent == "" && model.ValidID(string(m.Agent)) {
		agent = m.Agent
	}
	p.agent, p.elsewhere = "", map[model.AgentID]spot{agent: m.Desks[agent].spot()}
	*p = p.goTo(agent)
	p.unfolded, p.zoomed = m.Unfolded, m.Zoomed
	if m.Focus >= 0 && m.Focus < int(paneCount) {
		p.focus = pane(m.Focus)
	}
	p.fleet = m.Fleet
	p.fleet.Filter, p.fleet.Focus = typedBefore(m.Fleet.Filter), min(max(m.Fleet.Focus, 0), screen.FleetPanes-1)
	p.reports = m.Reports
	p.reports.Filter, p.reports.Scroll = typedBefore(m.Reports.Filter), max(m.Reports.Scroll, 0)
	p.reports.Want = min(max(m.Reports.Want, 0), mostFinished)
	for v := range viewCount {
		if v != viewDesk && v.String() == m.View {
			p.home, p.view, p.agent, p.spot = agent, v, "", newSpot()
		}
	}
}

func (d memoDesk) spot() spot {
	s := newSpot()
	s.cursor, s.filter, s.top = d.Item, typedBefore(d.Filter), max(d.Top, 0)
	s.tab = screen.Tab(max(slices.Index(screen.TabNames[:], d.Tab), 0))
	if len(d.Marks) > 0 && len(d.Marks) <= memoMarks {
		s.marks = s.marks.with(true, d.Marks...)
	}
	s.scroll[page{d.Item, s.tab}] = max(d.Line, 0)
	if d.Plan.Block >= 0 && d.Plan.Row >= 0 {
		s.reading[d.Item] = d.Plan
	}
	return s
}

// typedBefore is a stored filter, or empty if nobody can have typed it.
func typedBefore(s string) string {
	if len(s) > maxFilter*utf8.UTFMax || !utf8.ValidString(s) {
		return ""
	}
	return s
}

// noted stores the operator's place and the text in an open dialog, if either changed. It runs with the beats
// after a key, so a killed console loses less than a second.
func noted(c *console) {
	c.autosaved()
	if c.fx.Keeper == nil {
		return
	}
	m := c.memo()
	raw, err := json.Marshal(m)
	if err != nil || string(raw) == c.idle.kept {
		return
	}
	c.idle.kept = string(raw)
	fx := c.fx
	c.start(func() tea.Msg {
		_ = fx.Keeper.Keep(fx.ctx, m) // optional: nothing waits for it, and an error here is ignored
		return nil
	})
}

// pane is a part of the desk that can have the focus.
type pane int

const (
	paneQueue pane = iota
	paneDetail
	paneActivity
	paneCount
)

// place is where the operator is. It is view state only, and refers to rows by id, never by number.
type place struct {
	view view
	// home is the agent whose desk was left for another view.
	home    model.AgentID
	fleet   screen.Fleet
	reports screen.Reports
	// way are the earlier places, the last one last.
	way []stop
	// walked is the last visited place in the inbox, walkedTo the item there.
	walked   int
	walkedTo model.ItemID
	// inboxMarks are the marked entries of the inbox.
	inboxMarks marks
	// agent is the agent whose desk is shown. On another view it is the agent whose item keys apply to.
	agent  model.AgentID
	focus  pane
	zoomed bool
	// unfolded shows all rows of a class, reasons why the item is where it is.
	unfolded, reasons bool
	spot
	// elsewhere holds the spots of the other agents.
	elsewhere map[model.AgentID]spot
}

// spot is the place on one agent's desk.
type spot struct {
	cursor model.ItemID
	tab    screen.Tab
	filter string
	marks  marks
	// top is the first shown line of the queue.
	top int
	// scroll is the first shown line of each page. Each item has its own pages.
	scroll map[page]int
	// reading is the first shown place of each plan.
	reading map[model.ItemID]markdown.Position
}

// page is one tab of one item; the activity pane is a page without an item.
type page struct {
	item model.ItemID
	tab  screen.Tab
}

const tabActivity = screen.TabCount

func newSpot() spot {
	return spot{scroll: map[page]int{}, reading: map[model.ItemID]markdown.Position{}}
}

// goTo moves to another agent's desk, as the operator left it.
func (p place) goTo(agent model.AgentID) place {
	next := maps.Clone(p.elsewhere)
	if next == nil {
		next = map[model.AgentID]spot{}
	}
	if p.agent != "" {
		next[p.agent] = p.spot
	}
	there, known := next[agent]
	if !known {
		there = newSpot()
	}
	p.agent, p.spot, p.elsewhere = agent, there, next
	return p
}

// page is the page that the detail shows.
func (p place) page() page { return page{p.cursor, p.tab} }

// scrollTo sets a page's first line.
func (p place) scrollTo(at page, line int) { p.scroll[at] = max(line, 0) }
