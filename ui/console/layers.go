package console

import (
	"fmt"
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// layers are the dialogs and prompts over the view's screen, the topmost last. The topmost gets the keys, is
// drawn, and its hint is the hint line. If it closes, the one below gets the keys. Only keys that mean the same
// everywhere bypass it. Only the operator's keys, or the answer to what the operator submitted in it, close it.
// Changes by others never take the keys from an operator who types.
type layers []dialog

// top is the layer that gets the keys; nil: the screen gets them.
func (l layers) top() dialog {
	if len(l) == 0 {
		return nil
	}
	return l[len(l)-1]
}

// put replaces the topmost layer; nil closes it.
func (l layers) put(d dialog) layers {
	below := l[: len(l)-1 : len(l)-1]
	if d == nil {
		return below
	}
	return append(below, d)
}

// dialog is the dialog that gets the keys; nil: the screen, or a layer that is drawn in it, gets them.
func (l layers) dialog() dialog {
	if top := l.top(); shows(top) {
		return top
	}
	return nil
}

// shows reports whether a layer is drawn over the screen, not in it.
func shows(d dialog) bool {
	switch d := d.(type) {
	case nil, *prompt, *sayLine, *permitLine, unheard:
		return false
	case *menu:
		return !d.hidden
	}
	return true
}

// below puts a dialog that no key asked for under the open layers.
func (l layers) below(d dialog) layers { return append(layers{d}, l...) }

// prompt is the prompt of this kind, if it is open on top.
func (l layers) prompt(what prompted) *prompt {
	if p, ok := l.top().(*prompt); ok && p.what == what {
		return p
	}
	return nil
}

// besideTriage reports whether the topmost layer asks about the finding of the triage below it, which stays on the screen.
func (l layers) besideTriage() bool {
	if len(l) < 2 {
		return false
	}
	_, below := l[len(l)-2].(*triage)
	switch l.top().(type) {
	case *form, *menu:
		return below
	}
	return false
}

// toZero reports whether the run to zero is open, even below other layers.
func (l layers) toZero() bool {
	return slices.ContainsFunc(l, func(d dialog) bool { _, ok := d.(*zeroRun); return ok })
}

// editor is the topmost dialog, if it holds typed text.
func (l layers) editor() (textDialog, bool) {
	e, ok := l.top().(textDialog)
	return e, ok
}

// refused makes a dialog that waits for an answer accept keys again.
func (l layers) refused() {
	if r, ok := l.top().(refuser); ok {
		r.Refused()
	}
}

// refresh gives the dialogs the newly read data that they show.
func (l layers) refresh(c *console) {
	for _, d := range l {
		switch d := d.(type) {
		case *triage:
			d.files = c.files
		case *threadsDialog:
			d.threads = c.threads
		case *zeroRun:
			d.refresh(c)
		}
	}
}

// pressed gives a key to the topmost scope in which it means something.
func (c *console) pressed(k tea.KeyPressMsg) {
	touched(c)
	for _, takes := range scopes {
		if takes(c, k) {
			return
		}
	}
	c.say(action.Shown(k.String()) + " does nothing here.")
}

// scopes are where a key can have a meaning, the topmost first. Each reports whether it took the key.
var scopes = []func(*console, tea.KeyPressMsg) bool{everywhere, afterAbsence, inLayer, onView}

// everywhere takes the keys that mean the same in every place.
func everywhere(c *console, k tea.KeyPressMsg) bool {
	a, _ := c.keys.Of(action.Desk, k)
	if !action.Everywhere(a.ID) {
		return false
	}
	c.act(a.ID)
	return true
}

// inLayer gives a key to the topmost layer, which takes all keys.
func inLayer(c *console, k tea.KeyPressMsg) bool {
	top := c.layers.top()
	if top == nil {
		return false
	}
	a, _ := c.keys.Of(top.In(), k)
	if _, ok := top.(*triage); ok && a.ID == action.Back && c.note.isError { // the error is on top of the triage
		c.note.clear()
		return true
	}
	open, m := top.Press(keyPress{k, a.ID}, c.facts())
	if !open {
		c.layers = c.layers.put(nil)
		c.outbox.awaited = 0 // the submitted command continues in the background
		if m == nil && c.note.isError {
			c.note.clear() // it was about what is closed
		}
	}
	held := c.layers.dialog() == nil
	if c.execute(m); held && c.layers.dialog() == nil {
		c.showNewest()
	}
	return true
}

// onView takes the keys of the view on screen: first those of the detail's page.
func onView(c *console, k tea.KeyPressMsg) bool {
	in := action.Desk
	if c.ownPage() == screen.TabChanges {
		in = action.Page
	}
	a, ok := c.keys.Of(in, k)
	if ok {
		actHere(c, a.ID)
	}
	return ok
}

// unused says that a key means nothing in a dialog.
func unused(k keyPress) message { return sayMsg(action.Shown(k.String()) + " does nothing here.") }

// pasted puts text where the operator types. Elsewhere it does nothing.
func pasted(c *console, s string) {
	top := c.layers.top()
	if p, ok := top.(paster); ok {
		c.saidCut(s, p.Paste(s))
	}
	if p, ok := top.(*prompt); ok {
		p.typed().handle(c)
	}
}

// saidCut says how much of a text did not fit where it was put.
func (c *console) saidCut(s string, lost int) {
	if n := utf8.RuneCountInString(s); lost > 0 {
		c.fail(fmt.Sprintf("Cut: only %s of %s characters fit here.", text.Thousands(max(n-lost, 0)), text.Thousands(n)))
	}
}

// open puts a dialog over the screen.
func (c *console) open(d dialog) {
	if f, ok := d.(interface{ begin(map[string]string) }); ok {
		f.begin(c.drafts)
	}
	c.layers = append(c.layers[:len(c.layers):len(c.layers)], d)
}

// execute carries out a dialog's message.
func (c *console) execute(m message) {
	if m == nil {
		return
	}
	if _, said := m.(trouble); !said {
		c.note.clear()
	}
	m.handle(c)
}

// context is what dialogs can read now.
func (c *console) facts() facts {
	h := c.layout.h - len(c.newest().Lines()) - c.layout.hints // the message stays visible
	return facts{Frame: c.frame(), W: c.layout.w, H: h,
		State: c.state(), Detail: c.detail(), Drafts: c.drafts}
}

// overtaken freezes a dialog whose action no longer makes sense, for example because the agent completed the
// item. It saves the typed text as a draft before it says so.
func (c *console) overtaken() {
	d, ok := c.layers.editor()
	_, already := d.(frozen)
	if !ok || already || c.outbox.awaited != 0 || c.truth.row == nil || d.About().Item != c.truth.row.ID {
		return
	}
	why := model.NotOffered(*c.truth.row, d.About().Command)
	if why == "" {
		return
	}
	key, text := d.Draft()
	c.keepDraft(key, text)
	f := frozen{textDialog: d, row: *c.truth.row, why: c.truth.changedBy(c.frame(), *c.truth.row, why)}
	f.reports = text != "" && d.About().Command == "CompleteWorkItem" && model.NotOffered(f.row, "ReportWorkItem") == ""
	if text != "" {
		f.why += " Your text is kept."
	}
	c.layers = c.layers.put(f)
	c.note.clear()
}

// overtakers are the events after which an action makes no sense, with the words for each.
var overtakers = map[model.EventKind]string{
	model.EventWorkItemWritten: "completed", model.EventWorkItemPicked: "picked", model.EventOperatorAnswered: "answered",
}

// changedBy says who made an action pointless, if the newest events show it. Otherwise it returns why.
func (t truth) changedBy(f screen.Frame, r model.Row, why string) string {
	for _, e := range t.late {
		did := overtakers[e.Kind]
		if e.WorkItemID != r.ID || did == "" || did == "completed" && r.Class != model.CompletedRecent {
			continue
		}
		by := model.By(e.Actor, e.Person)
		if agent, ok := e.Actor.Agent(); ok {
			by = model.Text(agent)
		}
		return fmt.Sprintf("%s was %s by %s %s ago.", r.Handle, did, f.Show(by), f.Age(e.At))
	}
	return text.Sentence(why)
}

// frozen is a dialog whose action another actor made pointless. It takes every key, and uses only the keys in
// its hint.
type frozen struct {
	textDialog
	row model.Row
	why string
	// reports: the typed text can become the item's report.
	reports bool
}

// In is part of dialog.
func (d frozen) In() action.Context { return action.Desk }

// Press is part of dialog.
func (d frozen) Press(k keyPress, x facts) (open bool, m message) {
	switch {
	case k.ID == action.Back:
		return false, nil
	case k.ID == action.Report && d.reports:
		return false, opens{reporting(x, d.row)}
	}
	return true, nil
}

// Draw is part of dialog. It shows what happened, and below it the typed text.
func (d frozen) Draw(x facts) drawnDialog {
	out := d.textDialog.Draw(x)
	out.Lines = append(append(x.Warn(d.why), ""), out.Lines...)
	out.H, out.Cursor, out.Hint = 0, nil, "{back} close"
	if d.reports {
		out.Hint = "{report} give your text as the report · {back} close"
	}
	out.Hint = x.Keyed(out.Hint)
	return out
}

// unheard takes the keys after an action with a text input was refused, so that the text that the operator
// continues to type triggers nothing.
type unheard struct{ textKeys }

// Press is part of dialog.
func (d unheard) Press(k keyPress, _ facts) (open bool, m message) {
	if k.ID == action.Back {
		return false, act(func(c *console) { c.note.clear() })
	}
	return true, nil
}

// Draw is part of dialog. The message line shows the reason.
func (unheard) Draw(x facts) drawnDialog {
	return drawnDialog{Hint: x.Keyed("{back} goes on · other keys do nothing until then")}
}

// unheard refuses an action with a text input, and says why.
func (c *console) unheard(why string) {
	c.fail(why)
	c.open(unheard{})
}
