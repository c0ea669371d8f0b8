package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/ui/action"
	"vise/ui/text"
)

// pager shows text that is longer than a message: what a command of the operator's wrote.
type pager struct {
	title string
	// lines are safe on a terminal.
	lines []string
	top   int
	// over: it lies over the whole screen, else it is as high as its lines.
	over bool
	// page is how many lines the last frame showed.
	page int
}

func (p *pager) press(k tea.KeyPressMsg, _ surroundings) (dialog, wish) {
	a, _ := action.Of(action.Output, k)
	n := *p
	switch a.ID {
	case action.OutputClose:
		return nil, wish{}
	case action.OutputDown:
		n.top++
	case action.OutputUp:
		n.top--
	case action.OutputPageDown:
		n.top += max(p.page, 1)
	case action.OutputPageUp:
		n.top -= max(p.page, 1)
	}
	n.top = max(min(n.top, len(p.lines)-p.page), 0)
	return &n, wish{}
}

func (p *pager) paste(string) dialog { return p }

func (p *pager) draw(w, h int, s surroundings) drawn {
	k := s.styles
	d := drawn{w: dialogWidth(w), h: min(len(p.lines)+2, h)}
	if p.over {
		d.w, d.h = w, h
	}
	p.page = max(d.h-2, 1)
	top := max(min(p.top, len(p.lines)-p.page), 0)
	for _, l := range p.lines[top:min(top+p.page, len(p.lines))] {
		d.Lines = append(d.Lines, " "+k.Text.Paint(text.Cut(k.Safe(l), d.w-4)))
	}
	d.Title, d.Focused, d.Foot = k.Strong.Paint(p.title), true, k.Muted.Paint(action.KeyOf(action.OutputClose)+" close")
	if len(p.lines) > p.page {
		d.Right = k.Muted.Paint(fmt.Sprintf("%d–%d of %d", top+1, top+len(d.Lines), len(p.lines)))
	}
	return d
}
