package console

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// remembered keeps how a command that was carried out is taken back. What cannot be taken
// back any more, because its item moved on, is forgotten.
func (o outbox) remembered(j job, m receiptMsg) outbox {
	if j.envelope == nil {
		return o
	}
	if undo, ok := j.envelope.Command.(model.Undo); ok && m.err != nil {
		o.undo = o.undo.Drop(undo, m.err)
	}
	if m.err == nil {
		o.undo = o.undo.Add(j.envelope.Agent, j.envelope.Command, m.receipt, undoWords(j.said))
	}
	return o
}

func undo(c Console) (Console, tea.Cmd) {
	e, ok := c.outbox.undo.Last(false)
	return takeBack(c, e, ok)
}

func redo(c Console) (Console, tea.Cmd) {
	e, ok := c.outbox.undo.Last(true)
	return takeBack(c, e, ok)
}

// takeBack sends what takes an act back. One at a time is under way: the next key waits for
// what this one leaves.
func takeBack(c Console, e model.UndoEntry, ok bool) (Console, tea.Cmd) {
	if saving := slices.ContainsFunc(c.outbox.jobs, func(j job) bool { return j.envelope != nil }); saving || !ok {
		return c.say("The last act is being saved. Try again.")
	}
	if id := e.Item(); e.Agent == c.place.agent && id != "" && c.queue.Row(id) != nil {
		c.place.cursor = id
	}
	said := e.Said()
	if e.Agent != c.place.agent {
		said += " (" + model.Text(e.Agent).String() + ")"
	}
	return c.post(job{said: said, envelope: &model.Envelope{
		Key: c.fx.newKey(), Actor: model.Operator, Agent: e.Agent, Command: e.Undo,
	}})
}

// undoWords are what an act is called once it is done: "blocked wi-7f3k".
func undoWords(said string) model.Text {
	first, _, _ := strings.Cut(said, ". ")
	if first == "" {
		return "the last act"
	}
	return model.Text(strings.ToLower(first[:1]) + strings.TrimSuffix(first[1:], "."))
}
