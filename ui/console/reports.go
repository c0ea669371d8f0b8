package console

import (
	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

const (
	finishedPage = 200
	// mostFinished is the greatest number of rows that are kept.
	mostFinished = 5000
)

// readFinished reads the newest finished work, at most limit rows.
func readFinished(r model.Reader, limit int) screen.Finished {
	rows := r.Finished(nil, limit+1)
	return screen.Finished{Rows: rows[:min(len(rows), limit)], More: len(rows) > limit}
}

// reportsActs are the actions of the reports view.
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
	reading := backStep{func(c *console) bool { return c.reports.Reading }, reportsPane}
	return listActs(reportsBy, height, map[action.ID]act{
		action.PreviewDown: reportsScroll(1), action.PreviewUp: reportsScroll(-1),
		action.NextPane: reportsPane, action.PrevPane: reportsPane,
		action.Open: reportsOpen, action.Back: backOr(reading, unfiltered), action.NextAgent: lacks, action.PrevAgent: lacks,
	})
}

func reportsBy(n int) act {
	return func(c *console) {
		p := c.reports
		if p.Reading {
			reportsScroll(n)(c)
			return
		}
		if len(p.Rows) == 0 {
			return
		}
		before := p.Cursor
		if p.List = p.Step(n); p.Cursor != before {
			p.Scroll = 0
		}
		if at := p.At(); at+2*c.layout.h > p.Want && finishedShown(c).More && p.Want < mostFinished {
			p.Want = min(at+finishedPage, mostFinished)
		}
		c.reports = p
		c.selectItem(p.Row().AgentID, p.Cursor)
		c.read()
	}
}

func reportsScroll(n int) act {
	return func(c *console) {
		c.reports.Scroll = min(max(c.reports.Scroll+n, 0), c.reportsView().LastLine())
	}
}

func reportsPane(c *console) {
	c.reports.Reading = !c.reports.Reading
}

// reportsOpen opens the report, or from there its item.
func reportsOpen(c *console) {
	r := c.reports.Row()
	switch {
	case r == nil:
		c.say("Nothing is finished yet.")
		return
	case !c.reports.Reading:
		reportsPane(c)
		return
	}
	c.goToItem(r.AgentID, r.ID)
}
