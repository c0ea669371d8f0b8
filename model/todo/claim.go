package todo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
)

// Lease limits how long a claim counts. A claim without a lease was made by another tool.
type Lease struct {
	// ID is the fence. A change under a claim must show it, and a later claim has another.
	ID string `json:"id"`
	// PID is the claimant's process on Host, or 0 if it is not known.
	PID   int        `json:"pid,omitempty"`
	Host  model.Text `json:"host,omitempty"`
	Until model.Text `json:"until"`
}

// Liveness says whether a process is alive, as far as that is known.
type Liveness int

// Unknown is the answer for other hosts and for claims without a process.
const (
	Unknown Liveness = iota
	Alive
	Dead
)

// Probe reports whether a process is alive. A nil Probe knows of no process.
type Probe func(host string, pid int) Liveness

// IsZero reports whether there is no lease.
func (l Lease) IsZero() bool { return l == Lease{} }

// Over returns why a lease is over: its time has passed or its process is dead. It returns "" for a lease that still counts. An end that
// cannot be read has passed.
func (l Lease) Over(now time.Time, alive Probe) string {
	until, ok := TimeOf(l.Until)
	switch {
	case l.IsZero():
		return ""
	case !ok:
		return "the lease has no readable end"
	case !now.Before(until):
		return "the lease ran out at " + until.UTC().Format(time.RFC3339)
	case l.PID > 0 && alive != nil && alive(l.Host.Raw(), l.PID) == Dead:
		return "process " + strconv.Itoa(l.PID) + " of the claimant has ended"
	}
	return ""
}

// claimEnded begins the reason of a todo that was interrupted because its claim was over.
const claimEnded = "Claim ended: "

// Lapse is the move that interrupts a todo whose claim is over. ok is false for others, also for a claim without a lease.
func Lapse(t Todo, at time.Time, alive Probe) (m Move, ok bool) {
	why := t.Lease.Over(at, alive)
	return Move{At: at, Actor: Actor{Name: "sweep"}, To: Interrupted, ClaimOver: true, Reason: model.Text(claimEnded + why)},
		t.Status == InProgress && why != ""
}

// lapsed reports whether a todo only waits for a new claimant, because its last one is gone.
func lapsed(t Todo, at time.Time, alive Probe) bool {
	_, over := Lapse(t, at, alive)
	return over || t.Status == Interrupted && strings.HasPrefix(t.Reason.Raw(), claimEnded)
}

// Freed returns the todos with those ready whose claim is over, for Next when no other is ready. Take claims one of them.
func (x *Index) Freed(at time.Time, alive Probe) *Index {
	all := slices.Clone(x.All())
	for i := range all {
		if t := &all[i]; lapsed(*t, at, alive) {
			t.Status, t.AssignedTo, t.Lease = Ready, "", Lease{}
		}
	}
	return NewIndex(all)
}

// Take claims a todo. If its last claim is over, the history has the interruption and the return first.
func Take(t Todo, m Move, alive Probe, among *Index) (Change, error) {
	return walk(t, among, InProgress, func(now Todo) Move {
		end, over := Lapse(now, m.At, alive)
		if !over && lapsed(now, m.At, alive) {
			end.To, end.Reason, over = Ready, "", true
		}
		if over {
			return end
		}
		return m
	})
}

// Live reports whether the claim of l still counts. Without a lease that is not known, and Live reports false.
func (l Lease) Live(now time.Time, alive Probe) bool { return !l.IsZero() && l.Over(now, alive) == "" }

func (l Lease) value() Value {
	if l.IsZero() {
		return Value{Kind: Absent}
	}
	pairs := []string{"id", OneLine(l.ID)}
	if l.PID > 0 {
		pairs = append(pairs, "pid", strconv.Itoa(l.PID), "host", OneLine(l.Host.Raw()))
	}
	return Value{Kind: Mapping, Pairs: append(pairs, "until", OneLine(l.Until.Raw()))}
}

// Actor is the author of a change. An operator is a person; agents and programs are not.
type Actor struct {
	Name     model.Text
	Operator bool
}

// User is the operator's name in files.
const User = "user"

// holds refuses a change of a claimed todo by an actor other than the claimant or the operator.
func holds(t Todo, m Move) error {
	if t.AssignedTo == "" || t.Status != InProgress && t.Status != Blocked {
		return nil
	}
	if m.Fence != "" && m.Fence != t.Lease.ID {
		return Refuse(RuleFence, "lease", "%s was claimed again since: this claim is lost", t.Ref()).
			WithHint("leave the todo; claim another with next --claim")
	}
	if m.ClaimOver || m.Actor.Operator || m.Actor.Name == t.AssignedTo {
		return nil
	}
	return Refuse(ruleClaimant, "assigned_to", "%s is claimed by %q, not by %q", t.Ref(), t.AssignedTo.Raw(), m.Actor.Name.Raw()).
		WithHint("only its claimant or the operator may do this")
}

// Renew prolongs a claim of the actor. Two processes can have the same name, so while the lease counts, the actor must also show its fence
// or its process. The claim keeps its fence, unless the claim was over: then a process that still shows the old fence has lost it.
func Renew(t Todo, m Move, _ *Index) (Change, error) {
	if t.Status != InProgress {
		return Change{}, Refuse(RuleClaim, "status", "%s is %s: there is no claim to prolong", t.Ref(), t.Status)
	}
	if err := holds(t, m); err != nil {
		return Change{}, err
	}
	if err := m.Named(); err != nil {
		return Change{}, err
	}
	mine := m.Fence != "" || t.Lease.PID > 0 && t.Lease.PID == m.Lease.PID && t.Lease.Host == m.Lease.Host
	if !t.Lease.IsZero() && !m.ClaimOver && !mine && !(m.Force && m.Actor.Operator) {
		return Change{}, Refuse(RuleClaimed, "lease", "%s is claimed by %q until %s", t.Ref(), t.AssignedTo.Raw(), t.Lease.Until.Raw()).
			WithHint("prolong your claim with its --fence, or with the --pid that it was made with; claim another with next --claim")
	}
	after := t
	after.Lease = m.Lease
	if t.Lease.ID != "" && !m.ClaimOver {
		after.Lease.ID = t.Lease.ID
	}
	return Change{Before: t, After: after}, nil
}

// Resume makes an interrupted todo ready again, or a blocked one whose claimant is gone. It never approves a pending todo.
func Resume(t Todo, m Move, among *Index) (Change, error) {
	if t.Status != Interrupted && t.Status != Blocked {
		return Change{}, Refuse(ruleTransition, "status", "%s is %s: there is nothing to resume", t.Ref(), t.Status).
			WithHint("triage approves what is pending")
	}
	m.To = Ready
	return Judge(t, m, among)
}

// Defer leaves a pending todo for later, without any change of it.
func Defer(t Todo, _ Move, _ *Index) (Change, error) {
	if t.Status == Pending {
		return Change{Before: t, After: t}, nil
	}
	return Change{}, Refuse(ruleTransition, "status", "%s is %s: only what is pending can be deferred", t.Ref(), t.Status)
}

// Reopen gives a final todo the status that it had before, from its history, or pending if the history does not tell it. Only an operator
// can reopen, and the history records that. The fields of the resolution are cleared; the history keeps it.
func Reopen(t Todo, m Move, _ *Index) (Change, error) {
	switch {
	case !t.Status.Final():
		return Change{}, Refuse(ruleNotFinal, "status", "%s is %s: there is nothing to reopen", t.Ref(), t.Status)
	case !m.Actor.Operator:
		return Change{}, Refuse(RuleOperator, "actor", "only an operator can reopen %s", t.Ref()).
			WithHint("complete and wont_fix are final for agents")
	}
	to, ok := t.Prior()
	if !ok || to.Final() {
		to = Pending
	}
	c := Change{Before: t, After: reopened(t, to, m)}
	if len(missing(c.After, contract[to])) > 0 {
		c.After = reopened(t, Ready, m)
	}
	if t.DuplicateOf != "" {
		c.Unlink = t.DuplicateOf.In(t.Source)
	}
	c.record(m, cmp.Or(m.Reason, model.Text("Reopened: was "+string(t.Resolution))))
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

// SessionEnded is the reason that the cleanup of a session gives.
const SessionEnded = "Session ended before completion"

// without returns refs without gone.
func without(refs []Ref, gone Ref) []Ref {
	if gone == "" {
		return refs
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r Ref) bool { return r == gone })
}

// Related returns t with one more related ref.
func Related(t Todo, other Ref) Todo {
	t.Related = union(t.Related, []Ref{other})
	return t
}

// Unrelated returns t without a related ref.
func Unrelated(t Todo, other Ref) Todo {
	t.Related = without(t.Related, other)
	return t
}

// Reprioritise changes the priority of an open todo, as part of triage.
func Reprioritise(t Todo, m Move, _ *Index) (Change, error) {
	if t.Status.Final() {
		return Change{}, Refuse(ruleFinal, "priority", "%s is %s, which is final", t.Ref(), t.Status)
	}
	after := t
	after.Priority, after.Updated = m.Priority, Day(m.At)
	return Change{Before: t, After: after}, nil
}

// TakeBack undoes a decision of triage: an approved todo is pending again, and a closed todo has its earlier status again.
func TakeBack(t Todo, m Move, among *Index) (Change, error) {
	if t.Status == Ready {
		return Unapprove(t, m, among)
	}
	return Reopen(t, m, among)
}

// Unapprove takes back a triage's approval of an unclaimed todo: it becomes pending again. Only an operator can do this, and the history
// records it.
func Unapprove(t Todo, m Move, _ *Index) (Change, error) {
	switch {
	case t.Status != Ready || t.AssignedTo != "":
		return Change{}, Refuse(ruleTransition, "status", "%s is %s: there is no approval to take back", t.Ref(), t.Status).
			WithHint("only what is ready and unclaimed can be pending again")
	case !m.Actor.Operator:
		return Change{}, Refuse(RuleOperator, "actor", "only an operator can take the approval of %s back", t.Ref())
	}
	c := Change{Before: t, After: t}
	c.After.Status, c.After.Updated = Pending, Day(m.At)
	c.record(m, cmp.Or(m.Reason, "Approval taken back"))
	return c, nil
}
