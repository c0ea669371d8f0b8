package todo

import (
	"slices"

	"vise/model"
)

// Reopen gives a final todo the status that it had before, as its history tells; pending
// when the history tells nothing. Only an operator may, and the history says so. What the
// resolution left behind is cleared, the history of it stays.
func Reopen(t Todo, m Move) (Change, error) {
	switch {
	case !t.Status.Final():
		return Change{}, refuse(RuleNotFinal, "status", "%s is %s: there is nothing to reopen", t.Ref(), t.Status)
	case !m.Actor.Operator:
		return Change{}, refuse(RuleOperator, "actor", "only an operator can reopen %s", t.Ref()).
			hint("complete and wont_fix are final for agents")
	}
	to, ok := t.Prior()
	if !ok || to.Final() {
		to = Pending
	}
	c := Change{Before: t, After: reopened(t, to, m)}
	if len(missing(c.After, contract(to))) > 0 {
		to = Ready
		c.After = reopened(t, to, m)
	}
	if t.DuplicateOf != "" {
		c.Unlink = t.DuplicateOf.In(t.Source)
	}
	reason := m.Reason
	if reason == "" {
		reason = model.Text("Reopened: was " + string(t.Resolution))
	}
	c.Rows = []Row{{At: Stamp(m.At), From: t.Status, To: to, Actor: m.Actor.Name, Reason: reason}}
	c.After.History = append(slices.Clip(t.History), c.Rows...)
	return c, nil
}

func reopened(t Todo, to Status, m Move) Todo {
	after := t
	after.Status, after.Updated = to, Day(m.At)
	after.Related = without(t.Related, t.DuplicateOf)
	after.Outcome = Outcome{}
	if to == Interrupted {
		after.Reason = SessionEnded
	}
	if to == Pending || to == Ready {
		after.AssignedTo, after.ClaimedAt = "", ""
	}
	return after
}

// SessionEnded is the reason that a session's cleanup gives.
const SessionEnded = "Session ended before completion"

// Without is refs lacking one.
func without(refs []Ref, gone Ref) []Ref {
	if gone == "" {
		return refs
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r Ref) bool { return r == gone })
}

// Related is t with one more related ref.
func Related(t Todo, other Ref) Todo {
	t.Related = union(t.Related, []Ref{other})
	return t
}

// Unrelated is t without a related ref.
func Unrelated(t Todo, other Ref) Todo {
	t.Related = without(t.Related, other)
	return t
}

// Reprioritise is triage's word on how much an open todo matters.
func Reprioritise(t Todo, p Priority, m Move) (Change, error) {
	if t.Status.Final() {
		return Change{}, refuse(RuleFinal, "priority", "%s is %s, which is final", t.Ref(), t.Status)
	}
	after := t
	after.Priority, after.Updated = p, Day(m.At)
	return Change{Before: t, After: after}, nil
}

// Unapprove takes a triage's approval back while nobody has claimed the todo: it is
// pending again. Only an operator may, and the history says so.
func Unapprove(t Todo, m Move) (Change, error) {
	switch {
	case t.Status != Ready || t.AssignedTo != "":
		return Change{}, refuse(RuleTransition, "status", "%s is %s: there is no approval to take back", t.Ref(), t.Status).
			hint("only what is ready and unclaimed can be pending again")
	case !m.Actor.Operator:
		return Change{}, refuse(RuleOperator, "actor", "only an operator can take the approval of %s back", t.Ref())
	}
	after := t
	after.Status, after.Updated = Pending, Day(m.At)
	reason := m.Reason
	if reason == "" {
		reason = "Approval taken back"
	}
	c := Change{Before: t, After: after, Rows: []Row{{At: Stamp(m.At), From: Ready, To: Pending, Actor: m.Actor.Name, Reason: reason}}}
	c.After.History = append(slices.Clip(t.History), c.Rows...)
	return c, nil
}
