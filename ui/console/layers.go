package console

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
)

// layers are what lies over the screen of the view, the topmost last: dialogs, and prompts that
// are typed in the screen itself. The topmost has the keys and is what is drawn; closing it
// gives them to the one below. Of other keys only those that mean the same everywhere go by it.
type layers []widget.Dialog

// top is the layer that has the keys; nil: the screen has them.
func (l layers) top() widget.Dialog {
	if len(l) == 0 {
		return nil
	}
	return l[len(l)-1]
}

// put replaces the topmost layer; nil closes it.
func (l layers) put(d widget.Dialog) layers {
	below := l[: len(l)-1 : len(l)-1]
	if d == nil {
		return below
	}
	return append(below, d)
}

// dialog is the dialog that has the keys, prompts aside.
func (l layers) dialog() widget.Dialog {
	if _, ok := l.top().(*prompt); ok {
		return nil
	}
	return l.top()
}

// prompt is the prompt for so and so, if it is typed now.
func (l layers) prompt(what prompted) *prompt {
	if p, ok := l.top().(*prompt); ok && p.what == what {
		return p
	}
	return nil
}

// editor is the dialog that holds what was typed, if the topmost one does.
func (l layers) editor() (widget.Editor, bool) {
	e, ok := l.top().(widget.Editor)
	return e, ok
}

// refused gives the keys back to a dialog that waits for an answer.
func (l layers) refused() {
	if r, ok := l.top().(widget.Refuser); ok {
		r.Refused()
	}
}

// refresh gives the topmost dialog what was read since, where that is what it shows.
func (l layers) refresh(files fileTodos, threads threads) {
	switch d := l.top().(type) {
	case *triage:
		d.files = files
	case *threadsDialog:
		d.threads = threads
	}
}

// pressed gives a key to the layer that has the keys, else to the screen.
func (c *console) pressed(k tea.KeyPressMsg) tea.Cmd {
	touched := c.touched()
	top, in := c.layers.top(), action.Desk
	if top != nil {
		in = top.In()
	}
	a, ok := c.keys.Of(in, k)
	if files, has := c.keys.Of(action.Files, k); has && (in == action.Triage && !ok) {
		a = files
	} else if has && c.onFiles() {
		return tea.Batch(touched, c.execute(c.files.fileKey(files.ID, c.files.at, c.place.agent)))
	}
	if last, _ := c.keys.Of(action.Desk, k); top == nil || action.Everywhere(last.ID) {
		return tea.Batch(touched, c.act(last.ID))
	}
	d, result := top.Press(widget.Key{KeyPressMsg: k, ID: a.ID}, c.context())
	if c.layers = c.layers.put(d); d == nil {
		c.outbox.awaited = 0 // what was submitted goes on behind
	}
	return tea.Batch(touched, c.execute(result))
}

// pasted puts text where it is typed; elsewhere it means nothing.
func (c *console) pasted(s string) tea.Cmd {
	top := c.layers.top()
	if p, ok := top.(widget.Paster); ok {
		p.Paste(s)
	}
	if p, ok := top.(*prompt); ok {
		return c.route(p.typed())
	}
	return nil
}

// openMsg is a dialog that was made aside. It is laid over another one, unless that is closed by
// now; over none, unless the operator is at something else: then otherwise is said.
type openMsg struct {
	over, dialog widget.Dialog
	otherwise    string
}

func (m openMsg) handle(c *console) tea.Cmd {
	at := slices.Index(c.layers, m.over)
	switch {
	case m.over != nil && at < 0:
		return nil
	case m.over == nil && len(c.layers) > 0:
		return c.say(m.otherwise)
	}
	c.layers = c.layers[:at+1]
	c.note.clear()
	return c.open(m.dialog)
}

// open lays a dialog over the screen.
func (c *console) open(d widget.Dialog) tea.Cmd {
	c.layers = append(c.layers[:len(c.layers):len(c.layers)], d)
	return nil
}

// execute carries out what a dialog asks for.
func (c *console) execute(r widget.Result) tea.Cmd {
	if _, said := r.(widget.Trouble); r != nil && !said {
		c.note.clear()
	}
	switch r := r.(type) {
	case widget.Trouble:
		c.fail(sentence(string(r)))
	case widget.Open:
		return c.open(r.Dialog)
	case widget.Run:
		return c.act(action.ID(r))
	case widget.Effect:
		return r.Do
	case widget.EditOutside:
		return c.fx.copyText(string(r))
	case widget.Intent:
		return c.route(r.Msg)
	case widget.Keep:
		save := c.keepDraft(r.Key, r.Draft)
		if r.Draft == "" || r.Key == "" {
			return save
		}
		return tea.Batch(save, c.say("Draft kept."))
	case widget.Apply:
		return c.apply(r)
	}
	return nil
}

// apply sends a dialog's command, after what comes before it.
func (c *console) apply(r widget.Apply) tea.Cmd {
	var before tea.Cmd
	if r.Before != nil {
		before = c.route(r.Before)
	}
	cmd := c.send(r.Command, r.Said)
	if c.layers.top() != nil {
		c.outbox.awaited = c.outbox.seq
	}
	return tea.Batch(before, cmd)
}

// context is what dialogs may know now.
func (c *console) context() widget.Context {
	return widget.Context{Frame: c.frame().Frame, W: c.layout.w, H: c.layout.h - 1 - c.layout.hints, // the message line stays visible
		State: c.state(), Detail: c.detail(), Drafts: c.drafts}
}

// overtaken closes a dialog whose act makes no sense any more: the agent completed the
// item, say. What was typed stays as a draft; a report can still be given.
func (c *console) overtaken() tea.Cmd {
	d, ok := c.layers.editor()
	if !ok || c.outbox.awaited != 0 || c.truth.row == nil || d.About().Item != c.truth.row.ID {
		return nil
	}
	why := model.NotOffered(*c.truth.row, d.About().Command)
	if why == "" {
		return nil
	}
	c.layers = nil
	c.idle.quiet = idleBeats // the operator sees why: the newest order is shown
	c.reorder()
	key, text := d.Draft()
	words := sentence(why)
	switch {
	case text != "" && d.About().Command == "CompleteWorkItem" && model.NotOffered(*c.truth.row, "ReportWorkItem") == "":
		words += c.keys.Keyed(" Your text is kept: {report} gives it as the report.")
	case text != "":
		words += " Your text is kept as a draft."
	}
	c.fail(words)
	return c.keepDraft(key, text)
}
