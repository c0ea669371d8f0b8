package console

// The sizes at which the screen changes its shape, in cells.
const (
	wideW, wideH  = 110, 30
	twoW          = 72
	portraitH     = 36
	tinyW, tinyH  = 40, 10
	secondHintsAt = 16
)

// rect is a pane's place, borders included. An empty one is not shown.
type rect struct{ x, y, w, h int }

func (r rect) empty() bool          { return r.w <= 0 || r.h <= 0 }
func (r rect) inner() (w, h int)    { return max(r.w-2, 0), max(r.h-2, 0) }
func (r rect) holds(x, y int) bool  { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }
func (r rect) below(rows int) rect  { return rect{r.x, r.y + rows, r.w, r.h - rows} }
func (r rect) rowsOf(rows int) rect { return rect{r.x, r.y, r.w, rows} }

// shape is how many panes stand beside each other.
type shape int

const (
	tiny shape = iota
	one
	portrait
	two
	three
)

// layout says where everything is. It is a function of the size, the zoom and the pane in
// focus, and of nothing else.
type layout struct {
	w, h  int
	shape shape
	panes [paneCount]rect
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
	body := rect{0, 1, w, h - 2 - l.hints}
	switch {
	case zoomed || l.shape == one:
		l.panes[focus] = body
	case l.shape == portrait:
		top := body.h * 2 / 5
		l.panes[paneQueue], l.panes[paneDetail] = body.rowsOf(top), body.below(top)
	case l.shape == two:
		l.split(body, w*42/100, 0)
	case l.shape == three:
		l.split(body, min(w*46/120, 72), min(max(body.h/4, 6), 12))
	}
	return l
}

func (l *layout) split(body rect, left, activity int) {
	right := rect{left, body.y, body.w - left, body.h - activity}
	l.panes[paneQueue] = rect{0, body.y, left, body.h}
	l.panes[paneDetail] = right
	l.panes[paneActivity] = rect{left, body.y + right.h, right.w, activity}
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

// shows reports whether a pane is on screen.
func (l layout) shows(p pane) bool { return !l.panes[p].empty() }

// reachable are the panes that the focus can go to, in order.
func (l layout) reachable() []pane {
	if l.shape == three {
		return []pane{paneQueue, paneDetail, paneActivity}
	}
	return []pane{paneQueue, paneDetail}
}
