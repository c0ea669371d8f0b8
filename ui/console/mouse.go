package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/ui/console/screen"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// wheeled scrolls what is under the mouse: a list's cursor, or a page.
func (c Console) wheeled(m tea.Mouse) (Console, tea.Cmd) {
	n := wheelLines
	switch m.Button {
	case tea.MouseWheelUp:
		n = -n
	case tea.MouseWheelDown:
	default:
		return c, nil
	}
	if c.layers.dialog() != nil {
		return c, nil
	}
	c, touched := c.touched()
	r, ok := c.body().At(m.X, m.Y)
	if !ok {
		return c, touched
	}
	c, cmd := wheelOn(c, r.Pane, n)
	return c, tea.Batch(touched, cmd)
}

func wheelOn(c Console, on, n int) (Console, tea.Cmd) {
	switch c.place.view {
	case viewActivity:
		return activityBy(n)(c)
	case viewReports:
		if on == screen.ReportsReport {
			return reportsScroll(n)(c)
		}
		c.place.reports.Reading = false
		return reportsBy(n)(c)
	case viewFleet:
		if on > screen.FleetInbox {
			return c, nil
		}
		c.place.fleet.Focus = on
		return fleetBy(n)(c)
	}
	if pane(on) == paneQueue {
		return c.choose(c.queue.At(c.place.cursor).Step(n).Cursor)
	}
	return c.scroll(pane(on), n)
}

// clicked puts the cursor on a row or the keys on a pane. It never changes anything else.
func (c Console) clicked(m tea.Mouse) (Console, tea.Cmd) {
	if m.Button != tea.MouseLeft || c.layers.dialog() != nil {
		return c, nil
	}
	c, touched := c.touched()
	r, ok := c.body().At(m.X, m.Y)
	if !ok {
		return c, touched
	}
	c, cmd := clickOn(c, r)
	return c, tea.Batch(touched, cmd)
}

func clickOn(c Console, r screen.Region) (Console, tea.Cmd) {
	switch c.place.view {
	case viewActivity:
		return activityTo(c, r.Row)
	case viewReports:
		c.place.reports.Reading = r.Pane == screen.ReportsReport
		if r.Row < 0 {
			return c, nil
		}
		return reportsBy(r.Row - max(c.place.reports.At(), 0))(c)
	case viewFleet:
		return c.fleetTo(r)
	}
	c.place.focus = pane(r.Pane)
	c, laid := c.laidOut()
	if r.Pane != int(paneQueue) || r.Row < 0 {
		return c, laid
	}
	c, cmd := c.choose(c.queue.Order[r.Row])
	return c, tea.Batch(laid, cmd)
}
