package console

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
	"vise/ui/markdown"
	"vise/ui/text"
)

// maxFilter bounds a filter, in Unicode scalars.
const maxFilter = 200

// filterText is the filter that holds: the one being typed, else the one kept.
func (c *console) filterText() string {
	if p := c.layers.prompt(filterPrompt); p != nil {
		return p.Value()
	}
	return *c.keptFilter()
}

// keptFilter is the filter of the view that is shown.
func (c *console) keptFilter() *string {
	switch c.place.view {
	case viewActivity:
		return &c.place.activity.Filter
	case viewReports:
		return &c.place.reports.Filter
	case viewFleet:
		return &c.place.fleet.Filter
	}
	return &c.place.filter
}

// filterShown is the filter as it is drawn.
func (c *console) filterShown() screen.Filter {
	f := screen.Filter{Text: c.filterText(), Typing: c.layers.prompt(filterPrompt) != nil}
	now, read := asksFor(c)
	f.Trouble = read.Trouble
	if now.words != "" {
		h, _ := hitsOf(c)
		f.Note = h.note()
	}
	return f
}

// startFilter starts typing one, or what the detail is searched for. All rows are read for a
// filter.
func startFilter(c *console) tea.Cmd {
	if c.place.focus == paneDetail && c.place.view == viewDesk {
		return startSearch(c)
	}
	c.open(newPrompt(filterPrompt, *c.keptFilter()))
	if c.place.focus = paneQueue; c.place.view == viewFleet {
		c.place.fleet.Focus = screen.FleetInbox
	}
	return tea.Batch(c.laidOut(), c.read())
}

// handle takes what is typed into a prompt.
func (m promptMsg) handle(c *console) tea.Cmd {
	switch {
	case m.what == searchPrompt:
		return c.searched(m)
	case m.dropped:
		return c.filtered("")
	case m.ended:
		return c.filtered(m.text)
	}
	return c.filteredNow()
}

func (c *console) filtered(f string) tea.Cmd {
	*c.keptFilter() = f
	return tea.Batch(c.filteredNow(), c.read())
}

// filteredNow narrows what is shown to the filter that holds.
func (c *console) filteredNow() tea.Cmd {
	if c.place.view != viewDesk {
		c.idle.quiet = idleBeats // what is typed narrows at once
		c.place.activity.Cursor, c.place.activity.Deep = model.Position{}, 0
		c.adoptElsewhere(false)
		return c.read()
	}
	before := c.place.cursor
	if c.reorder(); c.place.cursor == before {
		return nil
	}
	return tea.Batch(c.read(), c.openPlan())
}

// prompted is what a prompt asks for.
type prompted int

const (
	filterPrompt prompted = iota
	searchPrompt
)

// prompt is a line that is typed in the screen itself: a filter, or what a plan is searched
// for. The screen draws it, and narrows with each key.
type prompt struct {
	what prompted
	widget.Field
}

// promptMsg is what is typed into a prompt: still, or to the end. Dropped: it is given up.
type promptMsg struct {
	what           prompted
	text           string
	ended, dropped bool
}

func newPrompt(what prompted, text string) *prompt {
	return &prompt{what, widget.NewField(text, 1, maxFilter)}
}

func (p *prompt) typed() promptMsg { return promptMsg{what: p.what, text: p.Value()} }

// In is part of widget.Dialog.
func (p *prompt) In() action.Context { return action.Text }

// Paste is part of widget.Dialog.
func (p *prompt) Paste(s string) { p.Insert(s) }

// Press is part of widget.Dialog. Enter keeps what is typed, esc gives it up; in a filter the
// arrows move among what is left.
func (p *prompt) Press(k widget.Key, _ widget.Context) (widget.Dialog, widget.Result) {
	m := p.typed()
	switch {
	case k.ID == action.Close:
		m.ended, m.dropped = true, true
		return nil, widget.Intent{Msg: m}
	case k.ID == action.SubmitLine:
		m.ended = true
		return nil, widget.Intent{Msg: m}
	case p.what == filterPrompt && k.Code == tea.KeyUp:
		return p, widget.Run(action.Up)
	case p.what == filterPrompt && k.Code == tea.KeyDown:
		return p, widget.Run(action.Down)
	}
	next := *p
	next.Field.Press(k.KeyPressMsg, maxFilter)
	return &next, widget.Intent{Msg: next.typed()}
}

// Draw is part of widget.Dialog: the screen draws it.
func (p *prompt) Draw(x widget.Context) widget.Drawn {
	hint := "{submit-line} keeps the filter · {close} drops it · ↑ ↓ move among the rows"
	if p.what == searchPrompt {
		hint = "{submit-line} keeps the place · {close} goes back to where you were"
	}
	return widget.Drawn{Hint: x.Keys.Keyed(hint)}
}

type foundMsg struct {
	item    model.ItemID
	query   string
	doc     *markdown.Document
	w       int
	matches []markdown.Match
	// jump: the reader wants to be taken to the next match.
	jump bool
}

// seek looks for words in a plan, off the loop: it lays out the blocks that may hold them.
func (e *effects) seek(item model.ItemID, doc *markdown.Document, w int, style *markdown.Style, query string, jump bool) tea.Cmd {
	return func() tea.Msg {
		m := foundMsg{item: item, query: query, doc: doc, w: w, jump: jump}
		for x := range e.pages.View(doc, w, style).Find(query) {
			if m.matches = append(m.matches, x); len(m.matches) == screen.MostMatches {
				break
			}
		}
		return m
	}
}

// startSearch begins typing what is looked for in the plan.
func startSearch(c *console) tea.Cmd {
	if c.plan.onScreen() == nil || c.place.tab != screen.TabPlan {
		return c.unheard(c.keys.Keyed("The plan is searched: {previous-tab} and {next-tab} turn to its tab."))
	}
	c.plan.Search = screen.Search{Typing: true, From: c.place.reading[c.plan.Item]}
	return c.open(newPrompt(searchPrompt, ""))
}

// searched looks with each key. Giving up goes back to where the reader was.
func (c *console) searched(m promptMsg) tea.Cmd {
	s := &c.plan.Search
	switch {
	case m.dropped:
		c.place.reading[c.plan.Item] = s.From
		c.plan.Search = screen.Search{}
		return c.drawPlan()
	case m.ended:
		if s.Typing = false; s.Query == "" {
			*s = screen.Search{}
		}
		return nil
	}
	s.Query, s.Matches = strings.TrimSpace(m.text), nil
	return c.seekAgain(true)
}

// seekAgain finds the words where the text or its width changed.
func (c *console) seekAgain(jump bool) tea.Cmd {
	w, _ := c.detailView().PlanSize()
	doc := c.plan.onScreen()
	if c.plan.Search.Query == "" || doc == nil || w <= 0 {
		return nil
	}
	return c.fx.seek(c.plan.Item, doc, w, c.styles.Page, c.plan.Search.Query, jump)
}

// handle takes the matches of the words that are still looked for.
func (m foundMsg) handle(c *console) tea.Cmd {
	s := &c.plan.Search
	if m.item != c.plan.Item || m.query != s.Query {
		return nil
	}
	s.Doc, s.W, s.Matches = m.doc, m.w, m.matches
	s.At = min(s.At, max(len(m.matches)-1, 0))
	if !m.jump || len(m.matches) == 0 {
		return nil
	}
	s.At = max(slices.IndexFunc(m.matches, func(x markdown.Match) bool { return !after(s.From, x.At) }), 0)
	return c.toMatch()
}

// toMatch shows the match with some lines above it.
func (c *console) toMatch() tea.Cmd {
	s := c.plan.Search
	x := s.Matches[s.At]
	w, h := c.detailView().PlanSize()
	c.plan.sideTo(x, w)
	if s.Doc == c.plan.Shown.Doc && w == s.W {
		if slices.ContainsFunc(c.plan.Shown.Lines, func(l markdown.Line) bool { return l.At == x.At }) {
			return nil // it is visible: the page stands still
		}
	}
	c.place.reading[c.plan.Item] = x.At
	return c.movePlan(-h / 3)
}

// sideTo moves sideways so far that a match in wide code is visible.
func (p *plan) sideTo(x markdown.Match, w int) {
	switch width := w - 2; {
	case x.Column+x.Width <= width:
		p.Left = 0
	case x.Column < p.Left || x.Column+x.Width > p.Left+width:
		p.Left = max(x.Column-width/3, 0)
	}
}

// nextMatch goes n matches on, round the end.
func nextMatch(n int) act {
	return func(c *console) tea.Cmd {
		s := &c.plan.Search
		if len(s.Matches) == 0 {
			return c.say(sentence("nothing holds " + model.Text(s.Query).String()))
		}
		s.At = (s.At + n + len(s.Matches)) % len(s.Matches)
		return c.toMatch()
	}
}

// sideways moves wide code and tables n steps to the right.
func sideways(n int) act {
	const step = 8
	return func(c *console) tea.Cmd {
		if c.place.tab == screen.TabChanges {
			c.changes.Left = min(max(c.changes.Left+n*step, 0), c.changes.Widest())
			return nil
		}
		c.plan.Left = max(c.plan.Left+n*step, 0)
		w, _ := c.detailView().PlanSize()
		widest := 0
		for _, l := range c.plan.Shown.Lines {
			if l.Wide() {
				widest = max(widest, text.Width(l.Text()))
			}
		}
		c.plan.Left = min(c.plan.Left, max(widest-(w-2), 0))
		return nil
	}
}
