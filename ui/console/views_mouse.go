package console

import tea "charm.land/bubbletea/v2"

// wheeledElsewhere scrolls what is under the mouse on a view other than the desk.
func (c Console) wheeledElsewhere(m tea.Mouse, n int) (Console, tea.Cmd) {
	switch c.place.view {
	case viewActivity:
		return streamBy(n)(c)
	case viewReports:
		if _, report := c.reportsPanes(); report.holds(m.X, m.Y) {
			return reportsScroll(n)(c)
		}
		c.place.reports.reading = false
		return reportsBy(n)(c)
	}
	for p, r := range c.fleetPanes() {
		if r.holds(m.X, m.Y) && fleetPane(p) < fleetPaneCount {
			c.place.fleet.focus = fleetPane(p)
			return fleetBy(n)(c)
		}
	}
	return c, nil
}

// clickedElsewhere puts the cursor on the row under the mouse, and changes nothing else.
func (c Console) clickedElsewhere(m tea.Mouse) (Console, tea.Cmd) {
	switch c.place.view {
	case viewActivity:
		p, s := c.place.stream, c.truth.stream
		shown := s.shown(p, c.streamRows())
		at := m.Y - c.layout.body().y - 1 - c.filterRows()
		if at < 0 || at >= len(shown) {
			return c, nil
		}
		if p.following() {
			p.left = s.newest
		}
		p.cursor, p.top = positionOf(shown[at]), positionOf(shown[0])
		c.place.stream = p
		return c.look()
	case viewReports:
		list, report := c.reportsPanes()
		p := c.place.reports
		p.reading = report.holds(m.X, m.Y)
		if at := p.top + m.Y - list.y - 1 - c.filterRows(); list.holds(m.X, m.Y) && at >= 0 && at < len(p.rows) {
			c.place.reports = p
			return reportsBy(at - max(p.at(), 0))(c)
		}
		c.place.reports = p
		return c, nil
	}
	return c.clickedFleet(m)
}

func (c Console) clickedFleet(m tea.Mouse) (Console, tea.Cmd) {
	p, panes := c.place.fleet, c.fleetPanes()
	switch r := panes[fleetAgents]; {
	case r.holds(m.X, m.Y):
		p.focus = fleetAgents
		if at := p.top[fleetAgents] + m.Y - r.y - 2; at >= 0 && at < len(p.order) { // below the border and the heads
			p.agent = p.order[at]
		}
	case panes[fleetInbox].holds(m.X, m.Y):
		p.focus = fleetInbox
		if at := p.top[fleetInbox] + m.Y - panes[fleetInbox].y - 1; at >= 0 && at < len(p.inbox) {
			p.item = p.inbox[at].ID
		}
	default:
		return c, nil
	}
	return c.fleetMoved(p)
}
