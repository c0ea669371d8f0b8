package todo

import "slices"

// Transition is a row of the lifecycle table. A pair that has no row is forbidden.
type Transition struct {
	From, To Status
	// Needs are the front matter keys that must hold a value afterwards.
	Needs []string
	// Clears are the keys that are emptied.
	Clears []string
	// When says what leads here; it is the history's reason when nobody gives one.
	When string
}

var (
	claimKeys     = []string{"assigned_to", "claimed_at"}
	rejectionKeys = []string{"resolution", "resolution_reason", "resolved_by", "resolved_at"}
	fixedKeys     = append(slices.Clip(rejectionKeys), "completed_by", "completed_at")
	blockedKeys   = []string{"dependencies"}
	interruptKeys = []string{"resolution_reason"}
	releaseKeys   = []string{"assigned_to", "claimed_at", "resolution_reason"}
)

// Transitions is the whole table. Where its sources disagree: a pending todo may be
// completed directly; everything that is not final may be rejected; a blocked todo whose
// claimant is gone becomes ready; blocked comes from in_progress only, because waiting
// on a dependency is derived for what is not yet claimed.
func Transitions() []Transition {
	return []Transition{
		{From: Pending, To: Ready, When: "triage approved"},
		{From: Pending, To: Complete, Needs: fixedKeys, When: "resolved directly"},
		{From: Pending, To: WontFix, Needs: rejectionKeys, When: "triage rejected"},
		{From: Ready, To: InProgress, Needs: claimKeys, When: "claimed"},
		{From: Ready, To: WontFix, Needs: rejectionKeys, When: "rejected"},
		{From: InProgress, To: Complete, Needs: fixedKeys, When: "finished"},
		{From: InProgress, To: Blocked, Needs: blockedKeys, When: "dependency found"},
		{From: InProgress, To: Interrupted, Needs: interruptKeys, When: "session or claimant ended"},
		{From: InProgress, To: WontFix, Needs: rejectionKeys, When: "rejected"},
		{From: Blocked, To: InProgress, Needs: claimKeys, When: "dependency resolved"},
		{From: Blocked, To: Ready, Clears: releaseKeys, When: "claimant gone"},
		{From: Blocked, To: WontFix, Needs: rejectionKeys, When: "rejected"},
		{From: Interrupted, To: Ready, Clears: releaseKeys, When: "resumed"},
		{From: Interrupted, To: WontFix, Needs: rejectionKeys, When: "rejected"},
	}
}

// table is Transitions, built once.
var table = Transitions()

// transition finds the row of a pair, or refuses with the reason that helps most.
func transition(t Todo, to Status) (Transition, error) {
	for _, row := range table {
		if row.From == t.Status && row.To == to {
			return row, nil
		}
	}
	switch {
	case t.Status.Final():
		return Transition{}, refuse(RuleFinal, "status", "%s is %s, which is final", t.Ref(), t.Status).
			hint("an operator can reopen it")
	case t.Status == InProgress && to == InProgress && t.AssignedTo != "":
		return Transition{}, refuse(RuleClaimed, "assigned_to", "%s is already claimed by %q", t.Ref(), t.AssignedTo.Raw()).
			hint("claim another with next --claim")
	}
	return Transition{}, refuse(RuleTransition, "status", "%s cannot go from %s to %s", t.Ref(), t.Status, to).
		hint(reachable(t.Status))
}

func reachable(from Status) string {
	s := "from " + string(from) + " it can go to"
	for _, row := range table {
		if row.From == from {
			s += " " + string(row.To)
		}
	}
	return s
}

// contract lists what must hold a value in a stored todo of a status.
func contract(s Status) []string {
	switch s {
	case InProgress:
		return claimKeys
	case Complete:
		return fixedKeys
	case WontFix:
		return rejectionKeys
	case Blocked:
		return blockedKeys
	case Interrupted:
		return interruptKeys
	}
	return nil
}

// ruleOf is the clause that asks for a key in a status.
func ruleOf(s Status, key string) Rule {
	switch {
	case s == InProgress:
		return RuleClaim
	case s == Blocked:
		return RuleBlocked
	case s == Interrupted:
		return RuleInterrupted
	case key == "completed_by" || key == "completed_at":
		return RuleCompletion
	}
	return RuleResolution
}

// missing lists the keys of the list that hold nothing in t.
func missing(t Todo, keys []string) []string {
	var out []string
	for _, f := range fields {
		if slices.Contains(keys, f.Key) && f.Of(t).empty() {
			out = append(out, f.Key)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return slices.Index(keys, a) - slices.Index(keys, b) })
	return out
}

// fields is Fields, built once.
var fields = Fields()

func (v Value) empty() bool {
	return v.Kind == Null || v.Kind == Absent || v.Text == "" && len(v.List) == 0 && len(v.Pairs) == 0
}
