package screen

import (
	"vise/model"
	"vise/model/thread"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// Parked is how many threads are parked.
func Parked(seen []thread.Overview) (n int) {
	for _, r := range seen {
		n += r.Parked()
	}
	return n
}

const ThreadCells = 12

// Thread is a thread on a line; a parked one says on a second line what would wake it.
func (f Frame) Thread(b thread.Row, selected bool, w int) []string {
	ink := f.Text
	switch {
	case b.Active:
		ink = f.Current
	case b.Parked():
		ink = f.NeedsYou
	}
	owners := ""
	for _, o := range b.Items {
		owners += "  " + string(o.Handle)
	}
	goal := b.Thread.Goal
	if goal == "" {
		goal = model.Text(b.Thread.ID)
	}
	room := max(w-3-ThreadCells-text.Width(owners)-1, 8)
	out := []string{f.Strip(w, selected, f.Key.Of(" "+f.marker(selected)+" "), ink.Of(text.Pad(b.State(), ThreadCells)),
		f.Text.Of(text.Pad(f.Show(goal), room)), f.Muted.Of(owners))}
	if b.Parked() {
		out = append(out, f.Strip(w, false, widget.Ink{}.Of(text.Pad("", ThreadCells+3)), f.Muted.Of("wakes "+f.Show(b.Check.Wake()))))
	}
	return out
}
