package todo

import (
	"slices"
	"strings"
	"time"

	"vise/model"
)

// Move is a change of a todo's status that somebody wants. Which of its facts are needed, the table says.
type Move struct {
	To    Status
	Actor Actor
	At    time.Time
	// Reason becomes the resolution's reason and the history's. A move that needs none
	// may still give one.
	Reason      model.Text
	Resolution  Resolution
	DuplicateOf Ref
	// Dependencies are added when a todo becomes blocked.
	Dependencies []Ref
	// Owner is who will work on a claimed todo.
	Owner model.Text
	Lease Lease
	// Fence, when given, must be the id of the present lease.
	Fence string
	// ClaimOver says that the claim is known to be over: its lease, process or session ended.
	ClaimOver bool
	// Approve lets a claim take a pending todo: two rows of history.
	Approve bool
	// Force lets an operator start what waits on dependencies, and take over a claim.
	Force bool
}

// Change is what a granted move does.
type Change struct {
	Before, After Todo
	// Rows are appended to the Status History, oldest first.
	Rows []Row
	// Backlink is the todo that gains After's ref among its related ones, Unlink the one
	// that loses it.
	Backlink, Unlink Ref
}

// Judge grants or refuses a move. Among is every todo of the session.
func Judge(t Todo, m Move, among *Index) (Change, error) {
	if _, err := ParseStatus(string(t.Status)); err != nil {
		return Change{}, refuse(RuleStatus, "status", "%s has the unknown status %q", t.Ref(), string(t.Status))
	}
	if m.Approve && t.Status == Pending && m.To == InProgress {
		return approveAndClaim(t, m, among)
	}
	row, err := transition(t, m.To)
	if err != nil {
		return Change{}, err
	}
	c := Change{Before: t, After: outcome(t, row, m)}
	if err := firstMissing(c.After, row); err != nil {
		return Change{}, err
	}
	if err := guard(t, c.After, m, among); err != nil {
		return Change{}, err
	}
	c.Rows = []Row{{At: Stamp(m.At), From: t.Status, To: m.To, Actor: m.Actor.Name, Reason: m.reason(row)}}
	c.After.History = append(slices.Clip(t.History), c.Rows...)
	if m.To == WontFix && m.Resolution == Duplicate {
		c.Backlink = m.DuplicateOf.In(t.Source)
	}
	return c, nil
}

func approveAndClaim(t Todo, m Move, among *Index) (Change, error) {
	approve := m
	approve.To, approve.Approve, approve.Reason = Ready, false, "Approved by its claim"
	first, err := Judge(t, approve, among)
	if err != nil {
		return Change{}, err
	}
	second, err := Judge(first.After, m, among)
	if err != nil {
		return Change{}, err
	}
	second.Before, second.Rows = t, append(first.Rows, second.Rows...)
	return second, nil
}

// outcome is t as the move leaves it, before anybody asked whether it may.
func outcome(t Todo, row Transition, m Move) Todo {
	after := t
	after.Status, after.Updated = m.To, Day(m.At)
	if len(row.Clears) > 0 {
		after.AssignedTo, after.ClaimedAt, after.Reason = "", "", ""
	}
	after.Lease = Lease{}
	switch m.To {
	case InProgress:
		after.Lease = m.Lease
		if t.Status != Blocked {
			after.AssignedTo, after.ClaimedAt = m.Owner, Stamp(m.At)
		}
	case Blocked:
		after.Lease = t.Lease
		after.Dependencies = union(t.Dependencies, m.Dependencies)
	case Interrupted:
		after.Reason = m.Reason
	case Complete:
		after.Outcome = Outcome{m.Resolution, m.Reason, m.Actor.Name, Stamp(m.At), m.Actor.Name, Stamp(m.At), ""}
	case WontFix:
		after.Outcome = Outcome{m.Resolution, m.Reason, m.Actor.Name, Stamp(m.At), "", "", ""}
		if m.Resolution == Duplicate && m.DuplicateOf != "" {
			after.DuplicateOf = m.DuplicateOf
			after.Related = union(t.Related, []Ref{m.DuplicateOf})
		}
	}
	return after
}

func firstMissing(after Todo, row Transition) error {
	lacks := missing(after, row.Needs)
	if len(lacks) == 0 {
		return nil
	}
	return refuse(ruleOf(row.To, lacks[0]), lacks[0], "%s needs %s to become %s",
		after.Ref(), strings.Join(lacks, ", "), row.To)
}

// guard asks what the table cannot say: who, which resolution, what else exists.
func guard(t, after Todo, m Move, among *Index) error {
	if m.Actor.Name == "" || m.At.IsZero() {
		return refuse(RuleActor, "actor", "a change of %s needs to say who made it, and when", t.Ref())
	}
	if err := fits(t, m); err != nil {
		return err
	}
	if err := holds(t, m); err != nil {
		return err
	}
	switch m.To {
	case InProgress:
		return mayStart(t, after, m, among)
	case Blocked:
		return mayWait(t, m, among)
	case WontFix:
		if m.Resolution == Duplicate {
			return duplicateTarget(t, m.DuplicateOf, among)
		}
	}
	return nil
}

func fits(t Todo, m Move) error {
	switch {
	case m.To == Complete && m.Resolution != Fixed:
		return refuse(RuleFixed, "resolution", "%s cannot be complete with the resolution %q", t.Ref(), string(m.Resolution)).
			hint("complete means fixed; resolve it as wont_fix for other resolutions")
	case m.To == WontFix && !m.Resolution.Fits(WontFix):
		return refuse(RuleRejection, "resolution", "%s cannot be wont_fix with the resolution %q", t.Ref(), string(m.Resolution)).
			hint("one of false_positive, duplicate, wont_fix, out_of_scope, superseded")
	}
	return nil
}

func mayStart(t, after Todo, m Move, among *Index) error {
	forced := m.Force && m.Actor.Operator
	if t.Status == Ready && t.AssignedTo != "" && t.AssignedTo != after.AssignedTo && !forced {
		return refuse(RuleClaimed, "assigned_to", "%s is assigned to %q", t.Ref(), t.AssignedTo.Raw()).
			hint("claim another with next --claim")
	}
	waits := among.Waiting(t)
	if len(waits) == 0 || forced {
		return nil
	}
	return refuse(RuleWaiting, "dependencies", "%s waits on %s", t.Ref(), joinWaits(waits)).
		hint("an operator can start it with --force")
}

func mayWait(t Todo, m Move, among *Index) error {
	for _, d := range m.Dependencies {
		dep := d.In(t.Source)
		if dep == t.Ref() {
			return refuse(RuleSelf, "dependencies", "%s cannot wait on itself", t.Ref())
		}
		if _, ok := among.Find(dep); !ok {
			return refuse(RuleDangling, "dependencies", "%s does not exist, so %s cannot wait on it", dep, t.Ref())
		}
		if among.reaches(dep, t.Ref()) {
			return refuse(RuleCycle, "dependencies", "%s already waits on %s", dep, t.Ref())
		}
	}
	return nil
}

func duplicateTarget(t Todo, target Ref, among *Index) error {
	ref := target.In(t.Source)
	switch {
	case target == "":
		return refuse(RuleDuplicate, "duplicate_of", "%s needs duplicate_of to be a duplicate", t.Ref())
	case ref == t.Ref():
		return refuse(RuleDuplicate, "duplicate_of", "%s cannot be a duplicate of itself", t.Ref())
	}
	if _, ok := among.Find(ref); !ok {
		return refuse(RuleDuplicate, "duplicate_of", "%s does not exist, so %s cannot be its duplicate", ref, t.Ref())
	}
	if among.follow(ref) == t.Ref() {
		return refuse(RuleDuplicate, "duplicate_of", "%s is itself a duplicate of %s", ref, t.Ref())
	}
	return nil
}

// reason is what the history says when the author said nothing.
func (m Move) reason(row Transition) model.Text {
	switch {
	case m.Reason != "":
		return m.Reason
	case m.To == Blocked:
		return model.Text("Blocked by: " + joinRefs(m.Dependencies))
	}
	return model.Text(strings.ToUpper(row.When[:1]) + row.When[1:])
}

func union(a, b []Ref) []Ref {
	out := slices.Clip(a)
	for _, r := range b {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

func joinRefs(refs []Ref) string {
	words := make([]string, len(refs))
	for i, r := range refs {
		words[i] = r.Raw()
	}
	return strings.Join(words, ", ")
}
