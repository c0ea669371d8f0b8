package console

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/ui/markdown"
	"vise/ui/text"
)

// search is what is looked for in the plan on screen.
type search struct {
	query string
	// doc and w are what the matches were found in.
	doc     *markdown.Document
	w       int
	matches []markdown.Match
	at      int
	// from is where the reader was when the search began: esc goes back there.
	from markdown.Position
}

// mostMatches bounds a search: more are counted as that many.
const mostMatches = 9999

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
		for x := range e.pages.View(doc, w, style).Find(query, markdown.Position{}, false) {
			if m.matches = append(m.matches, x); len(m.matches) == mostMatches {
				break
			}
		}
		return m
	}
}

// startSearch begins typing what is looked for in the plan.
func startSearch(c Console) (Console, tea.Cmd) {
	if c.plan.doc == nil || c.place.tab != tabPlan {
		return c.say(c.keys.Keyed("The plan is searched: {previous-tab} and {next-tab} turn to its tab."))
	}
	c.plan.search = search{from: c.place.reading[c.plan.item]}
	return c.open(newPrompt(searchPrompt, ""))
}

// searched looks with each key. Giving up goes back to where the reader was.
func (c Console) searched(m promptMsg) (Console, tea.Cmd) {
	s := &c.plan.search
	switch {
	case m.dropped:
		c.place.reading[c.plan.item] = s.from
		c.plan.search = search{}
		return c.drawPlan()
	case m.ended && s.query == "":
		c.plan.search = search{}
		return c, nil
	case m.ended:
		return c, nil
	}
	s.query, s.matches = strings.TrimSpace(m.text), nil
	return c.seekAgain(true)
}

// seekAgain finds the words where the text or its width changed.
func (c Console) seekAgain(jump bool) (Console, tea.Cmd) {
	w, _ := c.planSize()
	if c.plan.search.query == "" || c.plan.doc == nil || w <= 0 {
		return c, nil
	}
	return c, c.fx.seek(c.plan.item, c.plan.doc, w, c.styles.Page, c.plan.search.query, jump)
}

// handle takes the matches of the words that are still looked for.
func (m foundMsg) handle(c Console) (Console, tea.Cmd) {
	s := &c.plan.search
	if m.item != c.plan.item || m.query != s.query {
		return c, nil
	}
	s.doc, s.w, s.matches = m.doc, m.w, m.matches
	s.at = min(s.at, max(len(m.matches)-1, 0))
	if !m.jump || len(m.matches) == 0 {
		return c, nil
	}
	s.at = 0
	for i, x := range m.matches {
		if !after(s.from, x.At) {
			s.at = i
			break
		}
	}
	return c.toMatch()
}

// toMatch shows the match with some lines above it.
func (c Console) toMatch() (Console, tea.Cmd) {
	s := c.plan.search
	x := s.matches[s.at]
	w, h := c.planSize()
	if s.doc == c.plan.shown.doc && w == s.w {
		for _, l := range c.plan.shown.lines {
			if l.At == x.At { // it is in sight: the page stands still
				return c.sideTo(x, w), nil
			}
		}
	}
	c.place.reading[c.plan.item] = x.At
	c = c.sideTo(x, w)
	return c.movePlan(-h / 3)
}

// sideTo moves sideways so far that a match in wide code is in sight.
func (c Console) sideTo(x markdown.Match, w int) Console {
	switch room := w - 2; {
	case x.Column+x.Width <= room:
		c.plan.left = 0
	case x.Column < c.plan.left || x.Column+x.Width > c.plan.left+room:
		c.plan.left = max(x.Column-room/3, 0)
	}
	return c
}

// nextMatch goes n matches on, round the end.
func nextMatch(n int) act {
	return func(c Console) (Console, tea.Cmd) {
		s := &c.plan.search
		if len(s.matches) == 0 {
			return c.say(sentence("nothing holds " + model.Text(s.query).String()))
		}
		s.at = (s.at + n + len(s.matches)) % len(s.matches)
		return c.toMatch()
	}
}

// searchWords say which of how many matches this is.
func (c Console) searchWords() string {
	s := c.plan.search
	switch {
	case s.query == "":
		return ""
	case len(s.matches) == 0 && s.doc == nil:
		return "…"
	case len(s.matches) == 0:
		return "0 matches"
	case len(s.matches) == mostMatches:
		return fmt.Sprintf("%d of %d+", s.at+1, mostMatches)
	}
	return fmt.Sprintf("%d of %d", s.at+1, len(s.matches))
}

// searchLine is what is typed, on the line of messages.
func (c Console) searchLine(p *prompt) (line string, cursor int) {
	k := c.styles
	lines, x, _ := p.Field.Draw(max(c.layout.w-20, 10), c.styles)
	return text.Sides(" "+k.Key.Paint("/")+" "+k.Text.Paint(lines[0]), k.Muted.Paint(c.searchWords())+" ", c.layout.w), 3 + x
}

// lit paints the matches of a line of the plan, which shows w cells from left on.
func (c Console) lit(l markdown.Line, cells string, w int) string {
	s := c.plan.search
	if s.query == "" || s.doc != c.plan.shown.doc {
		return cells
	}
	for i, m := range s.matches {
		if m.At != l.At {
			continue
		}
		from := m.Column
		if l.Wide() {
			from -= c.plan.left
		}
		to := min(from+m.Width, w)
		if from = max(from, 0); from >= to {
			continue
		}
		ink := c.styles.Match
		if i == s.at {
			ink = c.styles.Selected
		}
		cells = ansi.Cut(cells, 0, from) + ink.Paint(ansi.Strip(ansi.Cut(cells, from, to))) + ansi.Cut(cells, to, w)
	}
	return cells
}

// sideways moves wide code and tables n steps to the right.
func sideways(n int) act {
	const step = 8
	return func(c Console) (Console, tea.Cmd) {
		c.plan.left = max(c.plan.left+n*step, 0)
		w, _ := c.planSize()
		widest := 0
		for _, l := range c.plan.shown.lines {
			if l.Wide() {
				widest = max(widest, text.Width(l.Text()))
			}
		}
		c.plan.left = min(c.plan.left, max(widest-(w-2), 0))
		return c, nil
	}
}
