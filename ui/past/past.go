// Package past remembers what an operator did in a session, so that it can be taken back and
// carried out again: an undo is a command of its own, which the rules refuse once its item
// moved on. Every door that has an operator shares it.
package past

import (
	"context"
	"errors"
	"slices"

	"vise/model"
)

// Past are the acts of a session that can be taken back, and those that were. Its zero value
// is a session in which nothing was done.
type Past struct{ done, undone []Deed }

// mostDeeds is how many acts can be taken back.
const mostDeeds = 100

// Did is p with one more act. What was undone before cannot be carried out again.
func (p Past) Did(d Deed) Past { return Past{done: latest(p.done, d)} }

// TookBack is p after its last act d was taken back, or carried out again.
func (p Past) TookBack(d Deed) Past {
	if d.Again() {
		return Past{latest(p.done, d.reversed()), without(p.undone)}
	}
	return Past{without(p.done), latest(p.undone, d.reversed())}
}

// Lost is p without d, which cannot be taken back any more.
func (p Past) Lost(d Deed) Past {
	if d.Again() {
		return Past{p.done, without(p.undone)}
	}
	return Past{without(p.done), p.undone}
}

// TooLate reports whether an error says that an act can never be taken back.
func TooLate(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && slices.Contains([]model.Code{model.CodeStale, model.CodeCompleted, model.CodeNotFound, model.CodeInvalid, model.CodeRefused}, e.Code)
}

// Undo is the act that would be taken back; ok is false when there is none.
func (p Past) Undo() (d Deed, ok bool) { return last(p.done) }

// Redo is the act that would be carried out again.
func (p Past) Redo() (d Deed, ok bool) { return last(p.undone) }

// Words name what Undo and Redo would do; empty: nothing.
func (p Past) Words() (undo, redo string) {
	d, _ := p.Undo()
	again, _ := p.Redo()
	return d.Words(), again.Words()
}

func last(ds []Deed) (Deed, bool) {
	if len(ds) == 0 {
		return Deed{}, false
	}
	return ds[len(ds)-1], true
}

func latest(ds []Deed, d Deed) []Deed {
	ds = append(ds[:len(ds):len(ds)], d)
	return ds[max(len(ds)-mostDeeds, 0):]
}

func without(ds []Deed) []Deed { return ds[:max(len(ds)-1, 0)] }

// Deed is an act that can be taken back.
type Deed struct {
	// Agent is whose item it changed.
	Agent model.AgentID
	undo  model.Undo
	// seen is the command where the act acknowledged, which changes no item; undo has then
	// only the words.
	seen []model.Acknowledge
}

// Command takes the act back, or carries it out again.
func (d Deed) Command() model.Command {
	switch len(d.seen) {
	case 0:
		return d.undo
	case 1:
		return d.seen[0]
	}
	return model.AcknowledgeAll{Items: d.seen}
}

// Said is what is told of the act once Command was carried out.
func (d Deed) Said() string {
	if d.Again() {
		return "Done again: " + d.Words()
	}
	return "Undone: " + d.Words()
}

// Words name the act: "blocked wi-7f3k".
func (d Deed) Words() string { return d.undo.What.String() }

// Item is the first item that the act changed; empty when it changed none.
func (d Deed) Item() model.ItemID {
	if len(d.undo.Items) == 0 {
		return ""
	}
	return d.undo.Items[0].WorkItemID
}

// Again: Command carries the act out again.
func (d Deed) Again() bool { return d.undo.Again }

func (d Deed) reversed() Deed {
	return Deed{Agent: d.Agent, undo: d.undo.Reversed(), seen: opposite(d.seen)}
}

// Ledger is what remembering needs of the ledger.
type Ledger interface {
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	View(context.Context, func(model.Reader) error) error
}

// Apply applies a command, and finds out how it can be taken back: nil when it cannot.
func Apply(ctx context.Context, l Ledger, env model.Envelope, words string) (model.Receipt, *Deed, error) {
	if seen := acknowledges(env.Command); len(seen) > 0 {
		return applySeen(ctx, l, env, seen, words)
	}
	ids := reversible(env.Command)
	if len(ids) == 0 {
		receipt, err := l.Apply(ctx, env)
		return receipt, nil, err
	}
	before := sceneOf(ctx, l, env.Agent, ids)
	receipt, err := l.Apply(ctx, env)
	if err != nil || receipt.Replayed {
		return receipt, nil, err
	}
	return receipt, before.deedTo(sceneOf(ctx, l, env.Agent, ids), env.Agent, words), nil
}

// applySeen acknowledges. Withdrawing that is refused when an item has changed since; items
// that were passed by are left out of it.
func applySeen(ctx context.Context, l Ledger, env model.Envelope, seen []model.Acknowledge, words string) (model.Receipt, *Deed, error) {
	receipt, err := l.Apply(ctx, env)
	if err != nil || receipt.Replayed {
		return receipt, nil, err
	}
	_, many := env.Command.(model.AcknowledgeAll)
	passed := func(x model.Acknowledge) bool {
		return many && !slices.ContainsFunc(receipt.Calls, func(r model.Receipt) bool { return r.WorkItemID == x.WorkItemID })
	}
	return receipt, &Deed{Agent: env.Agent, undo: model.Undo{What: model.Text(words)}, seen: opposite(slices.DeleteFunc(slices.Clone(seen), passed))}, nil
}

// Remembers reports whether a command of the operator's can be taken back.
func Remembers(c model.Command) bool { return len(acknowledges(c)) > 0 || len(reversible(c)) > 0 }

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

// opposite withdraws what was acknowledged, and acknowledges what was withdrawn.
func opposite(seen []model.Acknowledge) []model.Acknowledge {
	out := slices.Clone(seen)
	for i := range out {
		out[i].Withdraw = !out[i].Withdraw
	}
	return out
}

// Around does something to some items of an agent, and finds out how that can be taken back:
// nil when it cannot, or when do reports that it was not done.
func Around(ctx context.Context, l Ledger, agent model.AgentID, ids []model.ItemID, words string, do func() bool) *Deed {
	before := sceneOf(ctx, l, agent, ids)
	if !do() {
		return nil
	}
	return before.deedTo(sceneOf(ctx, l, agent, ids), agent, words)
}
