package console

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/filter"
)

// reportsPlace is where the operator is among finished work: the rows as drawn, newest
// first, and a cursor by item.
type reportsPlace struct {
	cursor model.ItemID
	rows   []model.Row
	held   bool
	// reading: the keys scroll the report, not the list.
	reading bool
	top     int
	// scroll is the first line shown of the cursor's report.
	scroll int
	filter string
	// drawn is the filter that rows were read with.
	drawn string
	// want is how many rows are read: as far as the operator went, and a page more.
	want int
}

// finishedWork is what the ledger told of finished work.
type finishedWork struct {
	rows []model.Row
	// more: there are rows beyond those read. searched is how many a filter looked at
	// before it rested; 0 when it looked at all.
	more     bool
	searched int
	trouble  string
}

const (
	finishedPage = 200
	// finishedDepth bounds how many rows a filter looks at, and mostFinished how many are kept.
	finishedDepth = 20_000
	textDepth     = 2000
	mostFinished  = 5000
)

// readFinished reads the newest finished work that a filter keeps, limit rows of it.
func readFinished(r model.Reader, filterText string, limit int, now time.Time) finishedWork {
	f := filter.ParseReports(filterText, now)
	out := finishedWork{trouble: f.Trouble}
	depth := finishedDepth
	if f.ReadsText() {
		depth = textDepth
	}
	looked := 0
	var after *model.Row
	for {
		page := r.Finished(after, finishedPage)
		for i := range page {
			looked++
			if f.KeepsReport(r, page[i]) {
				if len(out.rows) == limit {
					out.more = true
					return out
				}
				out.rows = append(out.rows, page[i])
			}
		}
		if len(page) < finishedPage {
			return out
		}
		if looked >= depth {
			out.more, out.searched = true, looked
			return out
		}
		after = &page[len(page)-1]
	}
}

// adopt takes what the ledger tells; touched: the rows that are drawn stay, longer lists
// with the same beginning aside.
func (p reportsPlace) adopt(f finishedWork, filter string, touched bool) reportsPlace {
	same := func(a, b model.Row) bool { return a.ID == b.ID && a.Revision == b.Revision }
	grows := len(f.rows) >= len(p.rows) && slices.EqualFunc(p.rows, f.rows[:len(p.rows)], same)
	if touched && len(p.rows) > 0 && !grows && filter == p.drawn {
		p.held = true
		return p
	}
	at := p.at()
	p.rows, p.held, p.drawn = f.rows, false, filter
	if p.row() == nil {
		p.cursor, p.scroll = "", 0
		if len(p.rows) > 0 {
			p.cursor = p.rows[min(max(at, 0), len(p.rows)-1)].ID
		}
	}
	return p
}

func (p reportsPlace) at() int {
	return slices.IndexFunc(p.rows, func(r model.Row) bool { return r.ID == p.cursor })
}

// row is the row under the cursor, as drawn.
func (p reportsPlace) row() *model.Row {
	if at := p.at(); at >= 0 {
		return &p.rows[at]
	}
	return nil
}

// reportsDeeds are what keys do on the reports.
func reportsDeeds() map[action.ID]act {
	return map[action.ID]act{
		action.Down: reportsBy(1), action.Up: reportsBy(-1), action.Top: reportsBy(-far), action.Bottom: reportsBy(far),
		action.HalfDown: reportsByPage(1, 2), action.HalfUp: reportsByPage(-1, 2), action.PageDown: reportsByPage(1, 1), action.PageUp: reportsByPage(-1, 1),
		action.PreviewDown: reportsScroll(1), action.PreviewUp: reportsScroll(-1),
		action.NextPane: Console.reportsPane, action.PrevPane: Console.reportsPane, action.Open: Console.reportsOpen,
		action.Back: Console.reportsBack, action.Refresh: Console.fleetRefresh, action.Quit: Console.fleetQuit,
		action.NeedsYou: Console.toInbox, action.NextAgent: stay, action.PrevAgent: stay,
	}
}

func reportsBy(n int) act {
	return func(c Console) (Console, tea.Cmd) {
		p := c.place.reports
		if p.reading {
			return reportsScroll(n)(c)
		}
		if len(p.rows) == 0 {
			return c, nil
		}
		next := min(max(max(p.at(), 0)+n, 0), len(p.rows)-1)
		if p.rows[next].ID != p.cursor {
			p.scroll = 0
		}
		p.cursor = p.rows[next].ID
		if next+2*c.layout.h > p.want && c.truth.finished.more && p.want < mostFinished {
			p.want = min(next+finishedPage, mostFinished)
		}
		c.place.reports = p
		c, moved := c.glance(p.rows[next].AgentID, p.cursor)
		c, look := c.look()
		return c, tea.Batch(moved, look)
	}
}

func reportsByPage(direction, part int) act {
	return func(c Console) (Console, tea.Cmd) {
		list, report := c.reportsPanes()
		_, h := list.inner()
		if c.place.reports.reading {
			_, h = report.inner()
		}
		return reportsBy(direction * max(h/part, 1))(c)
	}
}

func reportsScroll(n int) act {
	return func(c Console) (Console, tea.Cmd) {
		_, report := c.reportsPanes()
		w, h := report.inner()
		last := max(len(c.reportLines(w))-h, 0)
		c.place.reports.scroll = min(max(c.place.reports.scroll+n, 0), last)
		return c, nil
	}
}

func (c Console) reportsPane() (Console, tea.Cmd) {
	c.place.reports.reading = !c.place.reports.reading
	return c, nil
}

// reportsOpen reads the report, then goes to its item.
func (c Console) reportsOpen() (Console, tea.Cmd) {
	r := c.place.reports.row()
	if r == nil {
		return c.say("Nothing is finished yet.")
	}
	if !c.place.reports.reading {
		return c.reportsPane()
	}
	return c.goToItem(r.AgentID, r.ID)
}

func (c Console) reportsBack() (Console, tea.Cmd) {
	switch {
	case c.note.isError:
		c.note = note{n: c.note.n}
	case c.place.zoomed:
		return zoom(c)
	case c.place.reports.reading:
		return c.reportsPane()
	case c.place.reports.filter != "":
		return c.filtered("")
	default:
		c.note.text = ""
	}
	return c, nil
}
