package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/markdown"
	"vise/ui/text"
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
	fx     *effects
	edit   planEdit
	theirs PlanText
	// mine and other are the changes of each side to the base; nil until the operator asks for them.
	mine, other *markdown.Changes
	shown       excerpt
	// waiting: the chosen text is being written.
	waiting bool
}

// Refused is part of refuser.
func (d *conflict) Refused() { d.waiting = false }

// In is part of dialog.
func (d *conflict) In() action.Context { return action.Desk }

// conflictChoices are the ways out of a conflict, each with its letter.
var conflictChoices = []struct{ key, title, does string }{
	{"m", "Keep mine", "your text replaces theirs, which is kept aside"}, {"t", "Take theirs", "plan.md stays; yours is kept aside"},
	{"d", "Difference", "what each of you changed"}, {"s", "Save mine beside it", "as plan.mine-1.md"},
}

// Press is part of dialog.
func (d *conflict) Press(k keyPress, x facts) (open bool, m message) {
	if d.waiting {
		return true, nil
	}
	key := cmp.Or(action.Latin(k.KeyPressMsg), k.String())
	switch {
	case key == "m":
		d.waiting = true
		return true, effect{Do: d.fx.saveOver(d.edit, d.theirs)}
	case key == "t":
		said := sayMsg("plan.md stays as it is on disk. Yours is kept at " + clean(d.edit.path))
		return false, act(func(c *console) { d.edit.drop(c); said.handle(c) })
	case closes(k):
		if d.mine == nil {
			return false, act(d.edit.keep)
		}
		d.compare()
	case key == "s":
		d.waiting = true
		return true, effect{Do: d.fx.saveCopy(d.edit)}
	case key == "d":
		d.compare()
	case d.shown.Scroll(k, len(d.diff(x)), x.H-2-len(conflictChoices)):
	default:
		return true, unused(k)
	}
	return true, nil
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
		d.mine, d.other = nil, nil
		return
	}
	base := markdown.Split(model.Text(d.edit.base))
	mine, other := markdown.Split(model.Text(d.edit.mine)).Changed(base), markdown.Split(d.theirs.Text).Changed(base)
	d.mine, d.other = &mine, &other
}

// diff says what happened, then the changes of both sides since the editor was opened.
func (d *conflict) diff(x facts) []string {
	out := append([]string{""}, x.Warn("Somebody else wrote plan.md since you opened it. Nothing was overwritten.")...)
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

// Draw is part of dialog.
func (d *conflict) Draw(x facts) drawnDialog {
	var lines []string
	for _, l := range conflictChoices {
		key, title := x.Key.Of(" "+text.Pad(l.key, 3)), x.Text.Of(text.Pad(l.title, 22))
		lines = append(lines, x.Strip(x.Inner(), false, key, title, x.Muted.Of(l.does)))
	}
	diff, foot := d.shown.window(x, d.diff(x), x.H-2-len(lines))
	hint := "m t s choose · d difference · {back} decides later: yours is kept"
	switch {
	case d.waiting:
		hint = "saving…"
	case d.mine != nil:
		hint = "m t s choose · {down} {up} scroll · {back} closes the difference"
	}
	out := x.dialog("plan.md changed while you edited it", hint, append(lines, diff...))
	out.Foot = foot
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

// keep makes the operator's text a draft from which the next edit continues. drop deletes the draft.
func (x planEdit) keep(c *console) {
	raw, _ := json.Marshal(keptText{x.mine, x.base, x.hash}) // texts have a JSON form
	said := "plan.md stays as it is on disk. Yours is kept at " + clean(x.path)
	if len(raw) > maxKept {
		c.say(said)
		return
	}
	c.keepDraft(x.draftKey(), string(raw))
	c.say(said + c.keys.Keyed(": {edit-plan} goes on with it."))
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
