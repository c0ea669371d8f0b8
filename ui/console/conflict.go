package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/markdown"
	"vise/ui/text"
)

// conflict is what to do when a plan changed on disk while the operator edited it. Neither
// text is lost, whatever is chosen.
type conflict struct {
	edit   paperEdit
	theirs PlanText
	// mine and other are what each side made of the base; nil until they are asked for.
	mine, other *markdown.Changes
	top         int
}

func newConflict(x paperEdit, theirs PlanText) dialog { return &conflict{edit: x, theirs: theirs} }

func (d *conflict) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	switch a, _ := action.Of(action.Conflict, k); a.ID {
	case action.ConflictMine:
		return d, wish{settle: &settlement{edit: d.edit, theirText: d.theirs}}
	case action.ConflictTheirs:
		return nil, wish{settle: &settlement{edit: d.edit, theirs: true}}
	case action.ConflictBeside:
		return d, wish{settle: &settlement{edit: d.edit, beside: true}}
	case action.ConflictDiff:
		d.compare()
	case action.ConflictDown:
		d.top = min(d.top+1, max(len(d.diff(s))-1, 0))
	case action.ConflictUp:
		d.top = max(d.top-1, 0)
	case action.ConflictClose:
		return nil, wish{settle: &settlement{edit: d.edit, theirs: true}}
	}
	return d, wish{}
}

// settlement is how a conflict ends.
type settlement struct {
	edit paperEdit
	// theirText is what the operator's text is written over.
	theirText      PlanText
	theirs, beside bool
}

// settle carries a choice out. The text that is not chosen stays where it can be found.
func (c Console) settle(s settlement) (Console, tea.Cmd) {
	switch {
	case s.beside:
		return c, c.fx.beside(s.edit)
	case s.theirs:
		return c.say("plan.md stays as it is on disk. Yours is kept at " + model.Text(s.edit.path).String())
	}
	return c, c.fx.saveOver(s.edit, s.theirText)
}

// saveOver writes the operator's text over one that somebody else wrote, which is put aside
// before that.
func (e *effects) saveOver(x paperEdit, theirs PlanText) tea.Cmd {
	return func() tea.Msg {
		aside, err := e.Papers.Copy(e.ctx, string(x.item)+"-theirs", theirs.Text.Raw()) // raw: to a file, not shown
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

func (d *conflict) paste(string) dialog { return d }

// diff is what yours and theirs changed since the editor was opened.
func (d *conflict) diff(s surroundings) (out []string) {
	for _, side := range []struct {
		name string
		*markdown.Changes
	}{{"Yours", d.mine}, {"Theirs", d.other}} {
		if side.Changes == nil {
			continue
		}
		out = append(out, "", " "+s.styles.Strong.Paint(fmt.Sprintf("%s  +%d −%d", side.name, side.Added, side.Removed)))
		for _, e := range side.Edits {
			ink, sign := s.styles.Removed, "− "
			if e.New > 0 {
				ink, sign = s.styles.Added, "+ "
			}
			out = append(out, " "+ink.Paint(sign+text.Cut(s.styles.Safe(e.Text), max(d80(s.layout.w)-4, 1))))
		}
	}
	return out
}

func (d *conflict) draw(w, h int, s surroundings) drawn {
	k := s.styles
	out := drawn{w: dialogWidth(w)}
	out.Title, out.Focused = k.Strong.Paint("plan.md changed while you edited it"), true
	out.Lines = append(s.warnLine("Somebody else wrote plan.md since you opened it. Nothing was overwritten."), "")
	for _, id := range []action.ID{action.ConflictMine, action.ConflictTheirs, action.ConflictDiff, action.ConflictBeside} {
		a := action.ByID(id)
		out.Lines = append(out.Lines, " "+k.Key.Paint(text.Pad(a.Key(), 3))+k.Text.Paint(text.Pad(a.Title, 22))+k.Muted.Paint(a.Does))
	}
	diff := d.diff(s)
	out.Lines = append(out.Lines, diff[min(d.top, len(diff)):]...)
	out.Foot = k.Muted.Paint(action.Keyed("{conflict-close} keeps both, yours aside"))
	out.h = min(len(out.Lines)+2, h)
	return out
}
