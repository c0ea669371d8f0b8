package screen

import (
	"vise/model"
	"vise/ui/text"
)

// Filter is the filter of a list, as it is drawn above it.
type Filter struct {
	Text string
	// Trouble is what is wrong with it, in words.
	Trouble string
	// Typing: it has the keys.
	Typing bool
}

// Rows is how many lines it takes.
func (x Filter) Rows() int {
	if x.Typing || x.Text != "" {
		return 1
	}
	return 0
}

// line is the filter above a list of w cells.
func (x Filter) line(f Frame, w int) string {
	shown := model.Text(x.Text).String()
	switch {
	case x.Trouble != "":
		return f.Strip(w, false, f.Key.Of(" / "), f.Blocked.Of(shown+"  "), f.Muted.Of(x.Trouble))
	case x.Typing:
		return f.Strip(w, false, f.Key.Of(" / "), f.Strong.Of(text.Cut(shown, w-3)))
	}
	return f.Strip(w, false, f.Key.Of(" / "), f.Muted.Of(text.Cut(shown, w-3)))
}

// draw puts the line above a pane's rows where there is a filter.
func (x Filter) draw(p *pane, f Frame) {
	if w, _ := p.Inner(); x.Rows() > 0 {
		p.Lines = append(p.Lines, x.line(f, w))
	}
}
