package console

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/markdown"
	"vise/ui/text"
)

// maxFilter is the longest filter, in Unicode scalars.
const maxFilter = 200

// filterText is the filter in effect: the one being typed, or else the kept one.
func (c *console) filterText() string {
	if p := c.layers.prompt(filterPrompt); p != nil {
		return p.Value()
	}
	return *c.keptFilter()
}

// keptFilter is the filter of the view on screen.
func (c *console) keptFilter() *string {
	switch c.view {
	case viewReports:
		return &c.reports.Filter
	case viewFleet:
		return &c.fleet.Filter
	}
	return &c.filter
}

// filterShown is the filter as drawn.
func (c *console) filterShown() screen.Filter {
	f := screen.Filter{Text: c.filterText(), Typing: c.layers.prompt(filterPrompt) != nil}
	now, read := asksFor(c)
	f.Trouble = read.Trouble
	if now.words != "" {
		h, _ := hitsOf(c)
		f.Note = h.progress().Note()
	}
	if c.view == viewDesk {
		f.Limit = c.limits(true)
	}
	return f
}

// startFilter opens the prompt of the filter, or of the search in the detail. A filter needs all rows, so they
// are read.
func startFilter(c *console) {
	if c.focus == paneDetail && c.view == viewDesk {
		startSearch(c)
		return
	}
	if c.focus = paneQueue; c.view == viewFleet {
		p := &c.fleet
		if of := p.Focus == screen.FleetActivity; of != p.OfEvents {
			p.OfEvents, p.Filter = of, ""
		}
		if !p.OfEvents {
			p.Focus = screen.FleetInbox
		}
	}
	c.open(newPrompt(filterPrompt, *c.keptFilter()))
	c.laidOut()
	c.read()
}

// handle takes the text of a prompt.
func (m promptMsg) handle(c *console) {
	switch {
	case m.what == searchPrompt:
		c.searched(m)
		return
	case m.dropped:
		c.filtered("")
		return
	case m.ended:
		c.filtered(m.text)
		return
	}
	c.filteredNow()
}

func (c *console) filtered(f string) {
	*c.keptFilter() = f
	c.filteredNow()
	c.read()
}

// filteredNow applies the current filter to the rows on screen.
func (c *console) filteredNow() {
	if c.view != viewDesk {
		c.idle.quiet = idleBeats // the rows follow the typed text at once
		c.adoptElsewhere(false)
		c.read()
		return
	}
	c.reorder()
}

// prompted is the purpose of a prompt.
type prompted int

const (
	filterPrompt prompted = iota
	searchPrompt
)

// prompt is a line that is typed in the screen itself: a filter, or a search in a plan. The screen draws it,
// and applies it at each key.
type prompt struct {
	textKeys
	what prompted
	screen.Field
}

// promptMsg is the text of a prompt, still being typed or final. dropped: the operator gave it up.
type promptMsg struct {
	what           prompted
	text           string
	ended, dropped bool
}

func newPrompt(what prompted, text string) *prompt {
	return &prompt{what: what, Field: screen.NewField(text, 1, maxFilter)}
}

func (p *prompt) typed() promptMsg { return promptMsg{what: p.what, text: p.Value()} }

// Paste is part of dialog.
func (p *prompt) Paste(s string) int { return p.Insert(s) }

// Press is part of dialog. Enter keeps the text, esc drops it. In a filter the arrows move among the
// remaining rows.
func (p *prompt) Press(k keyPress, _ facts) (bool, message) {
	m := p.typed()
	switch {
	case k.ID == action.Back:
		m.ended, m.dropped = true, true
		return false, m
	case k.ID == action.Open:
		m.ended = true
		return false, m
	case p.what == filterPrompt && k.Code == tea.KeyUp:
		return true, run(action.Up)
	case p.what == filterPrompt && k.Code == tea.KeyDown:
		return true, run(action.Down)
	}
	p.Field.Press(k.KeyPressMsg, maxFilter)
	return true, p.typed()
}

// Draw is part of dialog. The screen draws the prompt itself.
func (p *prompt) Draw(x facts) drawnDialog {
	hint := "{open} keeps the filter · {back} drops it · ↑ ↓ move among the rows"
	if p.what == searchPrompt {
		hint = "{open} keeps the place · {back} goes back to where you were"
	}
	return drawnDialog{Hint: x.Keyed(hint)}
}

// seek searches a plan, outside the loop: it lays out the blocks that can contain the words. jump: the screen moves to the next match.
func (e *effects) seek(item model.ItemID, doc *markdown.Document, w int, style *markdown.Style, query string, jump bool) tea.Cmd {
	return func() tea.Msg {
		var found []markdown.Match
		for x := range e.pages.View(doc, w, style).Find(query) {
			if found = append(found, x); len(found) == screen.MostMatches {
				break
			}
		}
		return act(func(c *console) {
			s := &c.plan.Search
			if item != c.plan.Item || query != s.Query { // no longer the current search
				return
			}
			s.Doc, s.W, s.Matches = doc, w, found
			s.At = min(s.At, max(len(found)-1, 0))
			if !jump || len(found) == 0 {
				return
			}
			s.At = max(slices.IndexFunc(found, func(x markdown.Match) bool { return !after(s.From, x.At) }), 0)
			c.toMatch()
		})
	}
}

// startSearch opens the search in the plan.
func startSearch(c *console) {
	if c.plan.onScreen() == nil || c.tab != screen.TabPlan {
		c.unheard(c.keys.Keyed("The plan is searched: {previous-tab} and {next-tab} turn to its tab."))
		return
	}
	c.plan.Search = screen.Search{Typing: true, From: c.place.reading[c.plan.Item]}
	c.open(newPrompt(searchPrompt, ""))
}

// searched searches at each key. If the operator gives up, the screen returns to its earlier place.
func (c *console) searched(m promptMsg) {
	s := &c.plan.Search
	switch {
	case m.dropped:
		c.place.reading[c.plan.Item] = s.From
		c.plan.Search = screen.Search{}
		c.drawPlan()
		return
	case m.ended:
		if s.Typing = false; s.Query == "" {
			*s = screen.Search{}
		}
		return
	}
	s.Query, s.Matches = strings.TrimSpace(m.text), nil
	c.seekAgain(true)
}

// seekAgain searches again after a change of the text or its width.
func (c *console) seekAgain(jump bool) {
	w, _ := c.detailView().PlanSize()
	doc := c.plan.onScreen()
	if c.plan.Search.Query == "" || doc == nil || w <= 0 {
		return
	}
	c.start(c.fx.seek(c.plan.Item, doc, w, c.styles.Page, c.plan.Search.Query, jump))
}

// toMatch shows the match with some lines above it.
func (c *console) toMatch() {
	s := c.plan.Search
	x := s.Matches[s.At]
	w, h := c.detailView().PlanSize()
	c.plan.sideTo(x, w)
	if s.Doc == c.plan.Shown.Doc && w == s.W {
		if slices.ContainsFunc(c.plan.Shown.Lines, func(l markdown.Line) bool { return l.At == x.At }) {
			return // it is visible: the page does not move
		}
	}
	c.place.reading[c.plan.Item] = x.At
	c.movePlan(-h / 3)
}

// sideTo moves sideways until a match in wide code is visible.
func (p *plan) sideTo(x markdown.Match, w int) {
	switch width := w - 2; {
	case x.Column+x.Width <= width:
		p.Left = 0
	case x.Column < p.Left || x.Column+x.Width > p.Left+width:
		p.Left = max(x.Column-width/3, 0)
	}
}

// nextMatch moves n matches, and wraps at the end.
func nextMatch(n int) act {
	return func(c *console) {
		s := &c.plan.Search
		if len(s.Matches) == 0 {
			c.say(text.Sentence("nothing holds " + clean(s.Query)))
			return
		}
		s.At = (s.At + n + len(s.Matches)) % len(s.Matches)
		c.toMatch()
	}
}

// sideways moves wide code and tables n steps to the right.
func sideways(n int) act {
	const step = 8
	return func(c *console) {
		if c.tab == screen.TabChanges {
			c.changes.Left = min(max(c.changes.Left+n*step, 0), c.changes.Widest())
			return
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
	}
}
