package console

import (
	"fmt"

	"vise/ui/action"
	"vise/ui/text"
)

// pager is a dialog for reading: it scrolls and closes.
type pager struct {
	Title string
	// Lines returns the text, wrapped to w cells.
	Lines func(x facts, w int) []string
	// Output means that it shows a command's output. The box is as high as the output, or with Full as high as the screen.
	Output, Full bool
	Foot         string
	// Keys are the reader's other keys and their results. Each closes the pager. If ReadClose is among them, closing gives its result.
	Keys map[action.ID]message
	top  int
}

// In is part of dialog.
func (p *pager) In() action.Context {
	if p.Output {
		return action.Output
	}
	return action.Reader
}

// Press is part of dialog.
func (p *pager) Press(k keyPress, x facts) (open bool, m message) {
	if r, ok := p.Keys[k.ID]; ok {
		return false, r
	}
	_, h := p.size(x, len(p.lines(x)))
	last, page := len(p.lines(x)), h-2
	if k.ID == action.ReadClose || k.ID == action.OutputClose {
		return false, nil
	}
	p.top += map[action.ID]int{
		action.ReadDown: 1, action.ReadPageDown: max(page-1, 1), action.ReadBottom: last,
		action.ReadUp: -1, action.ReadPageUp: -max(page-1, 1), action.ReadTop: -last,
		action.OutputDown: 1, action.OutputPageDown: page, action.OutputUp: -1, action.OutputPageUp: -page,
	}[k.ID]
	p.top = max(min(p.top, last-page), 0)
	return true, nil
}

func (p *pager) lines(x facts) []string {
	w, _ := p.size(x, 0)
	return p.Lines(x, w-2)
}

// size returns the size of the box for a number of lines.
func (p *pager) size(x facts, lines int) (w, h int) {
	switch w = min(readerW, x.W); {
	case p.Full:
		return x.W, x.H
	case p.Output:
		w = x.DialogW()
	}
	return w, max(min(lines+2, x.H), 3)
}

// Draw is part of dialog.
func (p *pager) Draw(x facts) drawnDialog {
	lines := p.lines(x)
	d := x.dialog(p.Title, p.Foot, nil)
	d.W, d.H = p.size(x, len(lines))
	height := d.H - 2
	top := max(min(p.top, len(lines)-height), 0)
	for _, l := range lines[top:min(top+height, len(lines))] {
		d.Lines = append(d.Lines, text.Cut(l, d.W-2))
	}
	if len(lines) > height {
		d.Right = x.Muted.Paint(fmt.Sprintf("%d-%d of %d", top+1, min(top+height, len(lines)), len(lines)))
	}
	return d
}

// excerpt is a part of a dialog that scrolls on its own if it is longer than its height.
type excerpt struct{ top int }

// Scroll scrolls by a page if the key means that. It reports whether the key does.
func (e *excerpt) Scroll(k keyPress, down, up action.ID, lines, height int) bool {
	by, ok := map[action.ID]int{down: 1, up: -1}[k.ID]
	e.top = min(max(e.top+by*max(height-1, 1), 0), max(lines-height, 0))
	return ok
}

// Draw returns the visible lines, and a line that says which they are; keys names the scrolling actions.
func (e excerpt) Draw(x facts, lines []string, height int, keys string) []string {
	if len(lines) <= height {
		return lines
	}
	top := min(e.top, len(lines)-height)
	out := append([]string(nil), lines[top:top+height]...)
	return append(out, x.Note(fmt.Sprintf("lines %d-%d of %d · %s", top+1, top+height, len(lines), x.Keyed(keys))))
}
