package console

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// past are the operator's acts of this session that can be taken back, and those that
// were, the newest last.
type past struct{ done, undone []deed }

// deed is an act, and the command that takes it back or carries it out again.
type deed struct {
	agent model.AgentID
	undo  model.Undo
	// seen is that command where the act acknowledged, which changes no item; undo has then
	// only the words.
	seen []model.Acknowledge
}

// command takes the act back, or carries it out again.
func (d deed) command() model.Command {
	switch len(d.seen) {
	case 0:
		return d.undo
	case 1:
		return d.seen[0]
	}
	return model.AcknowledgeAll{Items: d.seen}
}

// remembers reports whether a command of the operator's can be taken back.
func remembers(c model.Command) bool {
	return len(acknowledges(c)) > 0 || reversible(c) != nil
}

// acknowledges are the acknowledgements of a command; none for any other.
func acknowledges(c model.Command) []model.Acknowledge {
	switch c := c.(type) {
	case model.Acknowledge:
		return []model.Acknowledge{c}
	case model.AcknowledgeAll:
		return c.Items
	}
	return nil
}

// mostDeeds is how many acts can be taken back.
const mostDeeds = 100

// reversible are the items that a command changes in a way that can be taken back; none
// for a command that has no undo.
func reversible(c model.Command) (ids []model.ItemID) {
	switch c := c.(type) {
	case model.PickWorkItem:
		return []model.ItemID{c.WorkItemID}
	case model.UpdateWorkItem:
		return []model.ItemID{c.WorkItemID}
	case model.WaitFor:
		return []model.ItemID{c.WorkItemID}
	case model.Batch:
		for _, call := range c.Calls {
			ids = append(ids, reversible(call.Command)...)
		}
	}
	return ids
}

// applyRemembering applies a command, and finds out how it can be taken back.
func (e *effects) applyRemembering(seq int, env model.Envelope, what string) tea.Cmd {
	return func() tea.Msg {
		if seen := acknowledges(env.Command); len(seen) > 0 {
			return e.applySeen(seq, env, seen, what)
		}
		ids := reversible(env.Command)
		before := e.scene(env.Agent, ids)
		receipt, err := e.Ledger.Apply(e.ctx, env)
		m := receiptMsg{seq: seq, receipt: receipt, at: e.now(), err: err}
		if err == nil && !receipt.Replayed {
			m.deed = before.deedTo(e.scene(env.Agent, ids), env.Agent, what)
		}
		return m
	}
}

// applySeen acknowledges. Withdrawing that is refused when an item has changed since; items
// that were passed by are left out of it.
func (e *effects) applySeen(seq int, env model.Envelope, seen []model.Acknowledge, what string) tea.Msg {
	receipt, err := e.Ledger.Apply(e.ctx, env)
	m := receiptMsg{seq: seq, receipt: receipt, at: e.now(), err: err}
	if err == nil && !receipt.Replayed {
		_, many := env.Command.(model.AcknowledgeAll)
		passed := func(x model.Acknowledge) bool {
			return many && !slices.ContainsFunc(receipt.Calls, func(r model.Receipt) bool { return r.WorkItemID == x.WorkItemID })
		}
		m.deed = &deed{agent: env.Agent, undo: model.Undo{What: model.Text(what)}, seen: opposite(slices.DeleteFunc(slices.Clone(seen), passed))}
	}
	return m
}

// opposite withdraws what was acknowledged, and acknowledges what was withdrawn.
func opposite(seen []model.Acknowledge) []model.Acknowledge {
	out := slices.Clone(seen)
	for i := range out {
		out[i].Withdraw = !out[i].Withdraw
	}
	return out
}

// scene is how some items of an agent stand at one revision, and where its focus is.
type scene struct {
	focus model.ItemID
	items []scenery
	known bool
}

type scenery struct {
	id       model.ItemID
	revision uint64
	model.Standing
}

func (e *effects) scene(agent model.AgentID, ids []model.ItemID) (s scene) {
	err := e.Ledger.View(e.ctx, func(r model.Reader) error {
		s.known = true
		a, _ := r.Agent(agent)
		s.focus = a.CurrentWorkItemID
		for _, id := range ids {
			w, ok := r.Item(id)
			s.known = s.known && ok
			s.items = append(s.items, scenery{id, w.Revision, model.StandingOf(r, w)})
		}
		return nil
	})
	s.known = s.known && err == nil
	return s
}

// deedTo is the act that led from s to after; nil when nothing changed, or when somebody
// else changed an item in between.
func (s scene) deedTo(after scene, agent model.AgentID, what string) *deed {
	if !s.known || !after.known {
		return nil
	}
	u := model.Undo{What: model.Text(what)}
	for i, x := range s.items {
		y := after.items[i]
		if y.revision > x.revision+1 {
			return nil
		}
		if !x.Same(y.Standing) {
			u.Items = append(u.Items, model.Restored{WorkItemID: x.id, Left: y.Standing, Back: x.Standing})
		}
	}
	if s.focus != after.focus {
		u.Focus = &model.Refocus{Left: after.focus, Back: s.focus}
	}
	if len(u.Items) == 0 && u.Focus == nil {
		return nil
	}
	return &deed{agent: agent, undo: u}
}

// remembered keeps an act that was carried out, or moves one that was taken back.
func (c Console) remembered(j job, m receiptMsg) Console {
	p := &c.outbox.past
	switch {
	case j.undo == nil && m.deed != nil:
		p.done, p.undone = latest(p.done, *m.deed), nil
	case j.undo == nil:
	case j.undo.undo.Again:
		p.done, p.undone = latest(p.done, j.undo.reversed()), without(p.undone)
	default:
		p.done, p.undone = without(p.done), latest(p.undone, j.undo.reversed())
	}
	return c
}

func (d deed) reversed() deed {
	return deed{agent: d.agent, undo: d.undo.Reversed(), seen: opposite(d.seen)}
}

func latest(ds []deed, d deed) []deed {
	ds = append(ds[:len(ds):len(ds)], d)
	return ds[max(len(ds)-mostDeeds, 0):]
}

func without(ds []deed) []deed { return ds[:max(len(ds)-1, 0)] }

// tooLate forgets an act that cannot be taken back any more, because its item moved on.
func (c Console) tooLate(j job, err error) Console {
	switch code := coded(err); {
	case j.undo == nil || code != model.CodeStale && code != model.CodeCompleted && code != model.CodeNotFound && code != model.CodeInvalid && code != model.CodeRefused:
	case j.undo.undo.Again:
		c.outbox.past.undone = without(c.outbox.past.undone)
	default:
		c.outbox.past.done = without(c.outbox.past.done)
	}
	return c
}

func (c Console) undo() (Console, tea.Cmd) { return c.takeBack(c.outbox.past.done, "Undone: ") }
func (c Console) redo() (Console, tea.Cmd) { return c.takeBack(c.outbox.past.undone, "Done again: ") }

// takeBack sends the last of some deeds. One at a time is under way: the next key waits
// for what this one leaves.
func (c Console) takeBack(ds []deed, said string) (Console, tea.Cmd) {
	for _, j := range c.outbox.jobs {
		if j.envelope != nil {
			return c.say("The last act is being saved. Try again.")
		}
	}
	d := ds[len(ds)-1]
	if ids := d.undo.Items; d.agent == c.place.agent && len(ids) > 0 && c.queue.row(ids[0].WorkItemID) != nil {
		c.place.cursor = ids[0].WorkItemID
	}
	said += d.undo.What.String()
	if d.agent != c.place.agent {
		said += " (" + model.Text(d.agent).String() + ")"
	}
	return c.post(job{said: said, undo: &d, envelope: &model.Envelope{
		Key: c.fx.newKey(), Actor: model.Operator, Agent: d.agent, Command: d.command(),
	}})
}

// lastWords names the newest of some deeds, for who asks what undo would do.
func lastWords(ds []deed) string {
	if len(ds) == 0 {
		return ""
	}
	return ds[len(ds)-1].undo.What.String()
}

// deedWords are what an act is called once it is done: "blocked wi-7f3k".
func deedWords(said string) string {
	first, _, _ := strings.Cut(said, ". ")
	if first == "" {
		return "the last act"
	}
	return strings.ToLower(first[:1]) + strings.TrimSuffix(first[1:], ".")
}
