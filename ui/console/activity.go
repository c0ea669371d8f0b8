package console

import (
	"slices"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// journalAsk is the activity view's request to the ledger.
type journalAsk struct {
	place screen.Activity
	rows  int
}

const (
	// searchDepth is the number of events to search for events of work, about 30 ms.
	searchDepth = 3000
	journalPage = 250
)

// readJournal reads a window of events around the cursor.
func readJournal(r model.Reader, ask journalAsk) screen.Journal {
	s := screen.Journal{Events: screen.Events{Names: map[model.ItemID]screen.Named{}}}
	keep := func(e model.Entry) bool { return ask.place.All || action.OfWork(e) }
	if last := r.HistoryBefore("", model.Position{}, 1); len(last) > 0 {
		s.Newest = last[0].Position()
	}
	depth := searchDepth << min(ask.place.Deep, 8)
	before := model.Position{}
	if !ask.place.Following() {
		before = ask.place.Cursor
		before.N++
	}
	older := func(at model.Position) []model.Entry { return r.HistoryBefore("", at, journalPage) }
	entries, searched, ended := collect(older, before, keep, 2*ask.rows, depth, journalPage)
	s.AtNewest = true
	if !ended && len(entries) < 2*ask.rows {
		s.Searched = searched
	}
	if !ask.place.Following() {
		newer := func(at model.Position) []model.Entry { return r.History("", at, journalPage) }
		later, _, ended := collect(newer, ask.place.Cursor, keep, 2*ask.rows, depth, journalPage)
		slices.Reverse(later)
		entries, s.AtNewest = append(later, entries...), ended
		for _, e := range r.History("", ask.place.Left, screen.NewsCounted) {
			if keep(e) {
				s.News++
			}
		}
	}
	s.Events = shown(r, s.Names, entries)
	return s
}

// shown are events as drawn, newest first: repeats folded, with the names of their items.
func shown(r model.Reader, names map[model.ItemID]screen.Named, entries []model.Entry) screen.Events {
	x := screen.Events{Names: names}
	x.Entries, x.Times = screen.Folded(entries)
	for _, e := range x.Entries {
		nameOf(r, names, e.WorkItemID)
	}
	return x
}

// lateDepth is the number of newest events to search for events of work.
const lateDepth = 4 * activityShown

// readLately reads the newest events of an agent, or of all agents: as recorded, and as drawn.
func readLately(r model.Reader, source model.AgentID, all bool) (late []model.Entry, _ screen.Events) {
	older := func(at model.Position) []model.Entry {
		page := r.HistoryBefore(source, at, activityShown)
		if late == nil {
			late = page
		}
		return page
	}
	keep := func(e model.Entry) bool { return all || action.OfWork(e) }
	entries, _, _ := collect(older, model.Position{}, keep, activityShown, lateDepth, activityShown)
	return late, shown(r, map[model.ItemID]screen.Named{}, entries)
}

// collect reads events in pages of the given size until it has enough, has searched depth events, or no events
// are left (all).
func collect(
	page func(model.Position) []model.Entry, at model.Position, keep func(model.Entry) bool, enough, depth, size int,
) (out []model.Entry, searched int, all bool) {
	for searched < depth {
		entries := page(at)
		for _, e := range entries {
			searched++
			at = e.Position()
			if keep(e) {
				if out = append(out, e); len(out) >= enough {
					return out, searched, false
				}
			}
		}
		if len(entries) < size {
			return out, searched, true
		}
	}
	return out, searched, false
}

// nameOf is an item's name, read only once.
func nameOf(r model.Reader, names map[model.ItemID]screen.Named, id model.ItemID) screen.Named {
	if id == "" {
		return screen.Named{}
	}
	if _, known := names[id]; !known {
		w, _ := r.Item(id)
		names[id] = screen.Named{Handle: w.Handle, Title: w.Objective}
	}
	return names[id]
}

// activityActs are the actions of the activity view.
func activityActs() map[action.ID]act {
	paused := backStep{func(c *console) bool { return !c.activity.Following() }, activityNewest}
	return listActs(activityBy, func(c *console) int { return c.activityView().Rows() }, map[action.ID]act{
		action.Top: activityNewest, action.Bottom: activityOldest, action.Open: activityOpen,
		action.NextPane: lacks, action.PrevPane: lacks, action.Zoom: lacks, action.Back: backOr(unfiltered, paused),
		action.NextAgent: activityOf(1), action.PrevAgent: activityOf(-1),
	})
}

func activityBy(n int) act {
	return func(c *console) {
		p, s := c.activity, journalShown(c)
		at := s.At(p)
		switch {
		case len(s.Entries) == 0:
			return
		case n < 0 && at == 0 && s.AtNewest:
			activityNewest(c)
			return
		case n > 0 && at == len(s.Entries)-1 && s.Searched > 0:
			c.activity.Deep++
		}
		c.activity = s.To(c.activity, min(max(at+n, 0), len(s.Entries)-1), c.activityView().Rows())
		c.read()
	}
}

// activityTo puts the cursor on a visible event, which does not move.
func activityTo(c *console, at int) {
	if at < 0 {
		return
	}
	s, h := journalShown(c), c.activityView().Rows()
	c.activity = s.To(s.Paused(c.activity, h), at, h)
	c.read()
}

// activityOldest goes to the oldest event.
func activityOldest(c *console) {
	p := &c.activity
	if p.Following() {
		p.Left = c.truth.journal.Newest
	}
	p.Cursor, p.Top = model.Position{Revision: 1, N: 1}, model.Position{Revision: 1, N: 1}
	c.read()
}

// activityNewest follows the newest event again.
func activityNewest(c *console) {
	c.activity = screen.Activity{Filter: c.activity.Filter, All: c.activity.All}
	c.read()
}

// activityAll shows the scheduler's events too, or hides them again.
func activityAll(c *console) {
	c.activity.All = !c.activity.All
	said := "Activity shows work only."
	if c.activity.All {
		said = "Activity shows everything, the scheduler's events too."
	}
	c.say(said)
	c.read()
}

// activityFollow follows the newest event, or stops at the cursor.
func activityFollow(c *console) {
	if !c.activity.Following() {
		activityNewest(c)
		return
	}
	activityTo(c, min(0, len(journalShown(c).Entries)-1))
}

// activityOpen goes to the item of the event under the cursor.
func activityOpen(c *console) {
	s := journalShown(c)
	at := s.At(c.activity)
	if at < 0 {
		c.say("There is no event yet.")
		return
	}
	c.goToItem(s.Entries[at].AgentID, s.Entries[at].WorkItemID)
}

// activityOf shows only the next or previous agent's events, by name.
func activityOf(n int) act {
	return func(c *console) {
		names := []string{""}
		for _, a := range c.truth.agents {
			names = append(names, string(a.ID))
		}
		var rest []string
		at := 0
		for _, w := range action.FilterWords(c.activity.Filter) {
			if name, ok := strings.CutPrefix(w, "agent:"); ok {
				at = max(slices.Index(names, name), 0)
				continue
			}
			rest = append(rest, w)
		}
		if name := names[(at+n+len(names))%len(names)]; name != "" {
			rest = append([]string{"agent:" + name}, rest...)
		}
		c.filtered(strings.Join(rest, " "))
	}
}
