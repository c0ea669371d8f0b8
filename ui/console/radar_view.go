package console

import (
	"fmt"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
	"vise/ui/text"
)

// boardW is the widest that the board gets.
const boardW = 110

func (d *board) draw(w, h int, s surroundings) drawn {
	k := s.skin
	out := drawn{w: min(boardW, w)}
	out.title, out.focused = k.strong.paint("Where work was left"), true
	out.foot = k.muted.paint(action.Keyed("{radar-down} {radar-up} choose · {radar-close} close"))
	inner := out.w - 2
	if !s.radar.known {
		out.lines, out.h = []string{s.mutedLine("Reading the threads…")}, 3
		return out
	}
	chosen, any := d.chosen(s.radar)
	list, at := s.radarList(inner, chosen.key(), any)
	bottom := d.bottom(chosen, any, inner, s)
	room := max(h-2-len(bottom), 3)
	top := min(max(at-room+3, 0), max(len(list)-room, 0))
	out.lines = append(list[top:min(top+room, len(list))], bottom...)
	out.h = min(len(out.lines)+2, h)
	if n := parkedOn(s.radar.seen); n > 0 {
		out.right = k.muted.paint(fmt.Sprintf("%d parked", n))
	}
	return out
}

func parkedOn(seen []thread.Radar) (n int) {
	for _, r := range seen {
		n += r.Parked()
	}
	return n
}

// radarList is every thread that somebody may take up, by repository; a parked one says on a
// second line what would wake it. At is the line of the cursor.
func (c Console) radarList(w int, cursor berthAt, selects bool) (out []string, at int) {
	k := c.skin
	for i, r := range c.radar.seen {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, k.strip(w, false, piece{" " + c.show(r.Repo), k.accent}, piece{"  " + c.whereabouts(r.Git), k.muted}))
		if r.Problem != "" {
			out = append(out, c.warned(r.Problem.String(), w)...)
		}
		if len(r.Berths) == 0 && r.Problem == "" {
			out = append(out, " "+k.muted.paint("No threads to take up."))
		}
		for _, b := range r.Berths {
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

const berthCells = 12

func (c Console) berthLines(b thread.Berth, selected bool, w int) []string {
	k := c.skin
	mark, ink := "  ", k.text
	if selected {
		mark = k.glyph.Cursor + " "
	}
	switch {
	case b.Active:
		ink = k.current
	case b.Parked():
		ink = k.needsYou
	}
	owners := ""
	for _, o := range b.Items {
		owners += "  " + string(o.Handle)
	}
	goal := b.Thread.Goal
	if goal == "" {
		goal = model.Text(b.Thread.ID)
	}
	room := max(w-3-berthCells-text.Width(owners)-1, 8)
	out := []string{k.strip(w, selected, piece{" " + mark, k.key}, piece{text.Pad(b.State(), berthCells), ink},
		piece{text.Pad(c.show(goal), room), k.text}, piece{owners, k.muted})}
	if b.Parked() {
		out = append(out, k.strip(w, false, piece{"   " + text.Pad("", berthCells), k.muted}, piece{"wakes " + c.show(b.Judgement.Wake()), k.muted}))
	}
	return out
}

// bottom is what the chosen thread says of itself, and the ways on.
func (d *board) bottom(b berth, any bool, w int, s surroundings) []string {
	k := s.skin
	rule := " " + k.faint.paint(text.Cut(ruleOf(k, w), max(w-2, 0)))
	out := []string{rule}
	if any {
		out = append(out, k.strip(w, false, piece{" " + text.Pad("thread", berthCells+2), k.muted}, piece{string(b.Thread.ID), k.text}))
		if b.Thread.NextAction != "" {
			out = append(out, k.strip(w, false, piece{" " + text.Pad("next", berthCells+2), k.muted}, piece{s.show(b.Thread.NextAction), k.strong}))
		}
		label := "git"
		for i, l := range text.Wrap(s.show(b.Judgement.Line()), max(w-berthCells-4, 8)) {
			if i == 3 {
				break
			}
			out = append(out, k.strip(w, false, piece{" " + text.Pad(label, berthCells+2), k.muted}, piece{l, k.text}))
			label = ""
		}
		out = append(out, "")
	}
	for _, y := range b.On() {
		a := action.ByID(y.ID)
		ink, shows, note := k.key, s.show(y.Shows), k.muted
		if y.Off != "" {
			ink, note, shows = k.faint, k.faint, "off: "+y.Off
		}
		out = append(out, k.strip(w, false, piece{" " + text.Pad(a.Key(), 3), ink}, piece{text.Pad(a.Title, berthCells-1), ink}, piece{shows, note}))
	}
	return out
}

func ruleOf(k *skin, w int) string {
	out := ""
	for range max(w-2, 0) {
		out += k.glyph.Rule
	}
	return out
}
