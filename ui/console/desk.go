package console

import (
	"fmt"
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
	v := tea.View{AltScreen: true, MouseMode: c.opt.mouse(), ReportFocus: c.opt.Settings.Notifications.Via != config.ViaOff, WindowTitle: c.windowTitle()}
	if c.layout.w <= 0 || c.layout.h <= 0 {
		return v
	}
	lines := c.desk()
	if c.find != nil && c.dialog == nil && (c.layout.shows(paneQueue) || c.place.view != viewDesk) {
		r := c.layout.panes[paneQueue]
		if c.place.view != viewDesk {
			r = c.layout.body()
		}
		_, x, _ := c.find.Draw(max(r.W-2-3, 2), c.styles)
		v.Cursor = tea.NewCursor(r.X+1+3+x, r.Y+1)
	}
	if c.plan.Search.Typing != nil && c.dialog == nil && c.layout.shape != tiny {
		_, x := c.plan.Search.Line(c.frame(), c.layout.w)
		v.Cursor = tea.NewCursor(x, c.layout.h-1-c.layout.hints)
	}
	if c.dialog != nil && c.layout.shape != tiny {
		room := c.layout.h - 1 - c.layout.hints // the message line stays in sight
		d := c.dialog.draw(c.layout.w, room, surroundings{c})
		x, y := (c.layout.w-d.w)/2, max((room-d.h)/3, 0)
		lines = widget.Over(lines, d.Box.Draw(d.w, d.h, c.styles), x, y, d.w)
		if d.cursor != nil {
			v.Cursor = tea.NewCursor(x+1+d.cursor.X, y+1+d.cursor.Y)
		}
	}
	v.Content = strings.Join(lines, "\n")
	if c.opt.ascii() {
		v.Content = plainMarks.Replace(v.Content)
	}
	return v
}

// plainMarks are this program's own words in ASCII.
var plainMarks = strings.NewReplacer("…", "~", "·", ".", "−", "-", "×", "x", "↑", "^", "↓", "v", "←", "<", "→", ">", "▾", "v")

// dialogless reports whether the desk has the keys: then its cursor is drawn.
func (c Console) dialogless() bool { return c.dialog == nil }

// show is text from outside, as it may stand on a line of the screen.
func (c Console) show(t model.Text) string { return c.styles.Safe(t.String()) }

// windowTitle says how many items need the operator.
func (c Console) windowTitle() string {
	switch {
	case !c.opt.Settings.WindowTitle:
		return ""
	case c.needYou() == 0:
		return "vise"
	}
	return "vise " + strconv.Itoa(c.needYou())
}

// needYou is how many items, of any agent, wait for the operator's word and were not
// acknowledged.
func (c Console) needYou() int {
	n := 0
	for _, x := range c.truth.inbox {
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
	out := append(append(make([]string, 0, l.h), c.header()), c.body().Lines...)
	message := c.messageLines()
	out = append(out[:len(out)+1-len(message)], message...)
	return append(out, c.hints()...)
}

// tinyDesk still answers who needs whom, in one line.
func (c Console) tinyDesk() []string {
	s := c.gist()
	if s += " " + c.styles.Glyph.Dot + " enlarge to act"; c.trouble != nil {
		s = "vise ! " + model.Text(c.trouble.Message).String()
	}
	out := []string{text.Pad(s, c.layout.w)}
	for len(out) < c.layout.h {
		out = append(out, text.Pad("", c.layout.w))
	}
	return out
}

func (c Console) gist() string {
	g := c.styles.Glyph
	s := "vise"
	if n := c.needYou(); n > 0 {
		s += " " + strconv.Itoa(n) + g.NeedsYou
	}
	for _, sec := range c.truth.desk.Sections {
		if sec.Class == model.TriggeredBlocked && sec.Total > 0 {
			s += " " + strconv.Itoa(sec.Total) + g.Triggered
		}
	}
	if r := c.truth.desk.Current; r != nil {
		s += " " + g.Current + string(r.Handle)
		if r.Todo.Total > 0 {
			s += fmt.Sprintf(" %d/%d", r.Todo.Done, r.Todo.Total)
		}
	}
	return s
}
