package console

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// journalAsk is what the activity asks of the ledger.
type journalAsk struct {
	place  screen.Activity
	filter string
	rows   int
}

const (
	// searchDepth is how many events a filter looks at before it rests: 30 ms or so.
	searchDepth = 3000
	journalPage = 250
)

// readJournal reads a window of events around the cursor.
func readJournal(r model.Reader, ask journalAsk, now time.Time) screen.Journal {
	f := action.ParseEventFilter(ask.filter, now)
	s := screen.Journal{Events: screen.Events{Names: map[model.ItemID]model.Handle{}}, Trouble: f.Trouble}
	keep := func(e model.Entry) bool { return f.Empty() || f.KeepsEvent(e, nameOf(r, s.Names, e.WorkItemID)) }
	if last := r.HistoryBefore("", model.Position{}, 1); len(last) > 0 {
		s.Newest = screen.PositionOf(last[0])
	}
	depth := searchDepth << min(ask.place.Deep, 8)
	before := model.Position{}
	if !ask.place.Following() {
		before = model.Position{Revision: ask.place.Cursor.Revision, N: ask.place.Cursor.N + 1}
	}
	older := func(at model.Position) []model.Entry { return r.HistoryBefore("", at, journalPage) }
	entries, searched, all := collect(older, before, keep, 2*ask.rows, depth)
	slices.Reverse(entries)
	s.Entries, s.AtEnd = entries, true
	if !all && len(entries) < 2*ask.rows {
		s.Searched = searched
	}
	if !ask.place.Following() {
		newer := func(at model.Position) []model.Entry { return r.History("", at, journalPage) }
		later, _, ended := collect(newer, ask.place.Cursor, keep, 2*ask.rows, depth)
		s.Entries, s.AtEnd = append(s.Entries, later...), ended
		for _, e := range r.History("", ask.place.Left, screen.NewsCounted) {
			if keep(e) {
				s.News++
			}
		}
	}
	for _, e := range s.Entries {
		nameOf(r, s.Names, e.WorkItemID)
	}
	return s
}

// collect takes events page by page until it has enough, has searched depth of them, or
// there are no more (all).
func collect(
	page func(model.Position) []model.Entry, at model.Position, keep func(model.Entry) bool, enough, depth int,
) (out []model.Entry, searched int, all bool) {
	for searched < depth {
		entries := page(at)
		for _, e := range entries {
			searched++
			at = screen.PositionOf(e)
			if keep(e) {
				if out = append(out, e); len(out) >= enough {
					return out, searched, false
				}
			}
		}
		if len(entries) < journalPage {
			return out, searched, true
		}
	}
	return out, searched, false
}

// nameOf is an item's handle, asked for once.
func nameOf(r model.Reader, names map[model.ItemID]model.Handle, id model.ItemID) model.Handle {
	if id == "" {
		return ""
	}
	if _, known := names[id]; !known {
		w, _ := r.Item(id)
		names[id] = w.Handle
	}
	return names[id]
}

// activityActs are what keys do on the activity.
func activityActs() map[action.ID]act {
	paused := backStep{func(c *console) bool { return !c.place.activity.Following() }, (*console).activityEnd}
	return listActs(activityBy, func(c *console) int { return c.activityView().Rows() }, map[action.ID]act{
		action.Top: activityStart, action.Bottom: (*console).activityEnd, action.Follow: activityFollow, action.Open: activityOpen,
		action.NextPane: lacks, action.PrevPane: lacks, action.Zoom: lacks, action.Back: backOr(unfiltered, paused),
		action.NextAgent: activityOf(1), action.PrevAgent: activityOf(-1),
	})
}

func activityBy(n int) act {
	return func(c *console) tea.Cmd {
		p, s := c.place.activity, c.truth.journal
		at := s.At(p)
		switch {
		case len(s.Entries) == 0:
			return nil
		case n > 0 && at == len(s.Entries)-1 && s.AtEnd:
			return c.activityEnd()
		case n < 0 && at == 0 && s.Searched > 0:
			c.place.activity.Deep++
		}
		c.place.activity = s.To(c.place.activity, min(max(at+n, 0), len(s.Entries)-1), c.activityView().Rows())
		return c.read()
	}
}

// activityTo puts the cursor on a visible event, which stays where it is.
func activityTo(c *console, at int) tea.Cmd {
	if at < 0 {
		return nil
	}
	s, h := c.truth.journal, c.activityView().Rows()
	c.place.activity = s.To(s.Paused(c.place.activity, h), at, h)
	return c.read()
}

// activityStart goes to the first event there is.
func activityStart(c *console) tea.Cmd {
	p := &c.place.activity
	if p.Following() {
		p.Left = c.truth.journal.Newest
	}
	p.Cursor, p.Top = model.Position{Revision: 1, N: 1}, model.Position{Revision: 1, N: 1}
	return c.read()
}

// activityEnd follows the end again.
func (c *console) activityEnd() tea.Cmd {
	c.place.activity = screen.Activity{Filter: c.place.activity.Filter}
	return c.read()
}

// activityFollow follows, or stops where the cursor is.
func activityFollow(c *console) tea.Cmd {
	if !c.place.activity.Following() {
		return c.activityEnd()
	}
	return activityTo(c, len(c.truth.journal.Entries)-1)
}

// activityOpen goes to the item that the event under the cursor is about.
func activityOpen(c *console) tea.Cmd {
	s := c.truth.journal
	at := s.At(c.place.activity)
	if at < 0 {
		return c.say("There is no event yet.")
	}
	return c.goToItem(s.Entries[at].AgentID, s.Entries[at].WorkItemID)
}

// activityOf shows one agent's events, the next or the previous by name.
func activityOf(n int) act {
	return func(c *console) tea.Cmd {
		names := []string{""}
		for _, a := range c.truth.agents {
			names = append(names, string(a.ID))
		}
		var rest []string
		at := 0
		for _, w := range action.FilterWords(c.place.activity.Filter) {
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
