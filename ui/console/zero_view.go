package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// Draw is part of dialog.
func (z *zeroRun) Draw(x facts) drawnDialog {
	out := drawnDialog{W: x.W, H: x.H - 1, Sheet: true, Box: screen.Box{Focused: true}}
	if n := len(z.steps); n > 0 {
		out.Right = x.Muted.Paint(fmt.Sprintf("%d decided", n))
	}
	all := z.choices(x)
	if out.Hint = x.Keyed(z.hint(x, all)); z.over {
		out.Title, out.Lines = x.Strong.Paint("What needs you"), z.end(x)
		return out
	}
	n := z.entries[z.list.Cursor]
	if x.State.Need != nil && z.read {
		n = *x.State.Need
	}
	out.Title = x.Strong.Paint(fmt.Sprintf("%d of %d", z.list.At()+1, len(z.list.Order))) + "  " + x.NeedsYou.Paint(action.NeedWord(n))
	page, foot := z.shown.window(x, z.page(x, all).lines, z.height(x))
	out.Lines, out.Foot = append(z.head(x, n), page...), foot
	return out
}

// head names the item and, if there is room, its agent, and the time since which it needs the operator.
func (z *zeroRun) head(x facts, n model.Inboxed) []string {
	who := fmt.Sprintf(" %s · %s · %s ago", n.Handle, x.AgentName(n.AgentID), x.Age(n.Since))
	if n.OfAgent() {
		who = fmt.Sprintf(" %s itself · %s ago", x.AgentName(n.AgentID), x.Age(n.Since))
	}
	title := x.RowMark(n.Row).String() + " " + x.Strong.Paint(text.Cut(x.Show(n.Objective), x.W-6))
	return []string{" " + title, x.Muted.Paint(who), ""}[:zeroHead(x)]
}

// zeroHead is the number of lines of the head.
func zeroHead(x facts) int {
	if x.H < leastSheet {
		return 1
	}
	return 3
}

// height is the number of lines of the page, without the border and the head.
func (z *zeroRun) height(x facts) int { return max(x.H-1-2-zeroHead(x), 1) }

// zeroPage is what scrolls: the question, below it the choices, then their background. at are the first line of each choice and that after
// its last one.
type zeroPage struct {
	lines []string
	at    [][2]int
}

func (z *zeroRun) page(x facts, all []menuLine) (p zeroPage) {
	w := x.W - 2
	switch {
	case z.over:
		return p
	case !z.read:
		return zeroPage{lines: []string{x.Note("Reading…")}}
	case x.State.Need == nil:
		return zeroPage{lines: x.Warn(x.Keyed("It does not need you any more. {next-needs-you} goes on."))}
	case z.changed(x):
		return zeroPage{lines: x.Warn(x.Keyed("It is about something else now. {do} shows it."))}
	case x.Detail == nil:
		return p
	}
	v := screen.Detail{Frame: x.Frame, Detail: x.Detail, Row: x.State.Item, Agent: x.State.Desk.Agent}
	asks, rest := v.NeedPage(w)
	p.lines = append(asks, "")
	for _, l := range all {
		first := len(p.lines)
		p.lines = append(p.lines, l.drawn(x, w)...)
		p.at = append(p.at, [2]int{first, len(p.lines)})
	}
	p.lines = append(p.lines, rest...)
	if z.plan.item == x.Detail.ID {
		p.lines = append(p.lines, x.PlanPart(z.plan.PlanPart, w)...)
	}
	return p
}

// drawn is a choice after its key and the key of the Desk that does the same.
func (l menuLine) drawn(x facts, w int) (out []string) {
	key, does, ink := l.Key+" "+x.KeyOf(l.as), l.Does, x.Text
	if l.Off != "" {
		does, ink = "off: "+l.Off, x.Faint
	}
	for n, part := range text.Wrap(l.Title, max(w-6, 8)) {
		if part = ink.Paint(part); n == 0 {
			part += "  " + x.Muted.Paint(x.Safe(does))
		}
		out = append(out, text.Cut(" "+x.Key.Paint(text.Pad(key, 4))+part, w))
		key = ""
	}
	return out
}

// end says that no decision is left.
func (z *zeroRun) end(x facts) []string {
	out := []string{"", " " + x.Strong.Paint("All quiet.") + " " + x.Text.Paint(z.quiet)}
	if n := len(z.list.Order); n > 0 {
		out = []string{"", " " + x.Strong.Paint("All is decided.") + " " + x.Text.Paint(z.quiet), "",
			x.Note(fmt.Sprintf("In the inbox until an agent goes on: %d.", n))}
	}
	return out
}

// hint names the keys, first those of the choices.
func (z *zeroRun) hint(x facts, all []menuLine) string {
	rest := "{next-needs-you} next · {previous-needs-you} back · {undo} undo · {open} open · {back} leave"
	switch {
	case z.waiting:
		return "saving… · {back} lets it go on behind"
	case z.over:
		return "{undo} undo · {back} leave · {next-needs-you} goes through what is there"
	case z.changed(x):
		return "{do} shows it · " + rest
	}
	var keys []string
	for _, l := range all {
		if l.as == action.Answer {
			rest = "{do} answer · " + rest
		}
		keys = append(keys, l.Key)
	}
	if len(keys) > 0 {
		rest = strings.Join(keys, " ") + " choose · " + rest
	}
	return rest
}
