package console

import (
	"encoding/json"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/markdown"
)

// settled are the layers without the dialog of this edit's conflict.
func (l layers) settled(x planEdit) layers {
	return slices.DeleteFunc(slices.Clone(l), func(d dialog) bool {
		at, ok := d.(*conflict)
		return ok && at.edit.path == x.path
	})
}

// saveCopy writes the operator's text next to a plan that somebody else changed.
func (e *effects) saveCopy(x planEdit) tea.Cmd {
	return attempt(func() (tea.Msg, error) {
		path, err := e.EditBuffers.SaveCopy(e.ctx, x.agent, x.item, x.mine)
		if err != nil {
			return nil, x.kept(err)
		}
		e.EditBuffers.Drop(e.ctx, x.path)
		return act(func(c *console) {
			c.layers = c.layers.settled(x)
			x.drop(c)
			c.say("Yours is beside it: " + clean(path))
		}), nil
	})
}

// conflict asks what to do when a plan changed on disk while the operator edited it. Every choice keeps both
// texts.
type conflict struct {
	menu
	edit   planEdit
	theirs PlanText
	// mine and other are the changes of each side to the base; nil until the operator asks for them.
	mine, other *markdown.Changes
}

const conflictFoot = "m t s choose · d difference · {back} decides later: yours is kept"

func newConflict(fx *effects, x planEdit, theirs PlanText) *conflict {
	d := &conflict{edit: x, theirs: theirs}
	d.menu = menu{Title: "plan.md changed while you edited it", At: 2, Below: d.diff, Foot: conflictFoot, Lines: []menuLine{
		{Key: "m", Title: "Keep mine", Does: "your text replaces theirs, which is kept aside",
			Result: effect{Do: fx.saveOver(x, theirs), Waits: true}},
		{Key: "t", Title: "Take theirs", Does: "plan.md stays; yours is kept aside", Result: act(func(c *console) {
			x.drop(c)
			c.say(x.stays())
		})},
		{Key: "d", Title: "Difference", Does: "what each of you changed", Result: act(func(*console) { d.compare() })},
		{Key: "s", Title: "Save mine beside it", Does: "as plan.mine-1.md", Result: effect{Do: fx.saveCopy(x), Waits: true}},
	}}
	return d
}

// Press is part of dialog.
func (d *conflict) Press(k keyPress, x facts) (open bool, m message) {
	switch {
	case d.waiting:
		return true, nil
	case closes(k) && d.mine == nil:
		return false, act(d.edit.keep)
	case closes(k):
		d.compare()
		return true, nil
	}
	open, m = d.menu.Press(k, x)
	return open || d.Chosen(x).Key == "d", m
}

// saveOver first copies somebody else's text to another file, then writes the operator's text over it.
func (e *effects) saveOver(x planEdit, theirs PlanText) tea.Cmd {
	return func() tea.Msg {
		aside, err := e.EditBuffers.Copy(e.ctx, string(x.item)+"-theirs", theirs.Text.Raw()) // raw: to a file, not shown
		if err != nil {
			return savedMsg{edit: x, err: err}
		}
		return e.savePlan(x, theirs.Artifact.Hash, "Yours is saved. Theirs is kept at "+clean(aside))()
	}
}

// compare computes the changes of each side.
func (d *conflict) compare() {
	if d.mine != nil {
		d.mine, d.other, d.Foot = nil, nil, conflictFoot
		return
	}
	d.Foot = "m t s choose · {page-down} {page-up} scroll · {back} closes the difference"
	base := markdown.Split(model.Text(d.edit.base))
	mine, other := markdown.Split(model.Text(d.edit.mine)).Changed(base), markdown.Split(d.theirs.Text).Changed(base)
	d.mine, d.other = &mine, &other
}

// diff says what happened, then the changes of both sides since the editor was opened.
func (d *conflict) diff(x facts) []string {
	out := x.Warn("Somebody else wrote plan.md since you opened it. Nothing was overwritten.")
	for _, side := range []struct {
		name string
		*markdown.Changes
	}{{"Yours", d.mine}, {"Theirs", d.other}} {
		if side.Changes == nil {
			continue
		}
		out = append(out, "", " "+x.Strong.Paint(fmt.Sprintf("%s  +%d −%d", side.name, side.Added, side.Removed)))
		out = append(out, editLines(x, *side.Changes, x.Inner())...)
	}
	return out
}

// keptText is the draft of an undecided conflict. maxKept is its greatest size in bytes.
type keptText struct{ Mine, Base, Hash string }

const maxKept = 1 << 20

func (x planEdit) draftKey() string { return "plan:" + string(x.item) }

// keptPlan reads a draft. A damaged draft counts as none.
func keptPlan(draft string) (k keptText) {
	_ = json.Unmarshal([]byte(draft), &k)
	return k
}

func (x planEdit) stays() string {
	return "plan.md stays as it is on disk. Yours is kept at " + clean(x.path)
}

// keep makes the operator's text a draft from which the next edit continues. drop deletes the draft.
func (x planEdit) keep(c *console) {
	raw, _ := json.Marshal(keptText{x.mine, x.base, x.hash}) // texts have a JSON form
	if len(raw) > maxKept {
		c.say(x.stays())
		return
	}
	c.keepDraft(x.draftKey(), string(raw))
	c.say(x.stays() + c.keys.Keyed(": {edit-plan} goes on with it."))
}

func (x planEdit) drop(c *console) {
	if !x.goesOn {
		return
	}
	c.keepDraft(x.draftKey(), "")
}

// goingOn asks whether an edit continues with the kept text of a conflict. The base of that text stays the
// base: if the plan has changed since, there is a conflict again, and the plan is never overwritten.
func goingOn(fx *effects, x planEdit, kept keptText) dialog {
	on := x
	on.base, on.hash, on.goesOn = kept.Base, kept.Hash, true
	forget := act(func(c *console) {
		on.drop(c)
		c.say("Your kept text is forgotten.")
	})
	return &menu{Title: "Edit plan", Lines: []menuLine{
		{Title: "continue your kept text", Does: "saved only where plan.md is as it was then; else you are asked again",
			Result: effect{Do: func() tea.Msg { return fx.copied(on, kept.Mine) }}},
		{Title: "edit plan.md", Does: "as it is on disk; your text stays kept", Result: effect{Do: fx.copyPlan(x)}},
		{Title: "forget your kept text", Does: "plan.md stays as it is", Result: forget},
	}}
}
