package console

import (
	"slices"
	"strconv"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// header is the first line: where this is, whose desk, how much of what, who is needed.
func (c Console) header() string {
	k, l := c.styles, c.layout
	left := " " + c.viewMarks()
	if l.shape == three {
		left = " " + k.Strong.Paint("vise") + "  " + c.viewMarks()
	}
	if c.place.agent != "" && c.place.view == viewDesk {
		left += "  " + k.Strong.Paint(c.show(model.Text(c.place.agent))+" ▾")
	}
	for _, b := range c.badges() {
		left += " " + k.Badge.Paint(" "+b+" ")
	}
	right := ""
	if n := c.needYou(); n > 0 {
		right = k.NeedsYou.Paint(strconv.Itoa(n) + " NEED YOU")
		if len(c.truth.inbox) >= inboxShown && n >= inboxShown {
			right = k.NeedsYou.Paint(strconv.Itoa(n) + "+ NEED YOU")
		}
		if n == 1 {
			right = k.NeedsYou.Paint("1 NEEDS YOU")
		}
	}
	if n := len(c.shelf.pending()); n > 0 && l.shape != one {
		right = k.Muted.Paint(strconv.Itoa(n)+" "+plural(n, "finding", "findings")+"  ") + right
	}
	right += "  " + k.Muted.Paint(c.now.Format("15:04")) + " "
	if l.shape != one {
		s := "   " + c.counts()
		switch c.place.view {
		case viewActivity, viewReports:
			s = ""
		case viewFleet:
			s = "   " + k.Muted.Paint(c.fleetGist())
		}
		if text.Width(left)+text.Width(s)+text.Width(right) < l.w {
			left += s
		}
	}
	return text.Sides(left, right, l.w)
}

// badges are the states of the whole screen that must not be overlooked.
func (c Console) badges() []string {
	var out []string
	if c.fx.Demo {
		out = append(out, "DEMO")
	}
	if c.fx.Session.ReadOnly != "" {
		out = append(out, "READ-ONLY")
	}
	if c.truth.desk.Agent.Posture == model.Stopped {
		out = append(out, "STOPPED")
	}
	if q := queuedWords(c.truth.desk.Agent); q != "" {
		out = append(out, q)
	}
	out = append(out, c.conditionBadges()...)
	if c.trouble != nil && !c.truth.at.IsZero() {
		out = append(out, "OLD "+c.truth.at.Format("15:04:05"))
	}
	return out
}

// counts are the classes' sizes: ▶1 ◆2 ○5 ?1 ■3 ✓12.
func (c Console) counts() string {
	k := c.styles
	var parts []string
	if c.truth.desk.Current != nil {
		parts = append(parts, k.Current.Paint(k.Glyph.Current+"1"))
	}
	for _, s := range c.truth.desk.Sections {
		n := s.Total
		switch s.Class {
		case model.WaitingForOperator:
			n += c.truth.desk.Section(model.ReportOffered).Total
		case model.ReportOffered: // counted where the operator looks for what needs them
			n = 0
		}
		if n > 0 {
			parts = append(parts, k.Class[s.Class].Paint(glyphOf(c.styles, s.Class)+strconv.Itoa(n)))
		}
	}
	gap := " "
	if c.layout.shape == three {
		gap = "  "
	}
	return strings.Join(parts, gap)
}

// maxMessage bounds the lines of a message. One that is longer than a line lies over the
// end of the panes, so that what to do about an error can be read.
const maxMessage = 4

// messageLines are the newest message, an error in full, else what the scheduler would do.
func (c Console) messageLines() []string {
	k := c.styles
	if p := c.layers.prompt(searchPrompt); p != nil {
		line, _ := c.searchLine(p)
		return []string{line}
	}
	switch {
	case c.note.text != "" && c.note.isError:
		return c.loud(c.note.text, k.Blocked)
	case c.trouble != nil:
		return c.loud(c.troubleLine(), k.NeedsYou)
	case c.note.text != "" && text.Width(c.note.text) >= c.layout.w:
		return c.loud(c.note.text, k.Text)
	case c.note.text == "" && len(c.truth.conditions) > 0:
		return c.loud(c.conditionWords(), k.NeedsYou)
	}
	return []string{c.messageLine()}
}

// loud wraps what must be read.
func (c Console) loud(s string, ink widget.Ink) []string {
	lines := text.Wrap(c.styles.Safe(s), max(c.layout.w-4, 1))
	lines = lines[:min(len(lines), maxMessage)]
	mark := c.styles.Glyph.Warning
	for i, l := range lines {
		lines[i] = text.Pad(" "+ink.Paint(mark+" "+l), c.layout.w)
		mark = " "
	}
	return lines
}

// messageLine is a short message; at its right, how the scheduler and the ledger are.
func (c Console) messageLine() string {
	k := c.styles
	right := k.Muted.Paint(c.machinery()) + " "
	room := c.layout.w - text.Width(right) - 2
	switch {
	case c.note.text != "":
		s := k.Safe(c.note.text)
		if text.Width(s) > room {
			return text.Pad(" "+k.Text.Paint(s), c.layout.w)
		}
		return text.Sides(" "+k.Text.Paint(s), right, c.layout.w)
	case c.place.view == viewFleet && c.fleetWords() != "":
		return text.Sides(" "+k.Text.Paint(text.Cut(c.fleetWords(), room)), right, c.layout.w)
	case c.plan.mode != "":
		return text.Sides(" "+k.NeedsYou.Paint(c.show(model.Text(c.plan.mode))), right, c.layout.w)
	case c.layout.shape != three:
		return text.Pad(" "+k.Muted.Paint(c.machinery()), c.layout.w)
	}
	return text.Sides("", right, c.layout.w)
}

// machinery says what the scheduler would do and whether something is being saved.
func (c Console) machinery() string {
	if c.truth.at.IsZero() {
		return ""
	}
	s := "scheduler: " + strings.ReplaceAll(c.truth.desk.Decision.Reason, "_", " ")
	if c.place.view != viewDesk {
		s = ""
	}
	if n := c.outbox.unsaved(); n > 0 {
		return strings.TrimPrefix(s+" · saving "+strconv.Itoa(n), " · ")
	}
	return strings.TrimPrefix(s+" · ledger ", " · ") + strconv.FormatUint(c.truth.revision, 10)
}

// hints are the likeliest keys, as many as fit, and help in any case; what cannot be done
// now is left out.
func (c Console) hints() []string {
	if c.fx.Ledger == nil {
		return slices.Repeat([]string{text.Pad("", c.layout.w)}, c.layout.hints)
	}
	help := c.keys.ByID(action.Help)
	out := make([]string, 0, c.layout.hints)
	line, used := " ", 1
	add := func(a action.Action) {
		line += c.styles.Key.Paint(a.Key()) + " " + c.styles.Muted.Paint(a.Hint) + "  "
		used += hintCells(a)
	}
	for _, a := range c.hinted() {
		reserve := 0
		if len(out)+1 == c.layout.hints {
			reserve = hintCells(help)
		}
		if used+hintCells(a)+reserve > c.layout.w+1 {
			if reserve > 0 {
				break
			}
			out, line, used = append(out, text.Pad(strings.TrimRight(line, " "), c.layout.w)), " ", 1
		}
		add(a)
	}
	if used+hintCells(help) > c.layout.w+1 && len(out)+1 < c.layout.hints {
		out, line = append(out, text.Pad(strings.TrimRight(line, " "), c.layout.w)), " "
	}
	add(help)
	for len(out) < c.layout.hints {
		out, line = append(out, text.Pad(strings.TrimRight(line, " "), c.layout.w)), ""
	}
	return out
}

// hintCells is the room that an action takes on the hint line, with the gap behind it.
func hintCells(a action.Action) int { return text.Width(a.Key()) + 1 + text.Width(a.Hint) + 2 }

// hinted are the actions for the hint line, help aside.
func (c Console) hinted() []action.Action {
	state := c.state()
	var out []action.Action
	for _, a := range c.keys {
		if a.In != action.Desk || a.Hint == "" || a.ID == action.Help {
			continue
		}
		if c.keys.Refusal(a, state) == "" {
			out = append(out, a)
		}
	}
	return out
}
