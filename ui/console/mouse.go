package console

import tea "charm.land/bubbletea/v2"

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// wheeled scrolls what is under the mouse: the queue's cursor, or a pane's page.
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
	if c.place.view != viewDesk {
		c, cmd := c.wheeledElsewhere(m, n)
		return c, tea.Batch(touched, cmd)
	}
	for p := range paneCount {
		if !c.layout.panes[p].holds(m.X, m.Y) {
			continue
		}
		if p == paneQueue {
			c, cmd := c.choose(c.queue.step(c.place.cursor, n))
			return c, tea.Batch(touched, cmd)
		}
		c, cmd := c.scroll(p, n)
		return c, tea.Batch(touched, cmd)
	}
	return c, touched
}

// clicked selects a row or focuses a pane. It never changes anything else.
func (c Console) clicked(m tea.Mouse) (Console, tea.Cmd) {
	if m.Button != tea.MouseLeft || c.layers.dialog() != nil {
		return c, nil
	}
	c, touched := c.touched()
	if c.place.view != viewDesk {
		c, cmd := c.clickedElsewhere(m)
		return c, tea.Batch(touched, cmd)
	}
	for p := range paneCount {
		r := c.layout.panes[p]
		if !r.holds(m.X, m.Y) {
			continue
		}
		c.place.focus = p
		c, laid := c.laidOut()
		if p != paneQueue {
			return c, tea.Batch(touched, laid)
		}
		lines := c.queue.lines(c.layout.queueStyle())
		at := c.place.top + m.Y - r.y - 1 - c.filterRows()
		if at < 0 || at >= len(lines) || lines[at].row == nil {
			return c, tea.Batch(touched, laid)
		}
		c, cmd := c.choose(lines[at].row.ID)
		return c, tea.Batch(touched, laid, cmd)
	}
	return c, touched
}
