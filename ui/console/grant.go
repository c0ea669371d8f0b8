package console

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
)

// grant carries out what a dialog asks for.
func (c Console) grant(w wish) (Console, tea.Cmd) {
	switch {
	case w.trouble != "":
		c.note = note{text: sentence(w.trouble), isError: true, n: c.note.n + 1}
		return c, nil
	case w.next != nil:
		c.dialog, c.note = nil, note{n: c.note.n}
		return w.next(c)
	case w.command != nil:
		c.note = note{n: c.note.n}
		var remark tea.Cmd
		if w.before != nil {
			c, remark = c.post(job{thread: w.before})
		}
		c, cmd := c.send(w.command, w.said)
		cmd = tea.Batch(remark, cmd)
		if c.dialog != nil {
			c.outbox.awaited = c.outbox.seq
		}
		return c, cmd
	case w.act != nil:
		c.note = note{n: c.note.n}
		return c.post(job{act: w.act, said: w.said})
	case w.settle != nil:
		return c.settle(*w.settle)
	case w.outside != nil:
		if c.fx.Papers == nil {
			return c.say("There is no place for the editor's file here.")
		}
		return c, c.fx.copyText(*w.outside)
	case w.choice != nil:
		return c, c.fx.start(c.opt.FirstRun, *w.choice)
	case w.survey != "":
		return c, c.fx.survey(c.opt.FirstRun, w.survey)
	case w.agent != "":
		return c.visit(w.agent)
	case w.quit:
		return c, tea.Quit
	case w.run != "":
		return c.act(action.ByID(w.run))
	case w.keepDraft:
		return c.closedWithDraft(w)
	}
	return c, nil
}

// closedWithDraft keeps what was typed, and says that it did.
func (c Console) closedWithDraft(w wish) (Console, tea.Cmd) {
	if c.outbox.awaited != 0 { // submitted: it goes on behind
		c.outbox.awaited = 0
		return c, nil
	}
	kept := w.draft != ""
	c, save := c.keepDraft(w.draftKey, w.draft)
	if !kept {
		return c, save
	}
	c, said := c.say("Draft kept.")
	return c, tea.Batch(save, said)
}

// pasted puts pasted text where text is typed; elsewhere it means nothing.
func (c Console) pasted(s string) (Console, tea.Cmd) {
	switch {
	case c.dialog != nil:
		c.dialog = c.dialog.paste(s)
	case c.find != nil:
		f := *c.find
		f.Insert(s)
		c.find = &f
		return c.filteredNow()
	case c.plan.Search.Typing != nil:
		f := *c.plan.Search.Typing
		f.Insert(s)
		return c.searchFor(f)
	}
	return c, nil
}

func (f *form) draft() string    { return f.draftKey }
func (f *form) subject() subject { return f.about }
func (f *form) unsaved() string  { return f.draftText() }

// overtaken closes a dialog whose act makes no sense any more: the agent completed the
// item, say. What was typed stays as a draft; a report can still be given.
func (c Console) overtaken() (Console, tea.Cmd) {
	d, ok := c.dialog.(interface {
		subject() subject
		draft() string
		unsaved() string
	})
	if !ok || c.outbox.awaited != 0 || c.truth.row == nil || d.subject().item != c.truth.row.ID {
		return c, nil
	}
	why := model.NotOffered(*c.truth.row, d.subject().command)
	if why == "" {
		return c, nil
	}
	c.dialog = nil
	c.calm.quiet = calmBeats // the operator is told: what is so is shown
	c = c.reorder()
	text := d.unsaved()
	words := sentence(why)
	switch {
	case text != "" && d.subject().command == "CompleteWorkItem" && model.NotOffered(*c.truth.row, "ReportWorkItem") == "":
		words += action.Keyed(" Your text is kept: {report} gives it as the report.")
	case text != "":
		words += " Your text is kept as a draft."
	}
	c, save := c.keepDraft(d.draft(), text)
	c.note = note{text: words, isError: true, n: c.note.n + 1}
	return c, save
}
func (f *form) refused() { f.waiting, f.seen = false, 0 }

// surveyed shows what an import would bring, before anything is written.
func (c Console) surveyed(m surveyMsg) (Console, tea.Cmd) {
	if m.err != nil {
		return c.failedStart(m.err)
	}
	c.note = note{n: c.note.n}
	c.dialog = confirmImport(c.opt.FirstRun, m.dir, m.survey)
	return c, nil
}

// started moves from the first run to the desk.
func (c Console) started(m sessionMsg) (Console, tea.Cmd) {
	if m.err == nil && m.session.Ledger == nil {
		m.err = errors.New("the ledger did not open")
	}
	if m.err != nil {
		return c.failedStart(m.err)
	}
	fx := *c.fx
	fx.Session = m.session
	c.fx, c.dialog, c.note = &fx, nil, note{n: c.note.n}
	if m.session.Agent != "" {
		c.place = c.place.goTo(m.session.Agent)
	}
	if m.created {
		return c, tea.Batch(c.opened(), c.offer(0))
	}
	return c, c.opened()
}

// failedStart gives the box of the first run back to the operator.
func (c Console) failedStart(err error) (Console, tea.Cmd) {
	if f, ok := c.dialog.(interface{ refused() }); ok {
		f.refused()
	}
	return c.complain(err)
}

// pick makes the item under the cursor the focus. A reason is asked only where runnable
// work is left; a pick that can only be a review says so first.
func (c Console) pick() (Console, tea.Cmd) {
	r := *c.row()
	if o := c.truth.desk.PickOutlook(r); o.AsksReason || o.ReviewOnly {
		c.dialog = picking(c, r, o)
		return c, nil
	}
	return c.send(model.PickWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}, "Picked "+string(r.Handle))
}
