package console

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/markdown"
)

// Memo is where the operator was, as it is written down: a console that is started again
// in the same terminal begins there. It holds nothing of the ledger's.
type Memo struct {
	View  string        `json:"view"`
	Agent model.AgentID `json:"agent,omitempty"`
	Focus int           `json:"focus,omitempty"`
	// Unfolded and Zoomed are as on screen.
	Unfolded bool `json:"unfolded,omitempty"`
	Zoomed   bool `json:"zoomed,omitempty"`
	// Light is whether the terminal said that its background is: it is asked at each start, and
	// answers after the first frame.
	Light    bool                       `json:"light,omitempty"`
	Desks    map[model.AgentID]MemoDesk `json:"desks,omitempty"`
	Fleet    MemoFleet                  `json:"fleet,omitzero"`
	Activity MemoActivity               `json:"activity,omitzero"`
	Reports  MemoReports                `json:"reports,omitzero"`
}

// MemoDesk is the place on one agent's desk.
type MemoDesk struct {
	Item   model.ItemID   `json:"item,omitempty"`
	Tab    string         `json:"tab,omitempty"`
	Filter string         `json:"filter,omitempty"`
	Marks  []model.ItemID `json:"marks,omitempty"`
	Top    int            `json:"top,omitempty"`
	Pages  []MemoPage     `json:"pages,omitempty"`
}

// MemoPage is how far a page was scrolled: to a line, or to a place of the plan.
type MemoPage struct {
	Item  model.ItemID `json:"item,omitempty"`
	Tab   string       `json:"tab"`
	Line  int          `json:"line,omitempty"`
	Block int          `json:"block,omitempty"`
}

// MemoFleet is the place on the fleet.
type MemoFleet struct {
	Inbox bool          `json:"inbox,omitempty"`
	Agent model.AgentID `json:"agent,omitempty"`
	Item  model.ItemID  `json:"item,omitempty"`
}

// MemoActivity is the place among the events.
type MemoActivity struct {
	Cursor model.Position `json:"cursor,omitzero"`
	Top    model.Position `json:"top,omitzero"`
	Left   model.Position `json:"left,omitzero"`
	Filter string         `json:"filter,omitempty"`
}

// MemoReports is the place among finished work.
type MemoReports struct {
	Item    model.ItemID `json:"item,omitempty"`
	Reading bool         `json:"reading,omitempty"`
	Scroll  int          `json:"scroll,omitempty"`
	Filter  string       `json:"filter,omitempty"`
	Rows    int          `json:"rows,omitempty"`
}

// Keeper writes down where the operator is.
type Keeper interface {
	Keep(context.Context, Memo) error
}

// Bounds of a memo: what is beyond is forgotten.
const (
	memoDesks = 50
	memoPages = 100
	memoMarks = 1000
)

// memo is where the operator is.
func (c Console) memo() Memo {
	p := c.place
	m := Memo{View: p.view.String(), Agent: p.agent, Focus: int(p.focus), Unfolded: p.unfolded, Zoomed: p.zoomed, Light: !c.terminal.dark, Desks: map[model.AgentID]MemoDesk{}}
	for agent, s := range p.elsewhere {
		if len(m.Desks) < memoDesks || agent == p.home {
			m.Desks[agent] = s.memo()
		}
	}
	if p.view == viewDesk {
		m.Desks[p.agent] = p.spot.memo()
	} else {
		m.Agent = p.home
	}
	m.Fleet = MemoFleet{p.fleet.Focus == screen.FleetInbox, p.fleet.Agents.Cursor, p.fleet.Inbox.Cursor}
	m.Activity = MemoActivity{p.activity.Cursor, p.activity.Top, p.activity.Left, p.activity.Filter}
	m.Reports = MemoReports{p.reports.Cursor, p.reports.Reading, p.reports.Scroll, p.reports.Filter, p.reports.Want}
	return m
}

func (s spot) memo() MemoDesk {
	m := MemoDesk{Item: s.cursor, Tab: tabName(s.tab), Filter: s.filter, Top: s.top}
	for id := range s.marks.set {
		if len(m.Marks) < memoMarks {
			m.Marks = append(m.Marks, id)
		}
	}
	slices.Sort(m.Marks)
	for at, line := range s.scroll {
		if line > 0 && len(m.Pages) < memoPages {
			m.Pages = append(m.Pages, MemoPage{Item: at.item, Tab: tabName(at.tab), Line: line})
		}
	}
	for id, at := range s.reading {
		if at != (markdown.Position{}) && len(m.Pages) < 2*memoPages {
			m.Pages = append(m.Pages, MemoPage{Item: id, Tab: tabName(screen.TabPlan), Line: at.Row, Block: at.Block})
		}
	}
	slices.SortFunc(m.Pages, func(a, b MemoPage) int { return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Tab, b.Tab)) })
	return m
}

func tabName(t screen.Tab) string {
	if t == tabActivity {
		return "Activity"
	}
	return screen.TabNames[t]
}

func tabOf(name string) (screen.Tab, bool) {
	if name == "Activity" {
		return tabActivity, true
	}
	at := slices.Index(screen.TabNames[:], name)
	return screen.Tab(max(at, 0)), at >= 0
}

// restored begins where a memo says. What it says that makes no sense is passed over: the
// file may be old, or damaged. An agent that the operator named wins.
func (c Console) restored(m *Memo) Console {
	if m == nil {
		return c
	}
	c.terminal.dark = !m.Light
	c.styles = c.terminal.styles(c.opt)
	p := &c.place
	p.elsewhere = map[model.AgentID]spot{}
	for agent, d := range m.Desks {
		if model.ValidID(string(agent)) {
			p.elsewhere[agent] = d.spot()
		}
	}
	agent := p.agent
	if agent == "" && model.ValidID(string(m.Agent)) {
		agent = m.Agent
	}
	p.agent = ""
	*p = p.goTo(agent)
	p.unfolded, p.zoomed = m.Unfolded, m.Zoomed
	if m.Focus >= 0 && m.Focus < int(paneCount) {
		p.focus = pane(m.Focus)
	}
	p.fleet.Agents.Cursor, p.fleet.Inbox.Cursor = m.Fleet.Agent, m.Fleet.Item
	if m.Fleet.Inbox {
		p.fleet.Focus = screen.FleetInbox
	}
	p.activity = screen.Activity{Cursor: m.Activity.Cursor, Top: m.Activity.Top, Left: m.Activity.Left, Filter: typedBefore(m.Activity.Filter)}
	p.reports = screen.Reports{Reading: m.Reports.Reading, Scroll: max(m.Reports.Scroll, 0),
		Filter: typedBefore(m.Reports.Filter), Want: min(max(m.Reports.Rows, 0), mostFinished)}
	p.reports.Cursor = m.Reports.Item
	for v := range viewCount {
		if v != viewDesk && v.String() == m.View {
			p.home, p.view, p.agent, p.spot = agent, v, "", newSpot()
		}
	}
	return c
}

func (d MemoDesk) spot() spot {
	s := newSpot()
	s.cursor, s.filter, s.top = d.Item, typedBefore(d.Filter), max(d.Top, 0)
	s.tab, _ = tabOf(d.Tab)
	if len(d.Marks) > 0 && len(d.Marks) <= memoMarks {
		s.marks = s.marks.with(true, d.Marks...)
	}
	for _, p := range d.Pages[:min(len(d.Pages), 2*memoPages)] {
		switch t, ok := tabOf(p.Tab); {
		case !ok || p.Line < 0 || p.Block < 0:
		case t == screen.TabPlan:
			s.reading[p.Item] = markdown.Position{Block: p.Block, Row: p.Line}
		default:
			s.scroll[page{p.Item, t}] = p.Line
		}
	}
	return s
}

// typedBefore is a filter as it was kept, if it can have been typed.
func typedBefore(s string) string {
	if len(s) > maxFilter*utf8.UTFMax || !utf8.ValidString(s) {
		return ""
	}
	return s
}

// noted writes down where the operator is, and what is typed into an open dialog, if
// either changed. It comes with the beats that follow a key: a console that is killed loses
// less than a second.
func (c Console) noted() (Console, tea.Cmd) {
	c, draft := c.autosaved()
	if c.fx.Keeper == nil {
		return c, draft
	}
	m := c.memo()
	raw, err := json.Marshal(m)
	if err != nil || string(raw) == c.idle.kept {
		return c, draft
	}
	c.idle.kept = string(raw)
	keep := func() tea.Msg {
		_ = c.fx.Keeper.Keep(c.fx.ctx, m) // the place is a comfort: nothing waits for it, nothing fails without it
		return nil
	}
	return c, tea.Batch(draft, keep)
}
