package console

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

const (
	finishedPage = 200
	// finishedDepth bounds how many rows a filter looks at, and mostFinished how many are kept.
	finishedDepth = 20_000
	textDepth     = 2000
	mostFinished  = 5000
)

// readFinished reads the newest finished work that a filter keeps, limit rows of it.
func readFinished(r model.Reader, filterText string, limit int, now time.Time) screen.Finished {
	f := action.ParseReportFilter(filterText, now)
	out := screen.Finished{Trouble: f.Trouble}
	depth := finishedDepth
	if f.ReadsText() {
		depth = textDepth
	}
	searched := 0
	var after *model.Row
	for {
		page := r.Finished(after, finishedPage)
		for i := range page {
			searched++
			if f.KeepsReport(r, page[i]) {
				if len(out.Rows) == limit {
					out.More = true
					return out
				}
				out.Rows = append(out.Rows, page[i])
			}
		}
		if len(page) < finishedPage {
			return out
		}
		if searched >= depth {
			out.More, out.Searched = true, searched
			return out
		}
		after = &page[len(page)-1]
	}
}

// reportsActs are what keys do on the reports.
func reportsActs() map[action.ID]act {
	height := func(c *console) int {
		v := c.reportsView()
		on := screen.ReportsList
		if v.Reading {
			on = screen.ReportsReport
		}
		_, h := v.Panes()[on].Inner()
		return h
	}
	reading := backStep{func(c *console) bool { return c.place.reports.Reading }, reportsPane}
	return listActs(reportsBy, height, map[action.ID]act{
		action.PreviewDown: reportsScroll(1), action.PreviewUp: reportsScroll(-1),
		action.NextPane: reportsPane, action.PrevPane: reportsPane,
		action.Open: reportsOpen, action.Back: backOr(reading, unfiltered), action.NextAgent: lacks, action.PrevAgent: lacks,
	})
}

func reportsBy(n int) act {
	return func(c *console) tea.Cmd {
		p := c.place.reports
		if p.Reading {
			return reportsScroll(n)(c)
		}
		if len(p.Rows) == 0 {
			return nil
		}
		before := p.Cursor
		if p.List = p.Step(n); p.Cursor != before {
			p.Scroll = 0
		}
		if at := p.At(); at+2*c.layout.h > p.Want && c.truth.finished.More && p.Want < mostFinished {
			p.Want = min(at+finishedPage, mostFinished)
		}
		c.place.reports = p
		return tea.Batch(c.selectItem(p.Row().AgentID, p.Cursor), c.read())
	}
}

func reportsScroll(n int) act {
	return func(c *console) tea.Cmd {
		c.place.reports.Scroll = min(max(c.place.reports.Scroll+n, 0), c.reportsView().LastLine())
		return nil
	}
}

func reportsPane(c *console) tea.Cmd {
	c.place.reports.Reading = !c.place.reports.Reading
	return nil
}

// reportsOpen reads the report, then goes to its item.
func reportsOpen(c *console) tea.Cmd {
	r := c.place.reports.Row()
	switch {
	case r == nil:
		return c.say("Nothing is finished yet.")
	case !c.place.reports.Reading:
		return reportsPane(c)
	}
	return c.goToItem(r.AgentID, r.ID)
}
