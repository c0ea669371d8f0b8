package screen

import (
	"fmt"
	"strconv"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// Header is the first line: the view, the agent, the counts, and the needs.
type Header struct {
	Frame
	W int
	// Views are the actions that show each view. At is the index of the current one.
	Views []action.Action
	At    int
	// Modal means that a dialog has the keys: the other views and their digits are not offered.
	Modal bool
	// Agent is the agent whose desk is shown; empty on other views.
	Agent model.AgentID
	// Badges are states of the whole screen that must not be overlooked.
	Badges []string
	// Needs is the inbox, which the header counts. More means that there are more entries than were read.
	Needs []model.Inboxed
	More  bool
	// Findings is the number of findings that wait for triage.
	Findings int
	// Gist is the view's summary, shown if it fits.
	Gist string
}

// Draw returns the header. Its views can be clicked.
func (v Header) Draw() Drawing {
	left := " "
	if v.Wide {
		left = " " + v.Strong.Paint("vise") + "  "
	}
	views, regions := v.views(text.Width(left))
	return Drawing{[]string{v.line(left + views)}, regions}
}

// line returns the header after its views.
func (v Header) line(left string) string {
	if v.Agent != "" {
		left += "  " + v.Strong.Paint(v.AgentName(v.Agent)+" ▾")
	}
	for _, b := range v.Badges {
		left += " " + v.Badge.Paint(" "+b+" ")
	}
	right := v.NeedsYou.Paint(v.need()) + "  " + v.Muted.Paint(v.Now.Format("15:04")) + " "
	if v.Findings > 0 && !v.Narrow {
		right = v.Muted.Paint(model.Counted(v.Findings, "finding")+"  ") + right
	}
	if gist := "   " + v.Gist; v.Gist != "" && !v.Narrow && text.Width(left)+text.Width(gist)+text.Width(right) < v.W {
		left += gist
	}
	return text.Sides(left, right, v.W)
}

// need counts the inbox by what it asks of the operator. The numbers add up to its entries.
func (v Header) need() string {
	if len(v.Needs) == 0 {
		return ""
	}
	more := ""
	if v.More {
		more = "+"
	}
	if v.Narrow {
		return fmt.Sprintf("%d%s needs", len(v.Needs), more)
	}
	return action.CountNeeds(v.Needs, " · ") + more
}

// views returns the views' names from x on, the current one in brackets.
func (v Header) views(x int) (string, []Region) {
	var parts []string
	var regions []Region
	if v.Modal {
		return v.Accent.Paint(v.Mark(v.Views[v.At].Title)), nil
	}
	gap := " "
	for i, view := range v.Views {
		s, ink := strconv.Itoa(i+1), v.Muted
		if v.Wide {
			s, gap = s+" "+view.Title, "  "
		}
		if i == v.At {
			s, ink = v.Mark(s), v.Accent
		}
		parts = append(parts, ink.Paint(s))
		regions = append(regions, Region{Rect: Rect{x, 0, text.Width(s), 1}, Act: view.ID})
		x += text.Width(s + gap)
	}
	return strings.Join(parts, gap), regions
}

// Counts returns a desk's classes with their sizes: ▶1 ◆2 ○5 ?1 ■3 ✓12.
func (f Frame) Counts(d model.Desk) string {
	var parts []string
	if d.Current != nil && d.Current.Class == model.CurrentRunnable {
		parts = append(parts, f.Current.Paint(f.Glyph.Current+"1"))
	}
	for _, s := range d.Sections {
		n := s.Total
		if d.Current != nil && d.Current.Class == s.Class {
			n++
		}
		switch s.Class {
		case model.WaitingForOperator:
			n += d.Section(model.ReportOffered).Total
		case model.ReportOffered: // counted among the items that need the operator
			n = 0
		}
		if n > 0 {
			mark := f.classMark(s.Class)
			parts = append(parts, mark.Paint(mark.Text+strconv.Itoa(n)))
		}
	}
	if f.Wide {
		return strings.Join(parts, "  ")
	}
	return strings.Join(parts, " ")
}

// Gist summarises in one line what needs the operator, for a screen on which nothing else fits.
func (f Frame) Gist(d model.Desk, needYou int) string {
	s := "vise"
	if needYou > 0 {
		s += " " + strconv.Itoa(needYou) + f.Glyph.NeedsYou
	}
	if n := d.Section(model.TriggeredBlocked).Total; n > 0 {
		s += " " + strconv.Itoa(n) + f.Glyph.Triggered
	}
	if r := d.Current; r != nil {
		s += " " + f.RowMark(*r).Text + string(r.Handle)
		if r.Todo.Total > 0 {
			s += fmt.Sprintf(" %d/%d", r.Todo.Done, r.Todo.Total)
		}
	}
	return s + " · enlarge to act"
}

// Footer is the end of the screen: the newest message, then the most useful keys.
type Footer struct {
	Frame
	W int
	// Message is the newest message. Urgent means that it is shown in full, over the end of the panes if necessary.
	Message string
	Ink     Ink
	Urgent  bool
	// Most is the number of lines that a message may take. One longer than a line covers the end of the panes, so that the hint of an error
	// can be read.
	Most int
	// Status is at the right of a message that is short enough. Cut means that the message takes one line.
	Status string
	Cut    bool
	// Rows is the number of lines of keys. Hints are the offered actions, Help is the one that is always shown. Hint replaces them while a
	// dialog has the keys.
	Rows  int
	Hint  string
	Hints []action.Action
	Help  action.Action
}

// Lines returns the message: an urgent one in full, else the part that fits beside the status.
func (v Footer) Lines() []string {
	if v.Urgent || text.Width(v.Message) >= v.W && !v.Cut {
		return v.wrapped()
	}
	message, status := text.Cut(v.Message, v.W-2), v.Muted.Paint(text.Cut(v.Status, v.W-4))+" "
	if text.Width(message)+text.Width(status)+2 > v.W {
		status = ""
	}
	if message != "" {
		message = " " + v.Ink.Paint(message)
	}
	return []string{text.Sides(message, status, v.W)}
}

func (v Footer) wrapped() []string {
	lines := text.Wrap(v.Message, max(v.W-4, 1))
	lines = lines[:min(len(lines), v.Most)]
	for i, l := range lines {
		mark := " "
		if v.Urgent && i == 0 {
			mark = v.Glyph.Warning
		}
		lines[i] = text.Pad(" "+v.Ink.Paint(mark+" "+l), v.W)
	}
	return lines
}

// Keys returns as many of the most useful keys as fit, and always help, from the line y on. They can be clicked.
func (v Footer) Keys(y int) Drawing {
	var rows []string
	var regions []Region
	line, used := " ", 1
	next := func() {
		rows, line, used = append(rows, text.Pad(strings.TrimRight(line, " "), v.W)), " ", 1
	}
	add := func(a action.Action) {
		line += v.Key.Paint(a.Key()) + " " + v.Muted.Paint(a.Hint) + "  "
		regions = append(regions, Region{Rect: Rect{used, y + len(rows), hintCells(a) - 2, 1}, Act: a.ID})
		used += hintCells(a)
	}
	for _, l := range text.Wrap(v.Hint, v.W-2) {
		if v.Hint != "" && len(rows) < v.Rows {
			rows = append(rows, text.Pad(" "+v.Text.Paint(l), v.W))
		}
	}
	for _, a := range v.Hints {
		reserve := 0
		if len(rows)+1 == v.Rows {
			reserve = hintCells(v.Help)
		}
		if used+hintCells(a)+reserve > v.W+1 {
			if reserve > 0 {
				break
			}
			next()
		}
		add(a)
	}
	if v.Help.Hint != "" {
		if used+hintCells(v.Help) > v.W+1 && len(rows)+1 < v.Rows {
			next()
		}
		add(v.Help)
	}
	for len(rows) < v.Rows {
		next()
		line = ""
	}
	return Drawing{rows, regions}
}

// hintCells is the width of an action among the keys, with the gap after it.
func hintCells(a action.Action) int { return text.Width(a.Key()) + 1 + text.Width(a.Hint) + 2 }
