package console

import (
	"strconv"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// header is the first line: where this is, whose desk, how much of what, who is needed.
func (c Console) header() string {
	k, l := c.skin, c.layout
	left := " " + k.strong.paint("vise")
	if l.shape == three {
		left += "  " + k.accent.paint(k.open+"Desk"+k.shut)
	}
	left += "  " + k.strong.paint(c.show(model.Text(c.place.agent))+" ▾")
	for _, b := range c.badges() {
		left += " " + k.badge.paint(" "+b+" ")
	}
	right := ""
	if n := c.truth.desk.NeedsYou; n > 0 {
		right = k.needsYou.paint(strconv.Itoa(n) + " NEED YOU")
		if n == 1 {
			right = k.needsYou.paint("1 NEEDS YOU")
		}
	}
	right += "  " + k.muted.paint(c.now.Format("15:04")) + " "
	if l.shape != one {
		if s := "   " + c.counts(); text.Width(left)+text.Width(s)+text.Width(right) < l.w {
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
	if c.trouble != nil && !c.truth.at.IsZero() {
		out = append(out, "OLD "+c.truth.at.Format("15:04:05"))
	}
	return out
}

// counts are the classes' sizes: ▶1 ◆2 ○5 ?1 ■3 ✓12.
func (c Console) counts() string {
	k := c.skin
	var parts []string
	if c.truth.desk.Current != nil {
		parts = append(parts, k.current.paint(k.glyph.Current+"1"))
	}
	for _, s := range c.truth.desk.Sections {
		if s.Total > 0 {
			parts = append(parts, k.inkOf(s.Class).paint(c.glyphOf(s.Class)+strconv.Itoa(s.Total)))
		}
	}
	gap := " "
	if c.layout.shape == three {
		gap = "  "
	}
	return strings.Join(parts, gap)
}

// messageLine is the newest message, else what the scheduler would do; at its right, how
// the scheduler and the ledger are.
func (c Console) messageLine() string {
	k := c.skin
	right := k.muted.paint(c.machinery()) + " "
	room := c.layout.w - text.Width(right) - 2
	switch {
	case c.note.text != "" && c.note.isError:
		return text.Pad(" "+k.blocked.paint(k.glyph.Warning+" "+text.Safe(c.note.text, false)), c.layout.w)
	case c.trouble != nil:
		return text.Pad(" "+k.needsYou.paint(k.glyph.Warning+" "+text.Safe(c.troubleWords(), false)), c.layout.w)
	case c.note.text != "":
		s := text.Safe(c.note.text, false)
		if text.Width(s) > room {
			return text.Pad(" "+k.text.paint(s), c.layout.w)
		}
		return text.Sides(" "+k.text.paint(s), right, c.layout.w)
	case c.plan.mode != "":
		return text.Sides(" "+k.needsYou.paint(c.show(model.Text(c.plan.mode))), right, c.layout.w)
	case c.layout.shape != three:
		return text.Pad(" "+k.muted.paint(c.machinery()), c.layout.w)
	}
	return text.Sides("", right, c.layout.w)
}

// machinery says what the scheduler would do and whether something is being saved.
func (c Console) machinery() string {
	if c.truth.at.IsZero() {
		return ""
	}
	d := c.truth.desk.Decision
	s := "scheduler: " + strings.ReplaceAll(d.Reason, "_", " ")
	if n := len(c.outbox.jobs); n > 0 {
		return s + " · saving " + strconv.Itoa(n)
	}
	return s + " · ledger " + strconv.FormatUint(c.truth.revision, 10)
}

// hints are the likeliest keys, as many as fit; what cannot be done now is left out.
func (c Console) hints() []string {
	out := make([]string, 0, c.layout.hints)
	line, used := " ", 1
	for _, a := range c.hinted() {
		s := a.Key() + " " + a.Hint
		n := text.Width(s) + 2
		if used+n > c.layout.w {
			if len(out)+1 >= c.layout.hints {
				break
			}
			out, line, used = append(out, text.Pad(line, c.layout.w)), " ", 1
		}
		line += c.skin.key.paint(a.Key()) + " " + c.skin.muted.paint(a.Hint) + "  "
		used += n
	}
	for len(out) < c.layout.hints {
		out, line = append(out, text.Pad(line, c.layout.w)), ""
	}
	return out
}

// hinted are the actions for the hint line: help always among those that fit.
func (c Console) hinted() []action.Action {
	state := c.state()
	var out []action.Action
	for _, a := range action.Table {
		if a.In != action.Desk || a.Hint == "" {
			continue
		}
		if ok, _ := a.Enabled(state); ok {
			out = append(out, a)
		}
	}
	return out
}
