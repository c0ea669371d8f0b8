package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/markdown"
	"vise/ui/text"
)

// editBuffers are the files that the operator's editor works on. The editor never has plan.md
// itself open: what somebody else writes meanwhile would be overwritten without a word.
type editBuffers interface {
	// Copy puts text into a file of its own and gives its path.
	Copy(ctx context.Context, name, text string) (path string, err error)
	// Read reads a copy back, Drop forgets it.
	Read(ctx context.Context, path string) (string, error)
	Drop(ctx context.Context, path string)
	// SavePlan writes a plan if its file still has the hash base; a refusal with the code
	// stale says that it has not.
	SavePlan(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error
	// SaveCopy writes text next to a plan, and gives its path.
	SaveCopy(ctx context.Context, agent model.AgentID, id model.ItemID, text string) (path string, err error)
}

// planEdit is a text in the operator's editor.
type planEdit struct {
	agent model.AgentID
	item  model.ItemID
	// base is the text that the editor began with, hash its hash; path the copy.
	base, hash, path string
	// mine is what the operator made of it.
	mine string
	// plan: it is the plan of the item. Otherwise a text of the dialog's field.
	plan bool
}

// kept is err with the place where the operator's text lies.
func (x planEdit) kept(err error) error {
	return fmt.Errorf("%w; what you wrote is kept at %s", err, model.Text(x.path))
}

type (
	// writtenMsg: the editor has ended, and the copy was read.
	writtenMsg struct {
		edit planEdit
		err  error
	}
	// savedMsg says what became of a plan that was to be saved; said is for the screen.
	savedMsg struct {
		edit   planEdit
		said   string
		theirs PlanText
		err    error
	}
)

// editPlan gives the terminal to the operator's editor, on a copy of the plan.
func editPlan(c *console) tea.Cmd {
	a := c.plan.Artifact
	if a.Path == "" {
		return c.say("The plan's path is not known.")
	}
	if a.Condition != model.PlanOK && a.Condition != model.PlanMissing {
		return c.fx.edit(a.Path)
	}
	return c.fx.copyPlan(c.place.agent, c.plan.Item)
}

// copyPlan reads the plan as it is now, which is what the editor begins with.
func (e *effects) copyPlan(agent model.AgentID, id model.ItemID) tea.Cmd {
	return func() tea.Msg {
		p := e.Plans.Plan(e.ctx, agent, id)
		x := planEdit{agent: agent, item: id, base: p.Text.Raw(), plan: true} // raw: to a file, not shown
		if p.Artifact.Condition == model.PlanOK {
			x.hash = p.Artifact.Hash
		}
		return e.copied(x)
	}
}

// copyText hands a field's text to the editor.
func (e *effects) copyText(text string) tea.Cmd {
	if e.EditBuffers == nil {
		return func() tea.Msg { return sayMsg("There is no place for the editor's file here.") }
	}
	return func() tea.Msg { return e.copied(planEdit{base: text}) }
}

func (e *effects) copied(x planEdit) tea.Msg {
	path, err := e.EditBuffers.Copy(e.ctx, cmp.Or(string(x.item), "text"), x.base)
	if err != nil {
		return complainMsg{err}
	}
	x.path = path
	cmd, err := e.editor(path)
	if err != nil {
		return complainMsg{err}
	}
	return act(func(*console) tea.Cmd {
		return onTerminal(cmd, func(err error) tea.Msg {
			mine, readErr := e.EditBuffers.Read(e.ctx, x.path)
			if x.mine = mine; err == nil {
				err = readErr
			}
			return writtenMsg{x, err}
		})
	})
}

// handle takes what the editor left. The terminal may be another than before.
func (m writtenMsg) handle(c *console) tea.Cmd {
	again := tea.Batch(tea.RequestWindowSize, tea.RequestBackgroundColor)
	x := m.edit
	switch {
	case m.err != nil:
		c.complain(x.kept(m.err))
		return again
	case x.mine == x.base:
		c.fx.EditBuffers.Drop(c.fx.ctx, x.path)
		return tea.Batch(again, c.say("Nothing was changed."))
	case x.plan:
		return tea.Batch(again, c.fx.savePlan(x, x.hash, "Plan saved"))
	}
	d, ok := c.layers.editor()
	if !ok {
		c.fail("The dialog is closed by now. What you wrote is kept at " + model.Text(x.path).String())
		return again
	}
	d.Fill(x.mine)
	c.fx.EditBuffers.Drop(c.fx.ctx, x.path)
	return again
}

// savePlan writes the operator's text over the plan with the hash base.
func (e *effects) savePlan(x planEdit, base, said string) tea.Cmd {
	return func() tea.Msg {
		err := e.EditBuffers.SavePlan(e.ctx, x.agent, x.item, base, x.mine)
		if err == nil {
			e.EditBuffers.Drop(e.ctx, x.path)
		}
		return savedMsg{x, said, e.Plans.Plan(e.ctx, x.agent, x.item), err}
	}
}

// handle tells that a plan is saved, or shows both texts.
func (m savedMsg) handle(c *console) tea.Cmd {
	x, refusal := m.edit, (*model.Error)(nil)
	switch {
	case errors.As(m.err, &refusal) && refusal.Code == model.CodeStale:
		c.open(&conflict{fx: c.fx, edit: x, theirs: m.theirs})
		return c.fx.readPlan(x.agent, x.item)
	case m.err != nil:
		return c.complain(x.kept(m.err))
	}
	c.layers = nil
	return tea.Batch(c.fx.readPlan(x.agent, x.item), c.say(sentence(m.said)))
}

// saveCopy puts the operator's text next to a plan that somebody else changed.
func (e *effects) saveCopy(x planEdit) tea.Cmd {
	return attempt(func() (tea.Msg, error) {
		path, err := e.EditBuffers.SaveCopy(e.ctx, x.agent, x.item, x.mine)
		if err != nil {
			return nil, x.kept(err)
		}
		e.EditBuffers.Drop(e.ctx, x.path)
		return act(func(c *console) tea.Cmd {
			c.layers = nil
			return c.say("Yours is beside it: " + model.Text(path).String())
		}), nil
	})
}

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

// Press is part of widget.Dialog.
func (d *conflict) Press(k widget.Key, x widget.Context) (widget.Dialog, widget.Result) {
	switch k.ID {
	case action.ConflictMine:
		return d, widget.Effect{Do: d.fx.saveOver(d.edit, d.theirs)}
	case action.ConflictTheirs, action.ConflictClose:
		return nil, widget.Intent{Msg: sayMsg("plan.md stays as it is on disk. Yours is kept at " + model.Text(d.edit.path).String())}
	case action.ConflictCopy:
		return d, widget.Effect{Do: d.fx.saveCopy(d.edit)}
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
	for _, id := range []action.ID{action.ConflictMine, action.ConflictTheirs, action.ConflictDiff, action.ConflictCopy} {
		a := x.Keys.ByID(id)
		lines = append(lines, " "+x.Key.Paint(text.Pad(a.Key(), 3))+x.Text.Paint(text.Pad(a.Title, 22))+x.Muted.Paint(a.Does))
	}
	diff := d.diff(x)
	lines = append(lines, diff[min(d.top, len(diff)):]...)
	return x.Dialog("plan.md changed while you edited it", "{conflict-close} keeps both, yours aside", lines)
}

// changes shows what came and went in the plan since the operator saw it.
func changes(c *console) tea.Cmd {
	ch := c.plan.Shown.Changes
	if c.plan.Item != c.place.cursor || ch.Added+ch.Removed == 0 {
		return c.say("The plan is as you last saw it.")
	}
	return c.open(&widget.Pager{
		Title: fmt.Sprintf("Changes of plan.md since you looked  +%d −%d", ch.Added, ch.Removed),
		Foot:  "{read-seen} seen · {read-close} close",
		Keys:  map[action.ID]widget.Result{action.ReadSeen: widget.Run(action.PlanSeen)},
		Lines: func(x widget.Context, w int) []string {
			var out []string
			last := 0
			for _, e := range ch.Edits {
				at := max(e.Old, e.New)
				if last == 0 || at > last+1 {
					out = append(out, x.Note(fmt.Sprintf("line %d", at)))
				}
				last = at
				ink, sign := x.Removed, "− "
				if e.New > 0 {
					ink, sign = x.Added, "+ "
				}
				for _, l := range text.Wrap(x.Safe(e.Text), max(w-4, 8)) {
					out = append(out, " "+ink.Paint(sign+l))
					sign = "  "
				}
			}
			return out
		},
	})
}

// planSeen takes the marks of changed lines away.
func planSeen(c *console) tea.Cmd {
	c.plan = c.plan.allSeen()
	return c.drawPlan()
}
