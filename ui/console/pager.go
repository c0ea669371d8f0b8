package console

import (
	"fmt"
	"slices"

	"vise/ui/action"
)

// pager is a dialog for reading: it scrolls and closes.
type pager struct {
	deskKeys
	Title string
	// Lines returns the text, wrapped to w cells.
	Lines func(x facts, w int) []string
	// Narrow means that the box is as wide as a dialog, Full that it takes the whole screen.
	Narrow, Full bool
	Foot         string
	// Keys are the reader's other keys and their results. Each closes the pager. If Back is among them, closing gives its result.
	Keys  map[action.ID]message
	shown excerpt
}

// Press is part of dialog.
func (p *pager) Press(k keyPress, x facts) (open bool, m message) {
	if closes(k) {
		k.ID = action.Back
	}
	r, ok := p.Keys[k.ID]
	if ok || k.ID == action.Back {
		return false, r
	}
	if !p.shown.Scroll(k, len(p.Lines(x, p.width(x)-2)), x.H-2) {
		return true, unused(k)
	}
	return true, nil
}

// closes reports whether a key closes a dialog in which nothing is typed.
func closes(k keyPress) bool { return k.ID == action.Back || k.ID == action.Quit }

// pages reports whether a key scrolls by pages, also where others move a cursor.
func pages(k keyPress) bool { return k.ID == action.PageDown || k.ID == action.PageUp }

// steps are the lines by which the keys that move go on, in a page of some lines of all.
func steps(page, all int) map[action.ID]int {
	page = max(page-1, 1)
	return map[action.ID]int{action.Down: 1, action.Up: -1, action.PageDown: page, action.Do: page, action.PageUp: -page,
		action.Top: -all, action.Bottom: all}
}

// width is the width of the box.
func (p *pager) width(x facts) int {
	switch {
	case p.Full:
		return x.W
	case p.Narrow:
		return x.DialogW()
	}
	return min(readerW, x.W)
}

// Draw is part of dialog.
func (p *pager) Draw(x facts) drawnDialog {
	w := p.width(x)
	lines, foot := p.shown.window(x, p.Lines(x, w-2), x.H-2)
	d := x.dialog(p.Title, p.Foot, lines)
	if d.W, d.Box.Foot = w, foot; p.Full {
		d.H = x.H
	}
	return d
}

// excerpt is text that scrolls if it is longer than its height.
type excerpt struct{ top int }

// Scroll scrolls by a line or a page if the key means that. It reports whether the key does.
func (e *excerpt) Scroll(k keyPress, lines, height int) bool {
	by, ok := steps(height, lines)[k.ID]
	e.top = min(max(e.top+by, 0), max(lines-height, 0))
	return ok
}

// shows reports whether the lines from first to last, or as many of them as fit, are among the height visible ones. If not, it scrolls
// there, and what stands there can be chosen by the next key.
func (e *excerpt) shows(lines [2]int, height int) bool {
	seen := e.top == lines[0] || e.top < lines[0] && lines[1] <= e.top+height
	if !seen {
		e.top = lines[0]
	}
	return seen
}

// notSeen is said of a choice that was not on the screen.
const notSeen = "Now on the screen: again chooses it."

// window returns the visible lines, and a foot that says which they are.
func (e excerpt) window(x facts, lines []string, height int) (shown []string, foot string) {
	if len(lines) <= height {
		return lines, ""
	}
	top := min(e.top, len(lines)-height)
	return slices.Clone(lines[top : top+height]),
		x.Muted.Paint(fmt.Sprintf("lines %d-%d of %d · %s", top+1, top+height, len(lines), x.Keyed("{page-up} {page-down}")))
}
