package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// note is the line above the hints, with the newest message. An error stays until esc.
type note struct {
	text    string
	isError bool
	n       int
}

// clean is text from outside as it may be shown.
func clean[T ~string](s T) string { return model.Text(s).String() }

func (n *note) clear() { n.text, n.isError = "", false }

type (
	// sayMsg and complainMsg are the results of work in the background.
	sayMsg      string
	complainMsg struct{ err error }
)

func (m sayMsg) handle(c *console) { c.say(string(m)) }

// handle shows the error. A dialog that waits for an answer accepts keys again.
func (m complainMsg) handle(c *console) {
	if c.outbox.awaited == 0 {
		c.layers.refused()
	}
	c.complain(m.err)
}

// say shows a message for a while.
func (c *console) say(s string) {
	c.note = note{text: s, n: c.note.n + 1}
	n := c.note.n
	c.start(c.fx.after(fadeAfter, func(c *console) {
		if c.note.n == n && !c.note.isError {
			c.note.text = ""
		}
	}))
}

// fail shows an error until esc.
func (c *console) fail(s string) { c.note = note{text: s, isError: true, n: c.note.n + 1} }

// complain shows an error and what to do, until esc.
func (c *console) complain(err error) {
	c.fail(words(err))
}

// words are an error for the screen: first the error, then what to do.
func words(err error) string {
	s := text.Sentence(clean(err.Error()))
	if e := model.AsError(err); e != nil {
		s = strings.TrimSpace(text.Sentence(clean(e.Error())) + " " + text.Sentence(clean(e.Hint)))
	}
	return s
}

// answered shows the result of a job.
func (c *console) answered(j job, m receiptMsg) {
	awaited := c.outbox.awaited == j.seq && j.seq != 0
	if awaited {
		c.outbox.awaited = 0
	}
	switch {
	case j.thread != nil:
		j.threadActed(c, m)
		return
	case j.act != nil:
		j.fileActed(c, m.err)
		return
	}
	c.outbox = c.outbox.remembered(j, m)
	if m.err != nil {
		if awaited {
			c.layers.refused()
		}
		s, _ := c.outbox.grouped(j, strings.TrimSpace(j.unsaid+" "+words(m.err)), true)
		if j.envelope != nil {
			if undo, is := j.envelope.Command.(model.Undo); is && !undo.Again {
				s += c.beforeIt(undo.What)
			}
		}
		c.refused(s)
		return
	}
	if j.envelope == nil {
		return
	}
	c.idle.quiet = idleBeats // the operator's change of the order is shown at once
	c.keepDraft(j.typedAs, "")
	if awaited {
		c.closeAnswered(j, m.receipt)
	}
	switch j.envelope.Command.(type) {
	case model.Batch:
		if j.group == 0 {
			unmark(c)
		}
	}
	c.marks, c.inboxMarks = c.marks.with(false, j.marked...), c.inboxMarks.with(false, j.marked...)
	words, failed := c.outbox.grouped(j, receiptWords(c.styles, j.said, m.receipt), false)
	if failed {
		c.refused(words)
		return
	}
	if j.group != 0 && c.outbox.told.done > 1 {
		words += c.keys.Keyed(" {undo} undoes one agent's.")
	}
	if c.view == viewDesk {
		if j.group == 0 {
			words += c.keys.Keyed(c.undoHint(m.receipt))
		}
		next, ok := c.truth.desk.NextWithout(c.cursor)
		switch {
		case model.CommandName(j.envelope.Command) == "CreateWorkItem":
			c.cursor = m.receipt.WorkItemID
		case completed(m.receipt) && ok:
			c.cursor = next.ID
		}
	}
	c.say(words)
	c.read()
}

// closeAnswered closes the dialog whose command was carried out. The run to zero stays open and moves on.
func (c *console) closeAnswered(j job, in model.Receipt) {
	if _, stays := c.layers.top().(*zeroRun); !stays {
		c.layers = c.layers.put(nil)
	}
	if z, ok := c.layers.top().(*zeroRun); ok {
		z.decidedOn(c, j, in)
	}
}

// refused says why a command was refused. A dialog stays open with its text. The screen may be out of date, so
// the ledger is read again.
func (c *console) refused(why string) {
	c.idle.quiet = idleBeats
	c.fail(why)
	c.read()
}

// undoHint names the action that undoes a change. In the run to zero the hint line names it.
func (c *console) undoHint(r model.Receipt) string {
	switch u := r.Inverse; {
	case u != nil && u.Answer != nil && !u.Again:
		return " {undo} withdraws it until " + clean(r.AgentID) + " has read it."
	case u == nil || c.layers.toZero():
		return ""
	case u.Again:
		return " {redo} does it again."
	}
	return " {undo} undoes."
}

func completed(r model.Receipt) bool {
	return r.CompletedTransition || slices.ContainsFunc(r.Calls, func(call model.Receipt) bool { return call.CompletedTransition })
}

// receiptWords is a receipt in words, with its warnings.
func receiptWords(k *screen.Styles, said string, r model.Receipt) string {
	parts := []string{text.Sentence(said)}
	if r.FocusReleased {
		parts = append(parts, "It is no longer current.")
	}
	if n := len(r.CancelledWaits); n > 0 {
		parts = append(parts, model.Counted(n, "wait")+" cancelled.")
	}
	if r.ReportPromoted {
		parts = append(parts, "Report kept.")
	}
	for _, w := range warnings(r) {
		parts = append(parts, k.Glyph.Warning+" "+text.Sentence(clean(w.Message)))
	}
	return strings.Join(parts, " ")
}

// warnings are the warnings of a receipt and of its calls, each kind once.
func warnings(r model.Receipt) []model.Warning {
	var out []model.Warning
	for _, from := range append([]model.Receipt{r}, r.Calls...) {
		for _, w := range from.Warnings {
			if !slices.ContainsFunc(out, func(x model.Warning) bool { return x.Kind == w.Kind }) {
				out = append(out, w)
			}
		}
	}
	return out
}

// troubled keeps the screen if the ledger cannot be read, says why, and retries while a retry may help.
func (c *console) troubled(err error) {
	e := &model.Error{Code: model.CodeInternal, Message: clean(err.Error())}
	errors.As(err, &e)
	c.trouble = e
	if c.reading.failing.IsZero() {
		c.reading.failing = c.now
	}
	if c.reading.retrying {
		return
	}
	c.reading.retrying = true
	c.start(c.fx.after(retryEvery, retry))
}

// troubleWords says what is wrong with the ledger, and how old the screen is.
func (c *console) troubleWords() string {
	s := words(c.trouble)
	switch {
	case c.trouble.Code == model.CodeBusy && c.trouble.Holder != nil:
		s = heldWords(c.trouble, c.reading.failing)
	case c.trouble.Code == model.CodeBusy:
		s = text.Sentence(clean(c.trouble.Error())) // the error's own hint is for a change
	}
	if !c.truth.at.IsZero() {
		s += " Showing " + c.truth.at.Format("15:04:05") + ", retrying. Writes are off."
	}
	return s
}

// heldWords says who holds the ledger, since when, and what the operator can do. If the holder does not say
// since when, it is the time of the first failed read.
func heldWords(e *model.Error, failing time.Time) string {
	h := e.Holder
	s := fmt.Sprintf("The ledger is held by pid %d", h.PID)
	if h.Command != "" {
		s += " (" + clean(h.Command) + ")"
	}
	way := fmt.Sprintf("This goes on when it lets go; kill %d ends it. Nothing is lost.", h.PID)
	if h.State == "stopped" {
		s, way = s+", which is stopped", text.Sentence(clean(e.Hint))
	}
	since, at := "since", h.Since
	if at.IsZero() {
		since, at = "since before", failing
	}
	return s + ", " + since + " " + at.Local().Format("15:04:05") + ". " + way
}

// readOnly is the reason why changes are refused, empty if they are allowed.
func (c *console) readOnly() string {
	switch {
	case c.fx.Session.ReadOnly != "":
		return c.fx.Session.ReadOnly
	case c.truth.readOnly() != "":
		return c.truth.readOnly()
	case c.trouble != nil:
		return "writes are off: " + clean(c.trouble.Message)
	}
	return ""
}

// conditioned is a ledger that reports the ways in which it works less well than it should.
type conditioned interface {
	Conditions(context.Context) []model.Condition
}

// hosted is a ledger that includes hosts, and reports the state of the connection to each.
type hosted interface {
	States() []model.HostState
}

// conditionWords is the first condition, and what to do.
func (t truth) conditionWords() string {
	x := t.conditions[0]
	return text.Sentence(clean(x.Message)) + " " + text.Sentence(clean(x.Hint))
}

// readOnly is the condition that makes the ledger read-only, if there is one.
func (t truth) readOnly() string {
	for _, x := range t.conditions {
		if x.ReadOnly {
			return clean(x.Message)
		}
	}
	return ""
}

// tellTriggers shows a message, once, about triggers that others sent to the agent on screen since an earlier
// truth. The cursor, the order, the typed text and an error on the line do not change.
func (c *console) tellTriggers(before truth) {
	t := c.truth
	same := before.want.agent == t.want.agent && before.want.view == t.want.view
	if before.at.IsZero() || !same || c.view != viewDesk || c.note.isError {
		return
	}
	came := triggersSince(before, t)
	if len(came) == 0 {
		return
	}
	e := came[0]
	end := " for " + cmp.Or(string(t.activity.Names[e.WorkItemID].Handle), clean(e.AgentID)) + "."
	if b, a := before.desk.Current, t.desk.Current; b != nil && a != nil && b.ID == a.ID {
		end += " Current work kept."
	}
	if n := len(came); n > 1 {
		c.say(fmt.Sprintf("%d news came, the newest%s", n, end))
		return
	}
	what := c.frame().Show(e.Describe())
	c.say(text.Sentence(text.Cut(what, max(c.layout.w-text.Width(end)-2, 12)) + end))
}

// triggersSince are the triggers of others in t that are not in before, newest first.
func triggersSince(before, t truth) (came []model.Entry) {
	var last model.Position
	if len(before.late) > 0 {
		last = before.late[0].Position()
	}
	for _, e := range t.late {
		if !last.Before(e.Position()) {
			break
		}
		if e.Kind == model.EventWaitTriggered && e.Actor != model.Operator {
			came = append(came, e)
		}
	}
	return came
}
