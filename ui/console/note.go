package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
)

// note is the line above the hints: the newest message. An error stays until esc.
type note struct {
	text    string
	isError bool
	n       int
}

func (n *note) clear() { n.text, n.isError = "", false }

type (
	// sayMsg and complainMsg say what became of something that was done aside.
	sayMsg      string
	complainMsg struct{ err error }
)

func (m sayMsg) handle(c Console) (Console, tea.Cmd) { return c.say(string(m)) }

// handle gives the keys back to a dialog that waited for what went wrong.
func (m complainMsg) handle(c Console) (Console, tea.Cmd) {
	if c.outbox.awaited == 0 {
		c.layers.refused()
	}
	return c.complain(m.err)
}

// say shows a message for a while.
func (c Console) say(s string) (Console, tea.Cmd) {
	c.note = note{text: s, n: c.note.n + 1}
	return c, c.fx.fade(c.note.n)
}

// fail shows what went wrong, until esc.
func (c Console) fail(s string) Console {
	c.note = note{text: s, isError: true, n: c.note.n + 1}
	return c
}

// complain shows what went wrong and what to do, until esc.
func (c Console) complain(err error) (Console, tea.Cmd) { return c.fail(words(err)), nil }

// words are an error for the screen: what is wrong, then what to do.
func words(err error) string {
	var e *model.Error
	if !errors.As(err, &e) {
		return sentence(model.Text(err.Error()).String())
	}
	s := sentence(model.Text(e.Error()).String())
	if e.Hint != "" {
		s += " " + sentence(model.Text(e.Hint).String())
	}
	return s
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	if !strings.HasPrefix(s, "wi-") && !strings.HasPrefix(s, "vise ") && !strings.HasPrefix(s, "plan.md") {
		first, size := utf8.DecodeRuneInString(s)
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

func coded(err error) model.Code {
	var e *model.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// answered shows what became of a job.
func (c Console) answered(j job, m receiptMsg) (Console, tea.Cmd) {
	awaited := c.outbox.awaited == j.seq && j.seq != 0
	if awaited {
		c.outbox.awaited = 0
	}
	if j.thread != nil {
		return c.threadActed(j, m)
	}
	if j.act != nil {
		return c.acted(j, m.err)
	}
	c.outbox = c.outbox.remembered(j, m)
	if m.err != nil {
		if awaited {
			c.layers.refused()
		}
		return c.refused(m.err)
	}
	if j.envelope == nil {
		return c, nil
	}
	c.idle.quiet = idleBeats // an order that the operator made is shown at once
	var drop tea.Cmd
	if awaited {
		if e, ok := c.layers.editor(); ok {
			key, _ := e.Draft()
			c, drop = c.keepDraft(key, "")
		}
		c.layers = nil
	}
	switch j.envelope.Command.(type) {
	case model.Batch, model.AcknowledgeAll:
		c.place.marks = marks{}
	}
	if c.place.view != viewDesk {
		c, said := c.say(c.receiptWords(j.said, m.receipt))
		c, look := c.look()
		return c, tea.Batch(drop, said, look)
	}
	if j.envelope.Command.Name() == "CreateWorkItem" {
		c.place.cursor = m.receipt.WorkItemID
	} else if completed(m.receipt) {
		if next, ok := c.truth.desk.NextWithout(c.place.cursor); ok {
			c.place.cursor = next.ID
		}
	}
	c, said := c.say(c.receiptWords(j.said, m.receipt) + c.keys.Keyed(undoHint(m.receipt.Inverse)))
	c, look := c.look()
	return c, tea.Batch(drop, said, look)
}

// refused says why a command was refused; a dialog stays open with what was typed. What was
// drawn may be old: the ledger is looked at again.
func (c Console) refused(err error) (Console, tea.Cmd) {
	c.idle.quiet = idleBeats
	c, look := c.fail(words(err)).look()
	return c, look
}

// undoHint names the action that takes an act back.
func undoHint(inverse *model.Undo) string {
	switch {
	case inverse == nil:
		return ""
	case inverse.Again:
		return " {redo} does it again."
	}
	return " {undo} undoes."
}

func completed(r model.Receipt) bool {
	return r.CompletedTransition || slices.ContainsFunc(r.Calls, func(call model.Receipt) bool { return call.CompletedTransition })
}

// receiptWords are a receipt in words, its warnings included.
func (c Console) receiptWords(said string, r model.Receipt) string {
	parts := []string{sentence(said)}
	if r.FocusReleased {
		parts = append(parts, "Focus is released.")
	}
	if n := len(r.CancelledWaits); n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s cancelled.", n, screen.Plural(n, "wait", "waits")))
	}
	if n := r.Skipped; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s nothing.", n, screen.Plural(n, "needs", "need")))
	}
	if r.ReportPromoted {
		parts = append(parts, "Report kept.")
	}
	for _, w := range warnings(r) {
		parts = append(parts, c.styles.Glyph.Warning+" "+sentence(model.Text(w.Message).String()))
	}
	return strings.Join(parts, " ")
}

// warnings are a receipt's own and its calls', each kind once.
func warnings(r model.Receipt) []model.Warning {
	seen := map[model.WarningKind]bool{}
	var out []model.Warning
	for _, from := range append([]model.Receipt{r}, r.Calls...) {
		for _, w := range from.Warnings {
			if !seen[w.Kind] {
				seen[w.Kind] = true
				out = append(out, w)
			}
		}
	}
	return out
}
