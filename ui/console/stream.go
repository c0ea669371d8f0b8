package console

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/filter"
)

// streamPlace is where the operator is in the events of all agents. The newest stands at
// the end; while the cursor is there, the view follows.
type streamPlace struct {
	// cursor is the event under the cursor; zero follows the end.
	cursor model.Position
	// top is the first event drawn, while it does not follow.
	top    model.Position
	filter string
	// left is the newest event there was when following ended: later ones are new.
	left model.Position
	// deep doubles how far back a filter searches, once for each time the operator goes on.
	deep int
}

func (p streamPlace) following() bool { return p.cursor == model.Position{} }

// streamAsk is what the view asks of the ledger.
type streamAsk struct {
	place  streamPlace
	filter string
	rows   int
}

// stream is the part of the journal around the cursor, oldest first.
type stream struct {
	entries []model.Entry
	names   map[model.ItemID]model.Handle
	// atStart: nothing older matches. searched is how many events a filter passed over
	// before it gave up going back; 0 when it did not.
	atStart bool
	// atEnd: nothing newer matches.
	atEnd    bool
	searched int
	// news counts what came since following ended, at most newsCounted.
	news    int
	newest  model.Position
	trouble string
}

const (
	// searchDepth is how many events a filter looks at before it rests: 30 ms or so.
	searchDepth = 3000
	newsCounted = 200
	journalPage = 250
)

// readStream reads a window of events around the cursor.
func readStream(r model.Reader, ask streamAsk, now time.Time) stream {
	f := filter.ParseEvents(ask.filter, now)
	s := stream{names: map[model.ItemID]model.Handle{}, trouble: f.Trouble}
	keep := func(e model.Entry) bool { return f.Empty() || f.KeepsEvent(e, s.nameOf(r, e.WorkItemID)) }
	if last := r.HistoryBefore("", model.Position{}, 1); len(last) > 0 {
		s.newest = positionOf(last[0])
	}
	depth := searchDepth << min(ask.place.deep, 8)
	before := model.Position{}
	if !ask.place.following() {
		before = model.Position{Revision: ask.place.cursor.Revision, N: ask.place.cursor.N + 1}
	}
	older, searched, all := collect(func(at model.Position) []model.Entry { return r.HistoryBefore("", at, journalPage) }, before, keep, 2*ask.rows, depth)
	slices.Reverse(older)
	s.entries, s.atStart, s.atEnd = older, all, true
	if !all && len(older) < 2*ask.rows {
		s.searched = searched
	}
	if !ask.place.following() {
		newer, _, ended := collect(func(at model.Position) []model.Entry { return r.History("", at, journalPage) }, ask.place.cursor, keep, 2*ask.rows, depth)
		s.entries, s.atEnd = append(s.entries, newer...), ended
		for _, e := range r.History("", ask.place.left, newsCounted) {
			if keep(e) {
				s.news++
			}
		}
	}
	for _, e := range s.entries {
		s.nameOf(r, e.WorkItemID)
	}
	return s
}

// collect takes events page by page until it has enough, has looked at depth of them, or
// there are no more (all).
func collect(page func(model.Position) []model.Entry, at model.Position, keep func(model.Entry) bool, enough, depth int) (out []model.Entry, looked int, all bool) {
	for looked < depth {
		entries := page(at)
		for _, e := range entries {
			looked++
			at = positionOf(e)
			if keep(e) {
				if out = append(out, e); len(out) >= enough {
					return out, looked, false
				}
			}
		}
		if len(entries) < journalPage {
			return out, looked, true
		}
	}
	return out, looked, false
}

func positionOf(e model.Entry) model.Position { return model.Position{Revision: e.Revision, N: e.N} }

func (s *stream) nameOf(r model.Reader, id model.ItemID) model.Handle {
	if id == "" {
		return ""
	}
	if _, known := s.names[id]; !known {
		w, _ := r.Item(id)
		s.names[id] = w.Handle
	}
	return s.names[id]
}

// at is the place of the cursor among the entries; the last while it follows.
func (s stream) at(p streamPlace) int {
	if p.following() || len(s.entries) == 0 {
		return len(s.entries) - 1
	}
	at, found := slices.BinarySearchFunc(s.entries, p.cursor, func(e model.Entry, p model.Position) int { return comparePositions(positionOf(e), p) })
	if !found && at > 0 {
		at--
	}
	return at
}

func comparePositions(a, b model.Position) int {
	switch {
	case a.Revision < b.Revision || a.Revision == b.Revision && a.N < b.N:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// shown is the window of h entries that holds the cursor.
func (s stream) shown(p streamPlace, h int) []model.Entry {
	top := len(s.entries) - h
	if !p.following() {
		for i, e := range s.entries {
			if comparePositions(positionOf(e), p.top) >= 0 {
				top = i
				break
			}
		}
	}
	top = window(s.at(p), top, h, len(s.entries))
	return s.entries[top:min(top+h, len(s.entries))]
}

// streamDeeds are what keys do on the activity.
func streamDeeds() map[action.ID]act {
	return map[action.ID]act{
		action.Down: streamBy(1), action.Up: streamBy(-1), action.Top: Console.streamStart, action.Bottom: Console.streamEnd,
		action.HalfDown: streamByPage(1, 2), action.HalfUp: streamByPage(-1, 2), action.PageDown: streamByPage(1, 1), action.PageUp: streamByPage(-1, 1),
		action.NextPane: stay, action.PrevPane: stay, action.Follow: Console.streamFollow, action.Zoom: stay,
		action.Open: Console.streamOpen, action.Back: Console.streamBack, action.Refresh: Console.fleetRefresh,
		action.NextAgent: streamAgent(1), action.PrevAgent: streamAgent(-1), action.Quit: Console.fleetQuit, action.NeedsYou: Console.toInbox,
	}
}

func stay(c Console) (Console, tea.Cmd) { return c, nil }

func streamBy(n int) act {
	return func(c Console) (Console, tea.Cmd) {
		p, s := c.place.stream, c.truth.stream
		if len(s.entries) == 0 {
			return c, nil
		}
		at := s.at(p)
		next := min(max(at+n, 0), len(s.entries)-1)
		switch {
		case n > 0 && at == len(s.entries)-1 && s.atEnd:
			return c.streamEnd()
		case n < 0 && at == 0 && s.searched > 0:
			p.deep++
		}
		if p.following() {
			p.left = s.newest
		}
		p.cursor = positionOf(s.entries[next])
		p.top = positionOf(s.shown(p, c.streamRows())[0])
		c.place.stream = p
		return c.look()
	}
}

func streamByPage(direction, part int) act {
	return func(c Console) (Console, tea.Cmd) { return streamBy(direction * max(c.streamRows()/part, 1))(c) }
}

// streamStart goes to the first event there is.
func (c Console) streamStart() (Console, tea.Cmd) {
	p := c.place.stream
	if p.following() {
		p.left = c.truth.stream.newest
	}
	p.cursor, p.top = model.Position{Revision: 1, N: 1}, model.Position{Revision: 1, N: 1}
	c.place.stream = p
	return c.look()
}

// streamEnd follows the end again.
func (c Console) streamEnd() (Console, tea.Cmd) {
	c.place.stream = streamPlace{filter: c.place.stream.filter}
	return c.look()
}

// streamFollow follows, or stops where the cursor is.
func (c Console) streamFollow() (Console, tea.Cmd) {
	p, s := c.place.stream, c.truth.stream
	if !p.following() {
		return c.streamEnd()
	}
	if len(s.entries) == 0 {
		return c, nil
	}
	shown := s.shown(p, c.streamRows())
	p.left, p.top = s.newest, positionOf(shown[0])
	p.cursor = positionOf(shown[len(shown)-1])
	c.place.stream = p
	return c.look()
}

// streamEntry is the event under the cursor.
func (c Console) streamEntry() *model.Entry {
	s := c.truth.stream
	if at := s.at(c.place.stream); at >= 0 && at < len(s.entries) {
		return &s.entries[at]
	}
	return nil
}

// streamOpen goes to the item that the event under the cursor is about.
func (c Console) streamOpen() (Console, tea.Cmd) {
	e := c.streamEntry()
	if e == nil {
		return c.say("There is no event yet.")
	}
	return c.goToItem(e.AgentID, e.WorkItemID)
}

func (c Console) streamBack() (Console, tea.Cmd) {
	switch {
	case c.note.isError:
		c.note = note{n: c.note.n}
	case c.place.stream.filter != "":
		return c.filtered("")
	case !c.place.stream.following():
		return c.streamEnd()
	default:
		c.note.text = ""
	}
	return c, nil
}

// streamAgent shows one agent's events, the next or the previous by name.
func streamAgent(n int) act {
	return func(c Console) (Console, tea.Cmd) {
		names := []string{""}
		for _, a := range c.truth.agents {
			names = append(names, string(a.ID))
		}
		var rest []string
		at := 0
		for _, w := range filter.Words(c.place.stream.filter) {
			if name, ok := strings.CutPrefix(w, "agent:"); ok {
				at = max(slices.Index(names, name), 0)
				continue
			}
			rest = append(rest, w)
		}
		if name := names[(at+n+len(names))%len(names)]; name != "" {
			rest = append([]string{"agent:" + name}, rest...)
		}
		return c.filtered(strings.Join(rest, " "))
	}
}

// toInbox goes to the next that needs the operator, on the fleet.
func (c Console) toInbox() (Console, tea.Cmd) {
	for _, x := range c.truth.inbox {
		if x.Urgent() {
			return c.goToItem(x.AgentID, x.ID)
		}
	}
	return c.say("Nothing needs you.")
}
