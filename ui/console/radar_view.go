package console

import (
	"fmt"

	"vise/model"
	"vise/model/thread"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// boardW is the widest that the board gets.
const boardW = 110

// Draw is part of widget.Dialog.
func (d *board) Draw(x widget.Context) widget.Drawn {
	x.W = min(boardW, x.W)
	out := x.Dialog("Where work was left", "{radar-down} {radar-up} choose · {radar-close} close", nil)
	out.W = x.W
	inner := out.W - 2
	if !d.radar.known {
		out.Lines, out.H = []string{x.Note("Reading the threads…")}, 3
		return out
	}
	chosen, any := d.chosen()
	list, at := radarList(x.Frame, d.radar.seen, inner, chosen.key(), any)
	bottom := d.bottom(chosen, any, inner, x)
	room := max(x.H-2-len(bottom), 3)
	top := min(max(at-room+3, 0), max(len(list)-room, 0))
	out.Lines = append(list[top:min(top+room, len(list))], bottom...)
	out.H = min(len(out.Lines)+2, x.H)
	if n := screen.Parked(d.radar.seen); n > 0 {
		out.Right = x.Muted.Paint(fmt.Sprintf("%d parked", n))
	}
	return out
}

// radarList is every thread that somebody may take up, by repository; a parked one says on a
// second line what would wake it. At is the line of the cursor.
func radarList(f widget.Frame, seen []thread.Overview, w int, cursor berthAt, selects bool) (out []string, at int) {
	k := f.Styles
	for i, r := range seen {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, k.Strip(w, false, k.Accent.Of(" "+f.Show(r.Repo)), k.Muted.Of("  "+whereabouts(f, r.Git))))
		if r.Problem != "" {
			out = append(out, f.Warned(r.Problem.String(), w)...)
		}
		if len(r.Rows) == 0 && r.Problem == "" {
			out = append(out, " "+k.Muted.Paint("No threads to take up."))
		}
		for _, b := range r.Rows {
			selected := selects && cursor == berthAt{r.Repo, b.Thread.ID}
			if selected {
				at = len(out)
			}
			out = append(out, screen.Frame{Frame: f}.Thread(b, selected, w)...)
		}
	}
	return out, at
}

func whereabouts(f widget.Frame, g thread.Git) string {
	switch {
	case g.State != thread.GitOK:
		return f.Show(model.Text(g.State))
	case g.Detached:
		return "detached at " + g.Head[:min(len(g.Head), 12)]
	case g.Dirty:
		return "on " + f.Show(g.Branch) + ", uncommitted changes"
	}
	return "on " + f.Show(g.Branch)
}

// bottom is what the chosen thread says of itself, and the ways on.
func (d *board) bottom(b berth, any bool, w int, x widget.Context) []string {
	k := x.Styles
	rule := " " + k.Faint.Paint(text.Cut(ruleOf(k, w), max(w-2, 0)))
	out := []string{rule}
	if any {
		out = append(out, k.Strip(w, false, k.Muted.Of(" "+text.Pad("thread", screen.ThreadCells+2)), k.Text.Of(string(b.Thread.ID))))
		if b.Thread.NextAction != "" {
			out = append(out, k.Strip(w, false, k.Muted.Of(" "+text.Pad("next", screen.ThreadCells+2)), k.Strong.Of(x.Show(b.Thread.NextAction))))
		}
		label := "git"
		for i, l := range text.Wrap(x.Show(b.Check.Line()), max(w-screen.ThreadCells-4, 8)) {
			if i == 3 {
				break
			}
			out = append(out, k.Strip(w, false, k.Muted.Of(" "+text.Pad(label, screen.ThreadCells+2)), k.Text.Of(l)))
			label = ""
		}
		out = append(out, "")
	}
	for _, y := range b.Actions() {
		a := x.Keys.ByID(y.ID)
		ink, shows, note := k.Key, x.Show(y.Shows), k.Muted
		if y.Off != "" {
			ink, note, shows = k.Faint, k.Faint, "off: "+x.Keys.Keyed(y.Off)
		}
		out = append(out, k.Strip(w, false, ink.Of(" "+text.Pad(a.Key(), 3)), ink.Of(text.Pad(a.Title, screen.ThreadCells-1)), note.Of(shows)))
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
