package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/markdown"
	"vise/ui/text"
)

// editBuffers are the files for the operator's editor. The editor never opens plan.md itself, because it would
// silently overwrite changes that others make meanwhile.
type editBuffers interface {
	// Copy writes text to a file of its own and returns the path.
	Copy(ctx context.Context, name, text string) (path string, err error)
	// Read reads a copy back, Drop deletes it.
	Read(ctx context.Context, path string) (string, error)
	Drop(ctx context.Context, path string)
	// SavePlan writes a plan if its file still has the hash base. If not, the error has the code stale.
	SavePlan(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error
	// SaveCopy writes text next to a plan, and returns the path.
	SaveCopy(ctx context.Context, agent model.AgentID, id model.ItemID, text string) (path string, err error)
}

// planEdit is a text in the operator's editor.
type planEdit struct {
	agent model.AgentID
	item  model.ItemID
	// base is the text at the start of the edit, hash its hash, path the copy.
	base, hash, path string
	// mine is the operator's text after the edit.
	mine string
	// plan: the text is the item's plan. Otherwise it is the text of a dialog's field.
	plan bool
	// goesOn: the edit began with the kept text of a conflict.
	goesOn bool
}

// kept is err with the path of the operator's text.
func (x planEdit) kept(err error) error {
	where := fmt.Sprintf("what you wrote is kept at %s", model.Text(x.path))
	if e := model.AsError(err); e != nil { // its hint is shown
		told := *e
		told.Hint = strings.TrimPrefix(e.Hint+"; "+where, "; ")
		return &told
	}
	return fmt.Errorf("%w; %s", err, where)
}

type (
	// writtenMsg: the editor has ended, and the copy was read.
	writtenMsg struct {
		edit planEdit
		err  error
	}
	// savedMsg is the result of saving a plan. said is for the screen.
	savedMsg struct {
		edit   planEdit
		said   string
		theirs PlanText
		err    error
	}
)

// editPlan gives the terminal to the operator's editor, with a copy of the plan.
func editPlan(c *console) {
	a := c.plan.Artifact
	there := a.Condition == model.PlanElsewhere
	if a.Path == "" && !there {
		c.say("The plan's path is not known.")
		return
	}
	if a.Condition != model.PlanOK && a.Condition != model.PlanMissing && !there {
		c.start(c.fx.edit(a.Path))
		return
	}
	x := planEdit{agent: c.agent, item: c.plan.Item, plan: true}
	if kept := keptPlan(c.drafts[x.draftKey()]); kept.Mine != "" {
		c.open(goingOn(c.fx, x, kept))
		return
	}
	c.start(c.fx.copyPlan(x))
}

// copyPlan reads the current plan, with which the editor starts.
func (e *effects) copyPlan(x planEdit) tea.Cmd {
	return func() tea.Msg {
		p := e.Plans.Plan(e.ctx, x.agent, x.item)
		x.base = p.Text.Raw() // raw: to a file, not shown
		if hasText(p.Artifact.Condition) {
			x.hash = p.Artifact.Hash
		}
		if p.Artifact.Condition == model.PlanElsewhere && !p.Artifact.IsWhole(p.Text) {
			return sayMsg("The plan is on another machine, and only its beginning can be read here: edit it there.")
		}
		return e.copied(x, x.base)
	}
}

// copyText opens a field's text in the editor.
func (e *effects) copyText(text string) tea.Cmd {
	if e.EditBuffers == nil {
		return func() tea.Msg { return sayMsg("There is no place for the editor's file here.") }
	}
	return func() tea.Msg { return e.copied(planEdit{base: text}, text) }
}

// copied opens the editor on a copy of text.
func (e *effects) copied(x planEdit, text string) tea.Msg {
	path, err := e.EditBuffers.Copy(e.ctx, cmp.Or(string(x.item), "text"), text)
	if err != nil {
		return complainMsg{err}
	}
	x.path = path
	cmd, err := e.editor(path)
	if err != nil {
		return complainMsg{err}
	}
	return act(func(c *console) {
		c.start(onTerminal(cmd, func(err error) tea.Msg {
			mine, readErr := e.EditBuffers.Read(e.ctx, x.path)
			if x.mine = mine; err == nil {
				err = readErr
			}
			return writtenMsg{x, err}
		}))
	})
}

// handle takes the edited text. The terminal can have changed meanwhile.
func (m writtenMsg) handle(c *console) {
	c.start(tea.RequestWindowSize, tea.RequestBackgroundColor)
	x := m.edit
	switch {
	case m.err != nil:
		c.complain(x.kept(m.err))
		return
	case x.mine == x.base:
		c.fx.EditBuffers.Drop(c.fx.ctx, x.path)
		c.say("Nothing was changed.")
		return
	case x.plan:
		c.start(c.fx.savePlan(x, x.hash, "Plan saved"))
		return
	}
	d, ok := c.layers.editor()
	if !ok {
		c.fail("The dialog is closed by now. What you wrote is kept at " + clean(x.path))
		return
	}
	c.saidCut(x.mine, d.Fill(x.mine))
	c.fx.EditBuffers.Drop(c.fx.ctx, x.path)
	c.keepDraft(d.Draft())
}

// savePlan writes the operator's text over the plan if that has the hash base.
func (e *effects) savePlan(x planEdit, base, said string) tea.Cmd {
	return func() tea.Msg {
		err := e.EditBuffers.SavePlan(e.ctx, x.agent, x.item, base, x.mine)
		if err == nil {
			e.EditBuffers.Drop(e.ctx, x.path)
		}
		return savedMsg{x, said, e.Plans.Plan(e.ctx, x.agent, x.item), err}
	}
}

// handle says that a plan is saved, or shows both texts.
func (m savedMsg) handle(c *console) {
	x, refusal := m.edit, (*model.Error)(nil)
	switch {
	case errors.As(m.err, &refusal) && refusal.Code == model.CodeStale:
		c.layers = c.layers.settled(x).below(newConflict(c.fx, x, m.theirs))
		c.start(c.fx.readPlan(x.agent, x.item))
		return
	case m.err != nil:
		c.layers.refused()
		c.complain(x.kept(m.err))
		return
	}
	c.layers = c.layers.settled(x)
	x.drop(c)
	c.start(c.fx.readPlan(x.agent, x.item))
	c.say(text.Sentence(m.said))
}

// changes shows the added and removed lines of the plan since the operator saw it, or those of the save on
// screen.
func changes(c *console) {
	ch, save := c.plan.Shown.Changes, c.plan.Save
	title, foot := "Changes of plan.md since you looked", "{hide} seen · {back} close"
	keys, none := map[action.ID]message{action.Hide: run(action.PlanSeen), action.Changes: nil}, "The plan is as you last saw it."
	if save != nil {
		title, foot, keys = fmt.Sprintf("Changes of plan.md by save %d", save.N), "{back} close", nil
		none = "Nothing is kept of before this save."
	}
	if c.plan.Item != c.cursor || ch.Added+ch.Removed == 0 || c.plan.Dim && save == nil {
		c.say(none)
		return
	}
	c.open(&pager{
		Title: fmt.Sprintf("%s  +%d −%d", title, ch.Added, ch.Removed),
		Foot:  foot,
		Keys:  keys,
		Lines: func(x facts, w int) []string { return editLines(x, ch, w) },
	})
}

// editLines are the lines that came and went, below the number of the first of each run.
func editLines(x facts, ch markdown.Changes, w int) (out []string) {
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
		out = append(out, x.Hang(" "+ink.Paint(sign), ink, x.Safe(e.Text), w-4)...)
	}
	return out
}

// planSeen dims the marks of changed lines until the next change.
func planSeen(c *console) {
	p := &c.plan
	p.seen, p.ChangedAt, p.Dim = seenPlan{p.Doc, p.Artifact.Hash}, time.Time{}, true
	c.drawPlan()
}
