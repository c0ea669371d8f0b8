package console

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/past"
)

// applyRemembering applies a command, and finds out how it can be taken back.
func (e *effects) applyRemembering(seq int, env model.Envelope, what string) tea.Cmd {
	return func() tea.Msg {
		receipt, deed, err := past.Apply(e.ctx, e.Ledger, env, what)
		return receiptMsg{seq: seq, receipt: receipt, at: e.now(), err: err, deed: deed}
	}
}

// remembered keeps an act that was carried out, or moves one that was taken back. One that
// cannot be taken back any more, because its item moved on, is forgotten.
func (o outbox) remembered(j job, m receiptMsg) outbox {
	switch {
	case m.err != nil && j.undo != nil && past.TooLate(m.err):
		o.past = o.past.Lost(*j.undo)
	case m.err != nil:
	case j.undo != nil:
		o.past = o.past.TookBack(*j.undo)
	case m.deed != nil:
		o.past = o.past.Did(*m.deed)
	}
	return o
}

func undo(c Console) (Console, tea.Cmd) {
	d, ok := c.outbox.past.Undo()
	return takeBack(c, d, ok)
}

func redo(c Console) (Console, tea.Cmd) {
	d, ok := c.outbox.past.Redo()
	return takeBack(c, d, ok)
}

// takeBack sends what takes an act back. One at a time is under way: the next key waits for
// what this one leaves.
func takeBack(c Console, d past.Deed, ok bool) (Console, tea.Cmd) {
	if saving := slices.ContainsFunc(c.outbox.jobs, func(j job) bool { return j.envelope != nil }); saving || !ok {
		return c.say("The last act is being saved. Try again.")
	}
	if id := d.Item(); d.Agent == c.place.agent && id != "" && c.queue.Row(id) != nil {
		c.place.cursor = id
	}
	said := d.Said()
	if d.Agent != c.place.agent {
		said += " (" + model.Text(d.Agent).String() + ")"
	}
	return c.post(job{said: said, undo: &d, envelope: &model.Envelope{
		Key: c.fx.newKey(), Actor: model.Operator, Agent: d.Agent, Command: d.Command(),
	}})
}

// deedWords are what an act is called once it is done: "blocked wi-7f3k".
func deedWords(said string) string {
	first, _, _ := strings.Cut(said, ". ")
	if first == "" {
		return "the last act"
	}
	return strings.ToLower(first[:1]) + strings.TrimSuffix(first[1:], ".")
}
