package todo

import (
	"strconv"
	"time"

	"vise/model"
)

// Lease bounds the belief in a claim. A claim without one was made by another tool.
type Lease struct {
	// ID is the fence: whoever acts under a claim shows it, and a later claim has another.
	ID string `json:"id"`
	// PID is the claimant's process on Host; 0 when it is not known.
	PID   int        `json:"pid,omitempty"`
	Host  model.Text `json:"host,omitempty"`
	Until model.Text `json:"until"`
}

// Liveness is what is known of a process.
type Liveness int

// Unknown is the answer for other hosts and unnamed processes.
const (
	Unknown Liveness = iota
	Alive
	Dead
)

// Probe tells whether a process lives.
type Probe func(host string, pid int) Liveness

// NoProbe knows of no process.
func NoProbe(string, int) Liveness { return Unknown }

// IsZero reports whether there is no lease.
func (l Lease) IsZero() bool { return l == Lease{} }

// Over says why a lease no longer holds, or "" while it does: its time is past, or its
// process is dead. An unreadable end is past.
func (l Lease) Over(now time.Time, alive Probe) string {
	until, ok := TimeOf(l.Until)
	switch {
	case l.IsZero():
		return ""
	case !ok:
		return "the lease has no readable end"
	case !now.Before(until):
		return "the lease ran out at " + until.UTC().Format(time.RFC3339)
	case l.PID > 0 && alive(l.Host.Raw(), l.PID) == Dead:
		return "process " + itoa(l.PID) + " of the claimant has ended"
	}
	return ""
}

func (l Lease) value() Value {
	if l.IsZero() {
		return Value{Kind: Absent}
	}
	pairs := []string{"id", OneLine(l.ID)}
	if l.PID > 0 {
		pairs = append(pairs, "pid", itoa(l.PID), "host", OneLine(l.Host.Raw()))
	}
	return Value{Kind: Mapping, Pairs: append(pairs, "until", OneLine(l.Until.Raw()))}
}

// Actor is who acts. An operator is a person; agents and programs are not.
type Actor struct {
	Name     model.Text
	Operator bool
}

// User is the operator's name in files.
const User = "user"

// holds refuses an act on a claimed todo by anyone but its claimant or the operator.
func holds(t Todo, m Move) error {
	if t.AssignedTo == "" || t.Status != InProgress && t.Status != Blocked {
		return nil
	}
	if m.Fence != "" && m.Fence != t.Lease.ID {
		return refuse(RuleFence, "lease", "%s was claimed again since: this claim is lost", t.Ref()).
			hint("leave the todo; claim another with next --claim")
	}
	if m.ClaimOver || m.Actor.Operator || m.Actor.Name == t.AssignedTo {
		return nil
	}
	return refuse(RuleClaimant, "assigned_to", "%s is claimed by %q, not by %q", t.Ref(), t.AssignedTo.Raw(), m.Actor.Name.Raw()).
		hint("only its claimant or the operator may do this")
}

// Renew prolongs a claim of the actor's own. It keeps its fence, unless the claim was over:
// then whoever still shows the old one has lost it.
func Renew(t Todo, m Move) (Change, error) {
	if t.Status != InProgress {
		return Change{}, refuse(RuleClaim, "status", "%s is %s: there is no claim to prolong", t.Ref(), t.Status)
	}
	if err := holds(t, m); err != nil {
		return Change{}, err
	}
	after := t
	after.Lease = m.Lease
	if t.Lease.ID != "" && !m.ClaimOver {
		after.Lease.ID = t.Lease.ID
	}
	return Change{Before: t, After: after}, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
