package screen

import (
	"strings"

	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// Footer is the end of the screen: the newest message, then the likeliest keys.
type Footer struct {
	Frame
	W int
	// Message is the newest. Urgent: it is shown in full, over the end of the panes if it must.
	Message string
	Ink     widget.Ink
	Urgent  bool
	// Status stands at the right of a message that leaves room; Cut: the message makes room.
	Status string
	Cut    bool
	// Rows is how many lines of keys there are, Hints the actions that are offered, Help the
	// one that always is.
	Rows  int
	Hints []action.Action
	Help  action.Action
}

// maxMessage bounds the lines of a message. One that is longer than a line lies over the
// end of the panes, so that what to do about an error can be read.
const maxMessage = 4

// Lines are the message: an urgent one in full, else what fits beside the status.
func (v Footer) Lines() []string {
	if v.Urgent || text.Width(v.Message) >= v.W && !v.Cut {
		return v.loud()
	}
	status := v.Muted.Paint(v.Status) + " "
	switch room := v.W - text.Width(status) - 2; {
	case v.Message == "" && !v.Wide:
		return []string{text.Pad(" "+v.Muted.Paint(v.Status), v.W)}
	case text.Width(v.Message) > room && v.Cut:
		return []string{text.Sides(" "+v.Ink.Paint(text.Cut(v.Message, room)), status, v.W)}
	case text.Width(v.Message) > room:
		return []string{text.Pad(" "+v.Ink.Paint(v.Message), v.W)}
	case v.Message == "":
		return []string{text.Sides("", status, v.W)}
	}
	return []string{text.Sides(" "+v.Ink.Paint(v.Message), status, v.W)}
}

func (v Footer) loud() []string {
	lines := text.Wrap(v.Message, max(v.W-4, 1))
	lines = lines[:min(len(lines), maxMessage)]
	mark := v.Glyph.Warning
	for i, l := range lines {
		lines[i] = text.Pad(" "+v.Ink.Paint(mark+" "+l), v.W)
		mark = " "
	}
	return lines
}

// Keys are the likeliest keys, as many as fit, and help in any case.
func (v Footer) Keys() []string {
	var rows []string
	line, used := " ", 1
	next := func() {
		rows, line, used = append(rows, text.Pad(strings.TrimRight(line, " "), v.W)), " ", 1
	}
	add := func(a action.Action) {
		line += v.Key.Paint(a.Key()) + " " + v.Muted.Paint(a.Hint) + "  "
		used += hintCells(a)
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
	return rows
}

// hintCells is the room that an action takes among the keys, with the gap behind it.
func hintCells(a action.Action) int { return text.Width(a.Key()) + 1 + text.Width(a.Hint) + 2 }
