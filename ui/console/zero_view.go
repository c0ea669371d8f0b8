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
		out.Title, out.Lines = x.Strong.Paint("The run to zero"), z.end(x)
		return out
	}
	n := z.entries[z.list.Cursor]
	if x.State.Need != nil && z.read {
		n = *x.State.Need
	}
	out.Title = x.Strong.Paint(fmt.Sprintf("%d of %d", z.list.At()+1, len(z.list.Order))) + "  " + x.NeedsYou.Paint(action.NeedWord(n))
	out.Lines = z.head(x, n)
	height := z.height(x, all)
	page := z.shown.Draw(x, z.page(x), height)
	for len(page) < height+1 {
		page = append(page, "")
	}
	out.Lines = append(append(out.Lines, page...), z.drawn(x, all)...)
	return out
}

// head names the item, its agent, and the time since which it needs the operator.
func (z *zeroRun) head(x facts, n model.Inboxed) []string {
	who := fmt.Sprintf(" %s · %s · %s ago", n.Handle, x.AgentName(n.AgentID), x.Age(n.Since))
	if n.OfAgent() {
		who = fmt.Sprintf(" %s itself · %s ago", x.AgentName(n.AgentID), x.Age(n.Since))
	}
	title := x.RowInk(n.Row).Paint(x.RowMark(n.Row)) + " " + x.Strong.Paint(text.Cut(x.Show(n.Objective), x.W-6))
	return []string{" " + title, x.Muted.Paint(who), ""}
}

// height is the number of lines of the page, without the border, the head and the choices.
func (z *zeroRun) height(x facts, all []zeroChoice) int {
	return max(x.H-1-2-3-len(z.drawn(x, all))-1, 2)
}

// page is the background of the entry.
func (z *zeroRun) page(x facts) []string {
	w := x.W - 2
	switch {
	case z.over:
		return nil
	case !z.read:
		return []string{x.Note("Reading…")}
	case x.State.Need == nil:
		return x.Warn(x.Keyed("It does not need you any more. {next-needs-you} goes on."))
	case z.changed(x):
		return x.Warn(x.Keyed("It is about something else now. {do} shows it."))
	case x.Detail == nil:
		return nil
	}
	v := screen.Detail{Frame: x.Frame, Detail: x.Detail, Row: x.State.Item, Agent: x.State.Desk.Agent}
	out := v.NeedPage(w)
	if z.plan.item == x.Detail.ID {
		out = append(out, x.PlanPart(z.plan.PlanPart, w)...)
	}
	return out
}

// drawn are the choices at the bottom, each after its digit and the key of the Desk that does the same.
func (z *zeroRun) drawn(x facts, all []zeroChoice) []string {
	var out []string
	for i, l := range all {
		key, does, ink := fmt.Sprint(i+1)+" "+x.KeyOf(l.as), l.Does, x.Text
		if l.Off != "" {
			does, ink = "off: "+l.Off, x.Faint
		}
		for n, part := range text.Wrap(l.Title, max(x.W-8, 8)) {
			if part = ink.Paint(part); n == 0 {
				part += "  " + x.Muted.Paint(x.Safe(does))
			}
			out = append(out, text.Cut(" "+x.Key.Paint(text.Pad(key, 4))+part, x.W-2))
			key = ""
		}
	}
	return out
}

// end says that no decision is left.
func (z *zeroRun) end(x facts) []string {
	out := []string{"", " " + x.Strong.Paint("All quiet.") + " " + x.Text.Paint(z.quiet)}
	if n := len(z.list.Order); n > 0 {
		out = []string{"", " " + x.Strong.Paint("All is decided.") + " " + x.Text.Paint(z.quiet), "",
			x.Note(fmt.Sprintf("%d %s until %s.", n, screen.Plural(n, "entry stays in the inbox", "entries stay in the inbox"),
				screen.Plural(n, "its agent goes on", "their agents go on")))}
	}
	return out
}

// hint names the keys, first the obvious one.
func (z *zeroRun) hint(x facts, all []zeroChoice) string {
	rest := "{next-needs-you} next · {previous-needs-you} back · {undo} undo · {back} leave · {open} open"
	choose := strings.Replace(fmt.Sprintf("1-%d choose · ", len(all)), "1-1 ", "1 ", 1)
	switch {
	case z.waiting:
		return "saving… · {back} lets it go on behind"
	case z.over:
		return "{undo} undo · {back} leave · {next-needs-you} walks what is there"
	case z.changed(x):
		return "{do} shows it · " + rest
	case len(all) == 0:
		return rest
	}
	if at := zeroObvious(x.State.Need.Need, all); at >= 0 {
		return "{do} " + all[at].word + " · " + choose + rest
	}
	return choose + rest
}
