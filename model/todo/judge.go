package todo

import (
	"slices"
	"strings"
	"time"

	"vise/model"
)

// Move is a requested change of a todo's status. The table says which of the fields it needs.
type Move struct {
	To    Status
	Actor Actor
	At    time.Time
	// Reason becomes the reason in the resolution and in the history. It is optional for a move that needs none.
	Reason      model.Text
	Resolution  Resolution
	DuplicateOf Ref
	// Dependencies are added when a todo becomes blocked.
	Dependencies []Ref
	// Owner is the worker of a claimed todo.
	Owner model.Text
	Lease Lease
	// Fence, if set, must be the id of the present lease.
	Fence string
	// ClaimOver says that the claim is known to be over: its lease, process or session has ended.
	ClaimOver bool
	// Priority is the new priority, for Reprioritise.
	Priority Priority
	// Approve lets a claim take a pending todo, which adds two rows of history.
	Approve bool
	// Force lets an operator start a todo that waits on dependencies, and take over a claim.
	Force bool
}

// Judgement allows a change of a todo, or refuses it. among is every todo of the session.
type Judgement = func(t Todo, m Move, among *Index) (Change, error)

// Change is the result of an allowed move.
type Change struct {
	Before, After Todo
	// Rows are appended to the Status History, oldest first.
	Rows []Row
	// Note is added to the Work Log, if it is set.
	Note *Note
	// Backlink is the todo that gets After's ref as a related one. Unlink is the todo that loses it.
	Backlink, Unlink Ref
}

// record adds the change of status to the history.
func (c *Change) record(m Move, reason model.Text) {
	c.Rows = []Row{{At: Stamp(m.At), From: c.Before.Status, To: c.After.Status, Actor: m.Actor.Name, Reason: reason}}
	c.After.History = append(slices.Clip(c.Before.History), c.Rows...)
	if c.After.Status == Complete {
		c.Note = &Note{At: m.At, Phase: "Completion", By: c.After.CompletedBy, Actions: []model.Text{c.After.Reason}}
	}
}

// Judge changes the status, as the table allows.
func Judge(t Todo, m Move, among *Index) (Change, error) {
	if _, err := ParseStatus(string(t.Status)); err != nil {
		return Change{}, Refuse(RuleStatus, "status", "%s has the unknown status %q", t.Ref(), string(t.Status))
	}
	if m.Approve && t.Status == Pending && m.To == InProgress {
		return walk(t, among, InProgress, func(now Todo) Move {
			if now.Status == Pending {
				return Move{To: Ready, Actor: m.Actor, At: m.At, Reason: "Approved by its claim"}
			}
			return m
		})
	}
	m.Reason = model.Redact(m.Reason)
	row, err := transition(t, m.To)
	if err != nil {
		return Change{}, err
	}
	if m.DuplicateOf != "" {
		m.DuplicateOf = among.Qualified([]Ref{m.DuplicateOf}, t.Source)[0]
	}
	m.Dependencies = among.Qualified(m.Dependencies, t.Source)
	c := Change{Before: t, After: outcome(t, row, m)}
	if m.To == WontFix && m.Resolution == Duplicate {
		if err := duplicateTarget(t, m.DuplicateOf, among); err != nil {
			return Change{}, err
		}
	}
	if err := firstMissing(c.After, row); err != nil {
		return Change{}, err
	}
	if err := guard(t, c.After, m, among); err != nil {
		return Change{}, err
	}
	c.record(m, m.reason(row))
	if m.To == WontFix && m.Resolution == Duplicate {
		c.Backlink = m.DuplicateOf
	}
	return c, nil
}

// outcome returns t after the move, before any check of whether the move is allowed.
func outcome(t Todo, row Transition, m Move) Todo {
	after := t
	after.Status, after.Updated = m.To, Day(m.At)
	if row.Releases {
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
	r := Refuse(ruleOf(row.To, lacks[0]), lacks[0], "%s needs %s to become %s",
		after.Ref(), joined(lacks, wordsOf, ", "), row.To)
	switch lacks[0] {
	case "resolution_reason":
		r.Hint = "say it with --reason, or after the id of vise todo resolve"
	case "dependencies":
		r.Hint = "say it with --on"
	case "assigned_to":
		r.Hint = "say it with --as"
	}
	return r
}

// wordsOf returns the words for a front matter key that an author can leave out.
func wordsOf(key string) string {
	if words, ok := map[string]string{
		"resolution": "a verdict", "resolution_reason": "a reason", "dependencies": "a todo that it waits on",
		"assigned_to": "somebody who claims it",
	}[key]; ok {
		return words
	}
	return key
}

// guard checks what the table cannot express: the actor, the resolution, other todos.
func guard(t, after Todo, m Move, among *Index) error {
	if err := m.Named(); err != nil {
		return err
	}
	switch {
	case m.To == Complete && m.Resolution != Fixed:
		return Refuse(ruleFixed, "resolution", "%s cannot be complete with the resolution %q", t.Ref(), string(m.Resolution)).
			WithHint("complete means fixed; resolve it as wont_fix for other resolutions")
	case m.To == WontFix && (m.Resolution == Unresolved || m.Resolution == Fixed):
		return Refuse(ruleRejection, "resolution", "%s cannot be wont_fix with the resolution %q", t.Ref(), string(m.Resolution)).
			WithHint("one of false_positive, duplicate, wont_fix, out_of_scope, superseded")
	}
	if err := holds(t, m); err != nil {
		return err
	}
	switch m.To {
	case InProgress:
		return mayStart(t, after, m, among)
	case Blocked:
		return mayWait(t, m, among)
	}
	return nil
}

// Named refuses a change without its author or its time.
func (m Move) Named() error {
	if name := OneLine(m.Actor.Name.Raw()); name != "" && name != string(model.Unknown) && !m.At.IsZero() {
		return nil
	}
	return Refuse(ruleActor, "actor", "a change of a todo needs to say who made it, and when").WithHint("say who acts: --as NAME")
}

func mayStart(t, after Todo, m Move, among *Index) error {
	forced := m.Force && m.Actor.Operator
	if t.Status == Ready && t.AssignedTo != "" && t.AssignedTo != after.AssignedTo && !forced {
		return Refuse(RuleClaimed, "assigned_to", "%s is assigned to %q", t.Ref(), t.AssignedTo.Raw()).
			WithHint("claim another with next --claim")
	}
	waits := among.Waiting(t)
	if len(waits) == 0 || forced {
		return nil
	}
	return Refuse(RuleWaiting, "dependencies", "%s waits on %s", t.Ref(), JoinWaits(waits)).
		WithHint("an operator can start it with --force")
}

func mayWait(t Todo, m Move, among *Index) error {
	for _, dep := range m.Dependencies {
		if dep == t.Ref() {
			return Refuse(RuleSelf, "dependencies", "%s cannot wait on itself", t.Ref())
		}
		if _, ok := among.Find(dep); !ok {
			return Refuse(RuleDangling, "dependencies", "%s does not exist, so %s cannot wait on it", dep, t.Ref()).
				WithHint("a todo waits for todos of its own session; vise todo list shows them")
		}
		if reached(dep, among.needs)[t.Ref()] {
			return Refuse(RuleCycle, "dependencies", "%s already waits on %s", dep, t.Ref())
		}
	}
	return nil
}

func duplicateTarget(t Todo, ref Ref, among *Index) error {
	switch {
	case ref == "":
		return Refuse(RuleDuplicate, "duplicate_of", "%s needs the todo that it repeats", t.Ref())
	case ref == t.Ref():
		return Refuse(RuleDuplicate, "duplicate_of", "%s cannot be a duplicate of itself", t.Ref())
	}
	if _, ok := among.Find(ref); !ok {
		return Refuse(RuleDuplicate, "duplicate_of", "%s does not exist, so %s cannot be its duplicate", ref, t.Ref()).
			WithHint("vise todo list shows the todos")
	}
	if w, _ := among.wait(ref); w.On == t.Ref() {
		return Refuse(RuleDuplicate, "duplicate_of", "%s is itself a duplicate of %s", ref, t.Ref())
	}
	return nil
}

// reason returns the history's reason if the author gave none.
func (m Move) reason(row Transition) model.Text {
	switch {
	case m.Reason != "":
		return m.Reason
	case m.To == Blocked:
		return model.Text("Blocked by: " + joined(m.Dependencies, Ref.Raw, ", "))
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

// Transition is a row of the lifecycle table. A pair of statuses without a row is forbidden.
type Transition struct {
	From, To Status
	// Needs are the front matter keys that must have a value after the move.
	Needs []string
	// Releases says that the claim and its reason are emptied.
	Releases bool
	// When says what leads to the move. It is the history's reason if the author gives none.
	When string
}

var (
	claimKeys     = []string{"assigned_to", "claimed_at"}
	rejectionKeys = []string{"resolution", "resolution_reason", "resolved_by", "resolved_at"}
	fixedKeys     = append(slices.Clip(rejectionKeys), "completed_by", "completed_at")
	blockedKeys   = []string{"dependencies"}
	interruptKeys = []string{"resolution_reason"}
)

// table is the whole lifecycle. Where its sources disagree: a pending todo can be completed directly; every todo that is not final can be
// rejected; a blocked todo whose claimant is gone becomes ready; blocked comes only from in_progress, because waiting for a dependency is
// derived for a todo that is not claimed yet.
var table = []Transition{
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
	{From: Blocked, To: Ready, Releases: true, When: "claimant gone"},
	{From: Blocked, To: WontFix, Needs: rejectionKeys, When: "rejected"},
	{From: Interrupted, To: Ready, Releases: true, When: "resumed"},
	{From: Interrupted, To: WontFix, Needs: rejectionKeys, When: "rejected"},
}

// transition finds the row of a pair, or refuses with the most helpful reason.
func transition(t Todo, to Status) (Transition, error) {
	for _, row := range table {
		if row.From == t.Status && row.To == to {
			return row, nil
		}
	}
	switch {
	case t.Status.Final():
		return Transition{}, Refuse(ruleFinal, "status", "%s is %s, which is final", t.Ref(), t.Status).
			WithHint("the operator can reopen it: vise todo reopen ID")
	case t.Status == InProgress && to == InProgress && t.AssignedTo != "":
		return Transition{}, Refuse(RuleClaimed, "assigned_to", "%s is already claimed by %q", t.Ref(), t.AssignedTo.Raw()).
			WithHint("claim another with next --claim")
	}
	way := reachable(t.Status)
	if to == Complete && t.Status == Interrupted {
		way = "its claim has ended: vise todo resume ID makes it ready, vise todo start ID claims it"
	}
	return Transition{}, Refuse(ruleTransition, "status", "%s cannot go from %s to %s", t.Ref(), t.Status, to).WithHint("%s", way)
}

func reachable(from Status) string {
	var to []string
	for _, row := range table {
		if row.From == from {
			to = append(to, string(row.To))
		}
	}
	return "from " + string(from) + " it can go to " + strings.Join(to, ", ")
}

// contract lists the keys that must have a value in a stored todo of a status.
var contract = map[Status][]string{
	InProgress: claimKeys, Complete: fixedKeys, WontFix: rejectionKeys, Blocked: blockedKeys, Interrupted: interruptKeys,
}

// ruleOf is the clause that requires a key in a status.
func ruleOf(s Status, key string) Rule {
	switch {
	case s == InProgress:
		return RuleClaim
	case s == Blocked:
		return ruleBlocked
	case s == Interrupted:
		return RuleInterrupted
	case key == "completed_by" || key == "completed_at":
		return RuleCompletion
	}
	return RuleResolution
}

// missing returns those of the keys that have no value in t.
func missing(t Todo, keys []string) []string {
	var out []string
	for _, f := range t.Fields() {
		if slices.Contains(keys, f.Key) && f.Value.empty() {
			out = append(out, f.Key)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return slices.Index(keys, a) - slices.Index(keys, b) })
	return out
}

func (v Value) empty() bool {
	return v.Kind == Null || v.Kind == Absent || v.Text == "" && len(v.List) == 0 && len(v.Pairs) == 0
}

// Finish completes a todo from any status, in as many moves as the table requires. A todo that is not claimed is first claimed by the
// actor. The history has every step.
func Finish(t Todo, m Move, among *Index) (Change, error) {
	m.Owner = m.Actor.Name
	return walk(t, among, Complete, func(now Todo) Move {
		step := m
		switch now.Status {
		case Interrupted, Blocked:
			step.To, step.Reason = Ready, ""
		case Ready:
			step.To, step.Reason = InProgress, ""
		default:
			step.To, step.Resolution = Complete, Fixed
		}
		return step
	})
}

// walk makes the moves of step, one after the other, until the todo has the status to.
func walk(t Todo, among *Index, to Status, step func(now Todo) Move) (Change, error) {
	whole := Change{Before: t, After: t}
	for range len(Statuses()) {
		c, err := Judge(whole.After, step(whole.After), among)
		if err != nil {
			return Change{}, err
		}
		whole.After, whole.Note, whole.Rows = c.After, c.Note, append(slices.Clip(whole.Rows), c.Rows...)
		if c.After.Status == to {
			return whole, nil
		}
	}
	return Change{}, Refuse(ruleTransition, "status", "%s cannot become %s from %s", t.Ref(), to, t.Status)
}
