package e2e

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// call is one command of a history, answer its result.
type call struct {
	kind        kind
	agent, item string
	text        string
}

type answer struct {
	// code is the code of a refusal; the other fields belong to an accepted command.
	code string
	// from is the focus before a pick; first means that it was the first completion.
	from  string
	first bool
	// reached is the number of waits that a trigger reached.
	reached int
	// seen and focus are the results of a read.
	seen  item
	focus string
}

type kind string

// The kinds of commands in a history.
const (
	create   kind = "create"
	rename   kind = "rename"
	plan     kind = "plan"
	block    kind = "block"
	unblock  kind = "unblock"
	park     kind = "wait"
	ring     kind = "trigger"
	pick     kind = "pick"
	takeUp   kind = "pick and clear"
	finish   kind = "complete"
	look     kind = "look"
	released      = "completed" // the refusal's code for a completed item
)

// item is what a read returns of an item. The zero item does not exist yet.
type item struct {
	there, done        bool
	objective, blocked string
	needsInput, parked bool
	triggers           int
	// looked is the number of triggers that a pick looked at; a read does not return it.
	looked int
}

// step is the model of one item: whether an answer is possible in a state, and the next state.
func (x item) step(c call, a answer) (bool, item) {
	if c.kind == create {
		return !x.there && a.code == "", item{there: true, objective: c.text}
	}
	if c.kind == look {
		told := x
		told.looked = 0
		return told == a.seen, x
	}
	if c.kind == finish {
		ok := a.code == "" && a.first == !x.done
		return ok, item{there: true, done: true, objective: x.objective, needsInput: x.needsInput}
	}
	if x.done {
		return a.code == released, x
	}
	if c.kind == ring && !x.parked {
		return a.code == "not_found", x
	}
	if a.code != "" {
		return false, x
	}
	switch c.kind {
	case rename:
		x.objective = c.text
	case plan:
		x.needsInput = c.text == "needs_input"
	case block:
		x.blocked = c.text
	case unblock, takeUp:
		x.blocked, x.parked, x.triggers, x.looked = "", false, 0, 0
	case pick:
		x.looked = x.triggers
	case park: // all waits have the same resource; an unseen trigger goes to the new wait once
		x.blocked, x.parked, x.triggers = c.text, true, x.triggers-x.looked
		x.looked = x.triggers
	case ring:
		x.triggers++
		return a.reached == 1, x
	}
	return x.there, x
}

// pointer is the model of an agent's focus.
type pointer string

func (p pointer) step(c call, a answer) (bool, pointer) {
	switch {
	case c.kind == look:
		return string(p) == a.focus, p
	case a.code != "":
		return true, p
	case c.kind == pick || c.kind == takeUp:
		return string(p) == a.from, pointer(c.item)
	case c.kind == block || c.kind == park || c.kind == finish || c.kind == plan && c.text == "needs_input":
		if string(p) == c.item {
			return true, ""
		}
	}
	return true, p
}

// lifecycle is the model of both. Each item and each agent's focus is a partition.
var lifecycle = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		parts := map[string][]porcupine.Operation{}
		for _, o := range all {
			c := o.Input.(call)
			parts["item "+c.item] = append(parts["item "+c.item], o)
			if c.kind != create && c.kind != rename && c.kind != ring && c.kind != unblock {
				o.Input = focusCall(c)
				parts["focus "+c.agent] = append(parts["focus "+c.agent], o)
			}
		}
		var out [][]porcupine.Operation
		for _, p := range parts {
			out = append(out, p)
		}
		return out
	},
	Init: func() any { return nil },
	Step: func(state, in, out any) (bool, any) {
		if c, ok := in.(focusCall); ok {
			p, _ := state.(pointer)
			ok, next := p.step(call(c), out.(answer))
			return ok, next
		}
		x, _ := state.(item)
		ok, next := x.step(in.(call), out.(answer))
		return ok, next
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v → %+v", in, out) },
	DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
}

// focusCall is a call as the focus's partition sees it.
type focusCall call
