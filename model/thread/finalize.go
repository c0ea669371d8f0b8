package thread

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vise/model"
)

// Finalize turns the facts of a run into thread state: observed executions, touched files, opened and cleared contract gaps. It never
// writes a parked thread. Without an active thread, an explicit patch or a gap it writes nothing.
type Finalize struct {
	Outcome Outcome
	// Task is the thread. If it is empty, it is the patch's thread or the active one.
	Task string
}

// Do implements Command.
func (c Finalize) Do(f Facts, s Stamp) (Change, error) {
	p := plan(f, s)
	v := Evaluate(c.Outcome.Contract, c.Outcome)
	p.Receipt.Compliance = &v
	gaps := FreshGaps(c.Outcome.Contract, v, c.Outcome)
	before, fresh, err := c.target(p, gaps)
	if err != nil || fresh.ID == "" {
		p.Receipt.NotKept = p.notKept(c.Outcome, before)
		return p.Change, err
	}
	after := fresh
	if c.Outcome.Patch != nil {
		if after, p.Receipt.Patched, err = fresh.Apply(*c.Outcome.Patch); err != nil {
			return Change{}, err
		}
		p.Receipt.Ignored = c.Outcome.Patch.Ignored
		p.warnOfDeadEnd(before, &after)
	}
	after.learn(c.Outcome, s)
	p.gaps(&after, gaps, c.Outcome)
	p.Receipt.Claimed = without(after.Verified, func(v model.Text) bool {
		isCommand := strings.HasPrefix(v.Raw(), succeeded) || strings.HasPrefix(v.Raw(), testPassed)
		return !isCommand || slices.Contains(before.Verified, v) || after.GradeOf(v, s.Git) != claimed
	})
	err = p.save(updated, before, after)
	if len(p.Receipt.Changed) == 0 {
		p.Receipt.NotKept = p.notKept(c.Outcome, before)
	}
	return p.Change, err
}

// notKept says why nothing of a run is written to t, the thread that it belongs to.
func (p *planner) notKept(o Outcome, t Thread) model.Text {
	counts := func(e Execution) bool { return !e.Passed() || t.Awaits(e.Command) }
	switch {
	case t.ID == "":
		e := NoneActive(p.facts, o.ran()...)
		return model.Text(e.Message + "; " + e.Hint)
	case !p.Receipt.Check.Loadable:
		return model.Text(t.ID) + " is " + p.Receipt.Check.Line()
	case len(o.ran()) > 0 && !slices.ContainsFunc(o.ran(), counts):
		return "success counts for a test, a linter or a build, and for what the thread recommends or lists as unverified"
	}
	return "the thread says so already"
}

// What a verified entry about a command begins with.
const (
	succeeded  = "Command succeeded: "
	testPassed = "Test command passed: "
)

// target finds the thread to which the facts belong. before is the stored thread; fresh is the one to which the facts are added. An empty
// fresh means that nothing is written.
func (c Finalize) target(p *planner, gaps []Gap) (before, fresh Thread, err error) {
	asked := ID("")
	if c.Task != "" {
		asked = Slug(c.Task)
	} else if c.Outcome.Patch != nil {
		asked = c.Outcome.Patch.Task
	}
	if asked == "" {
		active, source, err := ActiveOf(p.facts)
		if err != nil {
			return before, fresh, err
		}
		if active.ID != "" {
			return c.unlessParked(p, active, source == FromFallback)
		}
		return c.carryover(p, gaps)
	}
	t, there, err := p.facts.Thread(asked)
	if err != nil {
		return before, fresh, err
	}
	if there {
		return c.unlessParked(p, t, false)
	}
	fresh = New(asked, "")
	active, _, err := ActiveOf(p.facts)
	if err != nil {
		return before, fresh, err
	}
	if active.ID != "" {
		fresh.Status = Paused
	}
	return before, fresh, nil
}

func (c Finalize) unlessParked(p *planner, t Thread, fallback bool) (Thread, Thread, error) {
	j, err := p.check(t, fallback)
	p.Receipt.Check, p.Receipt.Thread = j, t
	if err != nil || !j.Loadable {
		return t, Thread{}, err
	}
	return t, t, nil
}

// carryover finds the thread that keeps a contract's gaps while none is active. It is created when a gap opens, and found by the contract's
// goal when a later run answers the gap. If the thread with that goal is parked, another one with a number keeps the gap here.
func (c Finalize) carryover(p *planner, gaps []Gap) (before, fresh Thread, err error) {
	if c.Outcome.Contract == nil {
		return before, fresh, nil
	}
	goal := c.Outcome.Contract.Goal
	for n := 1; n < 100; n++ {
		id := numbered(ID(carryoverPrefix)+shortSlug(goal), n)
		old, there, err := p.facts.Thread(id)
		if err != nil || len(gaps) == 0 && (!there || old.Status.Ended()) {
			return before, fresh, err
		}
		if !there {
			fresh = New(id, goal)
			fresh.Status, fresh.Hypothesis = Paused, Strongest(gaps).hypothesis()
			p.Receipt.Check = BranchCheck{}
			return before, fresh, nil
		}
		before, fresh, err = c.unlessParked(p, old, false)
		if fresh.Status.Ended() {
			fresh.Status = Paused
		}
		if err != nil || fresh.ID != "" {
			return before, fresh, err
		}
		before = Thread{}
	}
	return before, fresh, nil
}

const carryoverPrefix = "contract-carryover-"

func shortSlug(goal model.Text) ID {
	s := Slug(goal.Raw())
	return ID(strings.Trim(string(s[:min(len(s), carryoverSlug)]), "-"))
}

// gaps clears the gaps that the run answered, opens those that it left, and records both.
func (p *planner) gaps(t *Thread, fresh []Gap, o Outcome) {
	had := len(t.Gaps)
	p.Receipt.Fresh, p.Receipt.Cleared = fresh, t.clearBy(o)
	for _, g := range p.Receipt.Cleared {
		p.event(gapCleared, t.ID).Detail = g
	}
	for _, g := range fresh {
		if t.open(g, p.stamp.At) {
			p.Receipt.Opened = append(p.Receipt.Opened, g)
			p.event(gapOpened, t.ID).Detail = g
		}
	}
	if strings.HasPrefix(string(t.ID), carryoverPrefix) && had > 0 && len(t.Gaps) == 0 && t.Status == Paused {
		t.Status = Resolved
	}
}

// learn adds the facts of a run to the thread.
func (t *Thread) learn(o Outcome, s Stamp) {
	t.ActiveFiles = push(t.ActiveFiles, slices.Concat(o.Opened, o.Edited, o.Reopened)...)
	t.ExecutionIDs = push(t.ExecutionIDs, o.ExecutionID)
	for _, e := range o.Commands {
		expected := o.Contract != nil && e.Proves(o.Contract.TestCommand)
		t.learnCommand(e, succeeded, o, s, validates(e.Command) || expected)
	}
	for _, e := range o.Tests {
		t.learnCommand(e, testPassed, o, s, true)
	}
	if !o.failed() {
		return
	}
	for _, e := range o.Errors {
		t.Risks = push(t.Risks, "Observed error: "+e)
	}
}

// learnCommand records one execution. Only commands that validate something become verified, and only an observed exit status is evidence.
// A failure removes an earlier success of the same command.
func (t *Thread) learnCommand(e Execution, prefix model.Text, o Outcome, s Stamp, validating bool) {
	if validates(e.Command) {
		t.Commands = push(t.Commands, e.Command)
	}
	entry := clipped(prefix + e.Command)
	switch {
	case e.ExitStatus == nil:
		if validating && o.Success != nil && *o.Success {
			t.Verified = push(t.Verified, entry)
		}
	case *e.ExitStatus == 0:
		t.succeeded(e, entry, o, s, validating)
	default:
		t.failedAt(e, entry)
	}
}

func (t *Thread) succeeded(e Execution, entry model.Text, o Outcome, s Stamp, validating bool) {
	t.Risks = without(t.Risks, func(r model.Text) bool { return failureOf(r, e.Command) })
	awaited := func(u model.Text) bool { return squeeze(u.Raw()) == squeeze(e.Command.Raw()) || u == entry }
	if slices.ContainsFunc(t.Unverified, awaited) {
		t.Unverified, validating = without(t.Unverified, awaited), true
	}
	if !validating {
		return
	}
	t.Verified = push(t.Verified, entry)
	t.Evidence = append(without(t.Evidence, func(v evidence) bool { return v.Entry == entry }), evidenceOf(e, entry, o, s))
}

func evidenceOf(e Execution, entry model.Text, o Outcome, s Stamp) evidence {
	v := evidence{Entry: entry, Command: e.Command, ExitStatus: *e.ExitStatus, Head: e.Head, Dirty: e.Dirty, At: cmp.Or(e.At, s.At),
		ExecutionID: o.ExecutionID}
	if v.Head == "" && s.Git.State == GitOK {
		v.Head, v.Dirty = s.Git.Head, s.Git.Dirty
	}
	new(cutter).entry(&v)
	return v
}

func (t *Thread) failedAt(e Execution, entry model.Text) {
	t.Risks = push(without(t.Risks, func(r model.Text) bool { return failureOf(r, e.Command) }),
		clipped(model.Textf("Command failed (exit %d): ", *e.ExitStatus)+e.Command))
	t.Evidence = without(t.Evidence, func(v evidence) bool { return v.Entry == entry })
	if slices.Contains(t.Verified, entry) {
		t.Verified = without(t.Verified, func(v model.Text) bool { return v == entry })
		t.Unverified = push(t.Unverified, e.Command)
	}
}

// failureOf reports whether a risk describes a failure of the command.
func failureOf(risk, command model.Text) bool {
	rest, ok := strings.CutPrefix(risk.Raw(), "Command failed (exit ")
	status, _, found := strings.Cut(rest, "): ")
	return ok && found && risk == clipped(model.Text("Command failed (exit "+status+"): ")+command)
}

func clipped(t model.Text) model.Text {
	s, _ := cut(model.Redact(t).Raw(), maxText)
	return model.Text(s)
}

// validates reports whether a command is of a kind that checks work, which is worth recommending and keeping as verified.
func validates(command model.Text) bool {
	s := strings.ToLower(command.Raw())
	sorts := []string{"pytest", " test", "make test", "make smoke", "ruff", "mypy", "pyright", "lint", "typecheck", "build"}
	return slices.ContainsFunc(sorts, func(w string) bool { return strings.Contains(s, w) })
}

// ParseOutcome reads the facts of a run. A command is a text (a claim) or an object with command and exit_status (observed). head, dirty
// and at describe the commit on which it ran.
func ParseOutcome(raw []byte) (Outcome, error) {
	top, err := readObject(raw)
	if err != nil {
		return Outcome{}, invalid("the facts cannot be read").Because(err)
	}
	m := members{from: top}
	var o Outcome
	m.into(&o)
	if m.wrong {
		return o, invalid("files and errors must be lists of texts").At("facts")
	}
	if b, ok := m.take("success").(bool); ok {
		o.Success = &b
	}
	var ok bool
	if o.Commands, ok = executions(m.take("commands_executed")); !ok {
		return o, want(false, "commands_executed", "a list of texts or of {command, exit_status}")
	}
	if o.Tests, ok = executions(m.take("tests_executed")); !ok {
		return o, want(false, "tests_executed", "a list of texts or of {command, exit_status}")
	}
	if o.Contract, ok = readContract(m.take("contract")); !ok {
		return o, want(false, "contract", "an object like {execution_contract: …}")
	}
	return o, o.readPatch(m.take("work_state"))
}

func (o *Outcome) readPatch(v any) error {
	if v == nil {
		return nil
	}
	fields, ok := v.(object)
	if !ok {
		return want(false, "work_state", "an object")
	}
	p, err := patchOf(fields)
	if err != nil {
		return err
	}
	o.Patch = &p
	return nil
}

func executions(v any) ([]Execution, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, v == nil
	}
	var out []Execution
	for _, v := range list {
		e, ok := execution(v)
		if !ok {
			return nil, false
		}
		if e.Command != "" {
			out = append(out, e)
		}
	}
	return out, true
}

func execution(v any) (Execution, bool) {
	if s, ok := v.(string); ok {
		return Execution{Command: model.Text(trim(s))}, true
	}
	o, ok := v.(object)
	if !ok {
		return Execution{}, false
	}
	m := members{from: o}
	var e Execution
	m.into(&e)
	if n, ok := m.take("exit_status").(json.Number); ok {
		status, err := strconv.Atoi(n.String())
		if err != nil {
			return e, false
		}
		e.ExitStatus = &status
	}
	return e, !m.wrong
}
