package console

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/config"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// View draws the frame from what the console holds, and asks nobody.
func (c Console) View() tea.View {
	v := tea.View{AltScreen: true, MouseMode: c.opt.mouse(), ReportFocus: c.opt.Settings.Notifications.Via != config.ViaOff}
	if c.opt.Settings.WindowTitle {
		v.WindowTitle = "vise"
		if n := c.truth.needYou(); n > 0 {
			v.WindowTitle += " " + strconv.Itoa(n)
		}
	}
	if c.layout.w <= 0 || c.layout.h <= 0 {
		return v
	}
	lines := c.desk()
	if d := c.layers.dialog(); d != nil && c.layout.shape != tiny {
		x := c.context()
		drawn := d.Draw(x)
		left, top := (x.W-drawn.W)/2, max((x.H-drawn.H)/3, 0)
		lines = widget.Over(lines, drawn.Box.Draw(drawn.W, drawn.H, c.styles), left, top, drawn.W)
		if drawn.Cursor != nil {
			v.Cursor = tea.NewCursor(left+1+drawn.Cursor.X, top+1+drawn.Cursor.Y)
		}
	} else if c.layout.shape != tiny {
		v.Cursor = c.promptCursor()
	}
	v.Content = strings.Join(lines, "\n")
	if c.opt.ascii() {
		v.Content = plainMarks.Replace(v.Content)
	}
	return v
}

// plainMarks are this program's own words in ASCII.
var plainMarks = strings.NewReplacer("…", "~", "·", ".", "−", "-", "×", "x", "↑", "^", "↓", "v", "←", "<", "→", ">", "▾", "v")

// promptCursor is where text is typed in the screen itself; nil where none is.
func (c Console) promptCursor() *tea.Cursor {
	if p := c.layers.prompt(searchPrompt); p != nil {
		_, x := c.plan.Search.Line(c.frame(), &p.Field, c.layout.w)
		return tea.NewCursor(x, c.layout.h-1-c.layout.hints)
	}
	p, r := c.layers.prompt(filterPrompt), c.layout.panes[paneQueue]
	if c.place.view != viewDesk {
		r = c.layout.body()
	}
	if p == nil || r.Empty() {
		return nil
	}
	_, x, _ := p.Field.Draw(max(r.W-2-3, 2), c.styles)
	return tea.NewCursor(r.X+1+3+x, r.Y+1)
}

// needYou is how many items, of any agent, wait for the operator's word and were not
// acknowledged.
func (t truth) needYou() (n int) {
	for _, x := range t.inbox {
		if x.Urgent() {
			n++
		}
	}
	return n
}

// desk is the screen without a dialog, each line as wide as the screen.
func (c Console) desk() []string {
	l := c.layout
	if l.shape == tiny {
		return c.tinyDesk()
	}
	out := append(append(make([]string, 0, l.h), c.header().Line()), c.body().Lines...)
	footer := c.footer()
	message := footer.Lines()
	if p := c.layers.prompt(searchPrompt); p != nil {
		line, _ := c.plan.Search.Line(footer.Frame, &p.Field, l.w)
		message = []string{line}
	}
	out = append(out[:len(out)+1-len(message)], message...)
	return append(out, footer.Keys()...)
}

// tinyDesk still answers who needs whom, in one line.
func (c Console) tinyDesk() []string {
	s := c.frame().Gist(c.truth.desk, c.truth.needYou())
	if c.trouble != nil {
		s = "vise ! " + model.Text(c.trouble.Message).String()
	}
	out := []string{text.Pad(s, c.layout.w)}
	for len(out) < c.layout.h {
		out = append(out, text.Pad("", c.layout.w))
	}
	return out
}
