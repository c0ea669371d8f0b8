package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/ui/console/screen"
)

// The sizes at which the screen changes its shape, in cells.
const (
	wideW, wideH  = 110, 30
	twoW          = 72
	portraitH     = 36
	tinyW, tinyH  = 40, 10
	secondHintsAt = 16
)

// unsizedRows is used before the terminal has reported its size. It fills most screens.
const unsizedRows = 40

// shape is the number of panes side by side.
type shape int

const (
	tiny shape = iota
	one
	portrait
	two
	three
)

// layout is the position of everything on screen. It depends only on the size, the zoom and the focused pane.
type layout struct {
	w, h  int
	shape shape
	panes [paneCount]screen.Rect
	hints int
}

// layoutOf computes the layout of a w×h screen.
func layoutOf(w, h int, focus pane, zoomed bool) layout {
	l := layout{w: w, h: h, hints: 1, shape: shapeOf(w, h)}
	if l.shape == tiny {
		return l
	}
	if (l.shape == one || l.shape == portrait) && h >= secondHintsAt {
		l.hints = 2
	}
	body := l.body()
	switch {
	case zoomed || l.shape == one:
		l.panes[focus] = body
	case l.shape == portrait:
		top := body.H * 2 / 5
		l.panes[paneQueue], l.panes[paneDetail] = body.RowsOf(top), body.Below(top)
	case l.shape == two:
		l.split(body, w*42/100, 0)
	case l.shape == three:
		l.split(body, min(w*46/120, 72), min(max(body.H/4, 6), 12))
	}
	return l
}

// body is the part of the screen between the header and the message line.
func (l layout) body() screen.Rect { return screen.Rect{Y: 1, W: l.w, H: max(l.h-2-l.hints, 0)} }

func (l *layout) split(body screen.Rect, left, activity int) {
	right := screen.Rect{X: left, Y: body.Y, W: body.W - left, H: body.H}
	l.panes[paneQueue] = screen.Rect{Y: body.Y, W: left, H: body.H}
	l.panes[paneDetail], l.panes[paneActivity] = right.RowsOf(body.H-activity), right.Below(body.H-activity)
}

func shapeOf(w, h int) shape {
	switch {
	case w < tinyW || h < tinyH:
		return tiny
	case w >= wideW && h >= wideH:
		return three
	case w >= twoW:
		return two
	case h >= portraitH:
		return portrait
	}
	return one
}

// queueStyle is the content of a queue line, by the queue's width.
func (l layout) queueStyle() screen.QueueStyle {
	w := l.panes[paneQueue].W
	return screen.QueueStyle{
		Headings: l.shape != one || l.h >= 24, Gaps: l.shape == three, Reasons: w >= 42, Titles: l.w >= previewFrom,
	}
}

// shows reports whether a pane is on screen.
func (l layout) shows(p pane) bool { return !l.panes[p].Empty() }

// reachable are the panes that can get the focus, in order.
func (l layout) reachable() []pane {
	if l.shape == three {
		return []pane{paneQueue, paneDetail, paneActivity}
	}
	return []pane{paneQueue, paneDetail}
}

// wheelLines is the number of lines that one notch of the wheel scrolls.
const wheelLines = 3

// wheeled scrolls the pane under the mouse: a list's cursor, or a page.
func wheeled(c *console, m tea.Mouse) {
	by := map[tea.MouseButton]int{tea.MouseWheelUp: -wheelLines, tea.MouseWheelDown: wheelLines}[m.Button]
	if by == 0 {
		return
	}
	under(c, m, func(c *console, r screen.Region) {
		if r.Act == "" {
			wheelOn(c, r.Pane, by)
		}
	})
}

// under runs do for the region under the mouse, unless a dialog covers it.
func under(c *console, m tea.Mouse, do func(*console, screen.Region)) {
	if c.layers.dialog() != nil {
		return
	}
	touched(c)
	if r, ok := c.drawn().At(m.X, m.Y); ok {
		do(c, r)
	}
}

func wheelOn(c *console, on, n int) {
	switch {
	case on == previewPane && c.view != viewDesk:
		c.movePlan(n)
		return
	case c.view == viewReports:
		if on == screen.ReportsReport {
			reportsScroll(n)(c)
			return
		}
		c.reports.Reading = false
		reportsBy(n)(c)
		return
	case c.view == viewFleet:
		if on < 0 {
			return
		}
		c.fleet.Focus = on
		fleetBy(n)(c)
		return
	}
	if pane(on) == paneQueue {
		c.choose(c.queue.At(c.cursor).Step(n).Cursor)
		return
	}
	c.scroll(pane(on), n)
}

// clicked puts the cursor on a row, gives the focus to a pane, shows a tab, or does the same as the key of the
// clicked hint or view name.
func clicked(c *console, m tea.Mouse) {
	if m.Button != tea.MouseLeft {
		return
	}
	under(c, m, clickOn)
}

func clickOn(c *console, r screen.Region) {
	switch {
	case r.Act != "" && c.layers.top() != nil:
		return
	case r.Act != "":
		actHere(c, r.Act)
		return
	case r.IsTab:
		c.focus = paneDetail
		c.laidOut()
		showTab(c, screen.Tab(r.Row))
		return
	}
	switch c.view {
	case viewReports:
		c.reports.Reading = r.Pane == screen.ReportsReport
		if r.Row < 0 {
			return
		}
		reportsBy(r.Row - max(c.reports.At(), 0))(c)
		return
	case viewFleet:
		c.fleetTo(r)
		return
	}
	c.focus = pane(r.Pane)
	c.laidOut()
	if r.Pane != int(paneQueue) || r.Row < 0 {
		return
	}
	c.choose(c.queue.Order[r.Row])
}
