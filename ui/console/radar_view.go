package console

import (
	"fmt"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// boardW is the widest that the board gets.
const boardW = 110

func (d *board) draw(w, h int, s surroundings) drawn {
	k := s.styles
	out := drawn{w: min(boardW, w)}
	out.Title, out.Focused = k.Strong.Paint("Where work was left"), true
	out.Foot = k.Muted.Paint(action.Keyed("{radar-down} {radar-up} choose · {radar-close} close"))
	inner := out.w - 2
	if !s.radar.known {
		out.Lines, out.h = []string{s.mutedLine("Reading the threads…")}, 3
		return out
	}
	chosen, any := d.chosen(s.radar)
	list, at := s.radarList(inner, chosen.key(), any)
	bottom := d.bottom(chosen, any, inner, s)
	room := max(h-2-len(bottom), 3)
	top := min(max(at-room+3, 0), max(len(list)-room, 0))
	out.Lines = append(list[top:min(top+room, len(list))], bottom...)
	out.h = min(len(out.Lines)+2, h)
	if n := parkedOn(s.radar.seen); n > 0 {
		out.Right = k.Muted.Paint(fmt.Sprintf("%d parked", n))
	}
	return out
}

// radarList is every thread that somebody may take up, by repository; a parked one says on a
// second line what would wake it. At is the line of the cursor.
func (c Console) radarList(w int, cursor berthAt, selects bool) (out []string, at int) {
	k := c.styles
	for i, r := range c.radar.seen {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, k.Strip(w, false, k.Accent.Of(" "+c.show(r.Repo)), k.Muted.Of("  "+c.whereabouts(r.Git))))
		if r.Problem != "" {
			out = append(out, c.warned(r.Problem.String(), w)...)
		}
		if len(r.Rows) == 0 && r.Problem == "" {
			out = append(out, " "+k.Muted.Paint("No threads to take up."))
		}
		for _, b := range r.Rows {
			selected := selects && cursor == berthAt{r.Repo, b.Thread.ID}
			if selected {
				at = len(out)
			}
			out = append(out, c.berthLines(b, selected, w)...)
		}
	}
	return out, at
}

func (c Console) whereabouts(g thread.Git) string {
	switch {
	case g.State != thread.GitOK:
		return c.show(model.Text(g.State))
	case g.Detached:
		return "detached at " + g.Head[:min(len(g.Head), 12)]
	case g.Dirty:
		return "on " + c.show(g.Branch) + ", uncommitted changes"
	}
	return "on " + c.show(g.Branch)
}

// bottom is what the chosen thread says of itself, and the ways on.
func (d *board) bottom(b berth, any bool, w int, s surroundings) []string {
	k := s.styles
	rule := " " + k.Faint.Paint(text.Cut(ruleOf(k, w), max(w-2, 0)))
	out := []string{rule}
	if any {
		out = append(out, k.Strip(w, false, k.Muted.Of(" "+text.Pad("thread", berthCells+2)), k.Text.Of(string(b.Thread.ID))))
		if b.Thread.NextAction != "" {
			out = append(out, k.Strip(w, false, k.Muted.Of(" "+text.Pad("next", berthCells+2)), k.Strong.Of(s.show(b.Thread.NextAction))))
		}
		label := "git"
		for i, l := range text.Wrap(s.show(b.Check.Line()), max(w-berthCells-4, 8)) {
			if i == 3 {
				break
			}
			out = append(out, k.Strip(w, false, k.Muted.Of(" "+text.Pad(label, berthCells+2)), k.Text.Of(l)))
			label = ""
		}
		out = append(out, "")
	}
	for _, y := range b.On() {
		a := action.ByID(y.ID)
		ink, shows, note := k.Key, s.show(y.Shows), k.Muted
		if y.Off != "" {
			ink, note, shows = k.Faint, k.Faint, "off: "+y.Off
		}
		out = append(out, k.Strip(w, false, ink.Of(" "+text.Pad(a.Key(), 3)), ink.Of(text.Pad(a.Title, berthCells-1)), note.Of(shows)))
	}
	return out
}

func ruleOf(k *widget.Styles, w int) string {
	out := ""
	for range max(w-2, 0) {
		out += k.Glyph.Rule
	}
	return out
}
