package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/markdown"
	"vise/ui/text"
)

// conflict is what to do when a plan changed on disk while the operator edited it. Neither
// text is lost, whatever is chosen.
type conflict struct {
	fx     *effects
	edit   planEdit
	theirs PlanText
	// mine and other are what each side made of the base; nil until they are asked for.
	mine, other *markdown.Changes
	top         int
}

// In is part of widget.Dialog.
func (d *conflict) In() action.Context { return action.Conflict }

// Paste is part of widget.Dialog.
func (d *conflict) Paste(string) {}

// Press is part of widget.Dialog.
func (d *conflict) Press(k widget.Key, x widget.Context) (widget.Dialog, widget.Result) {
	switch k.ID {
	case action.ConflictMine:
		return d, widget.Effect{Do: d.fx.saveOver(d.edit, d.theirs)}
	case action.ConflictTheirs, action.ConflictClose:
		return nil, widget.Intent{Msg: sayMsg("plan.md stays as it is on disk. Yours is kept at " + model.Text(d.edit.path).String())}
	case action.ConflictBeside:
		return d, widget.Effect{Do: d.fx.beside(d.edit)}
	case action.ConflictDiff:
		d.compare()
	case action.ConflictDown:
		d.top = min(d.top+1, max(len(d.diff(x))-1, 0))
	case action.ConflictUp:
		d.top = max(d.top-1, 0)
	}
	return d, nil
}

// saveOver writes the operator's text over one that somebody else wrote, which is put aside
// before that.
func (e *effects) saveOver(x planEdit, theirs PlanText) tea.Cmd {
	return func() tea.Msg {
		aside, err := e.EditBuffers.Copy(e.ctx, string(x.item)+"-theirs", theirs.Text.Raw()) // raw: to a file, not shown
		if err != nil {
			return savedMsg{edit: x, err: err}
		}
		return e.savePlan(x, theirs.Artifact.Hash, "Yours is saved. Theirs is kept at "+model.Text(aside).String())()
	}
}

// compare finds out what each side changed.
func (d *conflict) compare() {
	if d.mine != nil {
		d.mine, d.other = nil, nil
		return
	}
	base := markdown.Split(model.Text(d.edit.base))
	mine, other := markdown.Split(model.Text(d.edit.mine)).Changed(base), markdown.Split(d.theirs.Text).Changed(base)
	d.mine, d.other = &mine, &other
}

// diff is what yours and theirs changed since the editor was opened.
func (d *conflict) diff(x widget.Context) (out []string) {
	for _, side := range []struct {
		name string
		*markdown.Changes
	}{{"Yours", d.mine}, {"Theirs", d.other}} {
		if side.Changes == nil {
			continue
		}
		out = append(out, "", " "+x.Strong.Paint(fmt.Sprintf("%s  +%d −%d", side.name, side.Added, side.Removed)))
		for _, e := range side.Edits {
			ink, sign := x.Removed, "− "
			if e.New > 0 {
				ink, sign = x.Added, "+ "
			}
			out = append(out, " "+ink.Paint(sign+text.Cut(x.Safe(e.Text), max(x.Inner()-4, 1))))
		}
	}
	return out
}

// Draw is part of widget.Dialog.
func (d *conflict) Draw(x widget.Context) widget.Drawn {
	lines := append(x.Warn("Somebody else wrote plan.md since you opened it. Nothing was overwritten."), "")
	for _, id := range []action.ID{action.ConflictMine, action.ConflictTheirs, action.ConflictDiff, action.ConflictBeside} {
		a := x.Keys.ByID(id)
		lines = append(lines, " "+x.Key.Paint(text.Pad(a.Key(), 3))+x.Text.Paint(text.Pad(a.Title, 22))+x.Muted.Paint(a.Does))
	}
	diff := d.diff(x)
	lines = append(lines, diff[min(d.top, len(diff)):]...)
	return x.Dialog("plan.md changed while you edited it", "{conflict-close} keeps both, yours aside", lines)
}
