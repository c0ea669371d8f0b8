package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Check is a run of tests, of a build or of a linter that somebody watched to its end.
type Check struct {
	// Command is the line as it was run.
	Command Text      `json:"command"`
	Kind    CheckKind `json:"kind"`
	// ExitStatus is the check's; missing: it was not seen.
	ExitStatus *int      `json:"exit_status,omitempty"`
	At         time.Time `json:"at"`
	// Dir is the work tree that it ran in; empty: none of git's. Head is the commit there, Dirty whether the tree differed
	// from it.
	Dir   Text   `json:"worktree,omitempty"`
	Head  string `json:"head,omitempty"`
	Dirty bool   `json:"dirty,omitempty"`
	// Contents stands for what the files were when it ended; empty: not known. Without a work tree the edits that were seen
	// stand for them.
	Contents string `json:"contents,omitempty"`
}

// tree is what a work tree held when it was read last.
type tree struct {
	Dir      Text   `json:"worktree,omitempty"`
	Contents string `json:"contents"`
}

// Bounds of the evidence of an item: the checks and the work trees that are kept, and what stands for contents in bytes.
const (
	maxChecks   = 10
	maxTrees    = 4
	maxContents = 200
)

// KeepCheck takes the end of a command that an agent ran, for an item or its focus. What checks nothing is no news.
type KeepCheck struct {
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	Command    Text   `json:"command"`
	// ExitStatus is the line's; missing: it was not seen.
	ExitStatus *int `json:"exit_status,omitempty"`
	// At is when it ended; zero is now.
	At       time.Time `json:"at,omitzero"`
	Dir      Text      `json:"worktree,omitempty"`
	Head     string    `json:"head,omitempty"`
	Dirty    bool      `json:"dirty,omitempty"`
	Contents string    `json:"contents,omitempty"`
}

// RefreshTree notes what a work tree holds now in which an item was checked. Equal contents are no news.
type RefreshTree struct {
	WorkItemID ItemID `json:"work_item_id"`
	Dir        Text   `json:"worktree,omitempty"`
	// Contents stands for them; empty: not known.
	Contents string `json:"contents"`
}

// Name is part of Command.
func (KeepCheck) Name() string   { return "KeepCheck" }
func (RefreshTree) Name() string { return "RefreshTree" }

// checkEnded is the data of work_item_checked.
type checkEnded struct {
	Command    Text      `json:"command"`
	Kind       CheckKind `json:"kind"`
	ExitStatus *int      `json:"exit_status,omitempty"`
	Head       string    `json:"head,omitempty"`
	Dirty      bool      `json:"dirty,omitempty"`
}

func describeCheck(d checkEnded) string {
	return Check{Command: d.Command, ExitStatus: d.ExitStatus}.Words().String()
}

// step keeps the check with its item's trace. It is bookkeeping: the item's record stays. A completed item takes none.
func (c KeepCheck) step(s *step) error {
	if c.WorkItemID == "" {
		w, ok := Focus(s, s.actingAgent())
		if !ok {
			return nil
		}
		c.WorkItemID = w.ID
	}
	w, err := s.own(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	a, _ := s.Agent(w.AgentID)
	kind, told, _ := a.Evidence.check(c.Command)
	if kind == "" || w.State == Completed {
		return nil
	}
	if len(c.Contents) > maxContents {
		return Refuse(CodeInvalid, "contents has %d bytes, at most %d are kept", len(c.Contents), maxContents).At("contents")
	}
	x := Check{Command: cut(trimmed(c.Command), rowObjective), Kind: kind, At: c.At.UTC(), Dir: c.Dir, Head: c.Head, Dirty: c.Dirty,
		Contents: c.Contents}
	if x.At.IsZero() || x.At.After(s.at.At) {
		x.At = s.at.At
	}
	if told {
		x.ExitStatus = c.ExitStatus
	}
	t, _ := s.Trace(w.AgentID, w.ID)
	t.AgentID, t.WorkItemID = w.AgentID, w.ID
	if x.Dir == "" {
		x.Contents = "unedited"
		if i := treeAt(t.Trees, ""); i >= 0 {
			x.Contents = t.Trees[i].Contents
		}
	}
	t.Checks = slices.DeleteFunc(slices.Clone(t.Checks), func(y Check) bool { return y.Command == x.Command && y.Dir == x.Dir })
	t.Checks = append(t.Checks, x)
	slices.SortStableFunc(t.Checks, func(a, b Check) int { return a.At.Compare(b.At) })
	t.Checks = t.Checks[max(len(t.Checks)-maxChecks, 0):]
	if i := slices.IndexFunc(t.Checks, func(y Check) bool { return y.Dir == x.Dir && y.At.After(x.At) }); i < 0 {
		t.Trees = withTree(t.Trees, tree{x.Dir, x.Contents})
	}
	s.put(t)
	s.event(EventChecked, w.ID, checkEnded{Command: x.Command, Kind: kind, ExitStatus: x.ExitStatus, Head: c.Head, Dirty: c.Dirty})
	return nil
}

func treeAt(list []tree, dir Text) int {
	return slices.IndexFunc(list, func(x tree) bool { return x.Dir == dir })
}

func withTree(list []tree, t tree) []tree {
	list = slices.DeleteFunc(slices.Clone(list), func(x tree) bool { return x.Dir == t.Dir })
	list = append(list, t)
	return list[max(len(list)-maxTrees, 0):]
}

func (c RefreshTree) step(s *step) error {
	w, err := s.own(c.WorkItemID, 0)
	if err != nil || w.State == Completed {
		return err
	}
	if len(c.Contents) > maxContents {
		return Refuse(CodeInvalid, "contents has %d bytes, at most %d are kept", len(c.Contents), maxContents).At("contents")
	}
	t, _ := s.Trace(w.AgentID, w.ID)
	i := treeAt(t.Trees, c.Dir)
	if i < 0 || t.Trees[i].Contents == c.Contents {
		return nil
	}
	t.Trees = withTree(t.Trees, tree{c.Dir, c.Contents})
	s.put(t)
	return nil
}

// Words say what ran and how it ended.
func (x Check) Words() Text {
	switch {
	case x.ExitStatus == nil:
		return x.Command + ": how it ended was not seen"
	case *x.ExitStatus != 0:
		return x.Command + Text(fmt.Sprintf(": failed with exit status %d", *x.ExitStatus))
	}
	return x.Command + ": passed"
}

// Evidence is what was seen to check the work on an item: of a completed one as it was then.
type Evidence struct {
	State EvidenceState `json:"state"`
	// Policy is the agent's; missing: none.
	Policy EvidencePolicy `json:"policy,omitempty"`
	// Checks are the newest, newest first; one of each command.
	Checks []CheckSeen `json:"checks"`
	// Run is the command that would verify the work; empty: it is verified, or which one is not known.
	Run Text `json:"run,omitempty"`
	// of is the check that the state is of.
	of   CheckSeen
	rule EvidenceRule
	item WorkItem
}

// CheckSeen is a check, and whether anything changed since.
type CheckSeen struct {
	Check
	// Changed: files of the work tree changed after it ran, or it is not known that none did.
	Changed bool `json:"changed_since"`
}

// EvidenceState is what checks come to.
type EvidenceState string

// The states of evidence. Verified: of the checks after which nothing changed, the newest of each kind passed.
const (
	EvidenceUnchecked EvidenceState = "unchecked"
	EvidenceVerified  EvidenceState = "verified"
	EvidenceFailed    EvidenceState = "failed"
	EvidenceUnseen    EvidenceState = "end_not_seen"
	EvidenceOutdated  EvidenceState = "outdated"
)

// EvidenceOf reads what was seen to check the work on an item.
func EvidenceOf(f Facts, w WorkItem) Evidence {
	a, _ := f.Agent(w.AgentID)
	t, _ := f.Trace(w.AgentID, w.ID)
	rule := a.Evidence
	if w.State == Completed {
		rule = t.Rule
	}
	e := Evidence{State: EvidenceUnchecked, Policy: rule.Policy, Checks: []CheckSeen{}, Run: rule.Command, rule: rule, item: w}
	var newest []CheckSeen // of each kind, those whose end was seen first
	for _, x := range slices.Backward(t.Checks) {
		i := treeAt(t.Trees, x.Dir)
		c := CheckSeen{Check: x, Changed: i < 0 || x.Contents == "" || t.Trees[i].Contents != x.Contents}
		e.Checks = append(e.Checks, c)
		_, _, counts := rule.check(x.Command)
		at := slices.IndexFunc(newest, func(y CheckSeen) bool { return y.Kind == x.Kind && y.Changed == c.Changed })
		switch {
		case !counts:
		case at < 0:
			newest = append(newest, c)
		case newest[at].ExitStatus == nil && x.ExitStatus != nil: // one whose end was not seen undoes nothing
			newest[at] = c
		}
	}
	slices.SortStableFunc(newest, func(x, y CheckSeen) int { return cmp.Compare(x.rank(), y.rank()) })
	if len(newest) > 0 {
		e.of = newest[0]
		e.State, e.Run = e.of.state(), cmp.Or(e.Run, e.of.Command)
	}
	if e.State == EvidenceVerified || w.State == Completed {
		e.Run = ""
	}
	return e
}

// IsKnown reports whether anything was seen, or is asked for.
func (e Evidence) IsKnown() bool { return len(e.Checks) > 0 || e.Policy != "" }

// On says on what a check ran, and whether that changed.
func (x CheckSeen) On() Text {
	on := "outside a repository"
	switch {
	case x.Head != "" && x.Dirty:
		on = "on " + x.Head[:min(len(x.Head), beganCommit)] + " and changes"
	case x.Head != "":
		on = "on " + x.Head[:min(len(x.Head), beganCommit)]
	case x.Dir != "":
		on = "before the first commit"
	}
	switch {
	case !x.Changed:
		return Text(on + ", nothing changed since")
	case x.Contents == "":
		return Text(on + ", not known what changed since")
	}
	return Text(on + ", files changed since")
}

// state is what a check comes to by itself.
func (x CheckSeen) state() EvidenceState {
	switch {
	case x.Changed:
		return EvidenceOutdated
	case x.ExitStatus == nil:
		return EvidenceUnseen
	case *x.ExitStatus != 0:
		return EvidenceFailed
	}
	return EvidenceVerified
}

// rank orders the newest checks of all kinds: what failed on the files as they are outweighs what passed, which outweighs
// what says nothing of them; then what says most of the work.
func (x CheckSeen) rank() int {
	weight := map[EvidenceState]int{EvidenceFailed: 0, EvidenceVerified: 1, EvidenceUnseen: 2, EvidenceOutdated: 3}
	return weight[x.state()]*len(checkKinds) + slices.Index(checkKinds, x.Kind)
}

// Words say in how far the work is verified.
func (e Evidence) Words() Text {
	switch x := e.of; {
	case e.State == EvidenceUnchecked && e.rule.Command != "":
		return "not verified: " + e.rule.Command + " was not seen"
	case e.State == EvidenceUnchecked:
		return "not verified: no test, build or linter was seen"
	case e.State == EvidenceVerified:
		return "verified: " + x.Words()
	case e.State == EvidenceOutdated && x.Contents == "":
		return "not verified: whether files changed after " + x.Command + " is not known"
	case e.State == EvidenceOutdated:
		return "not verified: files changed after " + x.Command
	default:
		return "not verified: " + x.Words()
	}
}

// keepRule keeps with a completed item what its completion needed.
func (s *step) keepRule(w WorkItem) {
	if a, _ := s.Agent(w.AgentID); a.Evidence != (EvidenceRule{}) {
		t, _ := s.Trace(w.AgentID, w.ID)
		t.AgentID, t.WorkItemID, t.Rule = w.AgentID, w.ID, a.Evidence
		s.put(t)
	}
}

// ChecksAnything reports whether a command that ended is one that KeepCheck keeps of the agent.
func ChecksAnything(f Facts, agent AgentID, line Text) bool {
	a, _ := f.Agent(agent)
	kind, _, _ := a.Evidence.check(line)
	return kind != ""
}

// mayUnverified refuses a completion that nothing verifies where its agent's policy asks for evidence; the operator's own
// is only warned.
func (s *step) mayUnverified(w WorkItem) error {
	e := EvidenceOf(s, w)
	if e.Policy != EvidenceRequire || e.State == EvidenceVerified || s.at.Actor == Operator {
		return nil
	}
	return Refuse(CodeUnverified, "work item %s is %s", w.Handle, e.Words()).WithHint("%s, then complete the item", e.ToVerify())
}

// ToVerify says what to run so that the work on an open item is verified; empty: it is.
func (e Evidence) ToVerify() Text {
	switch {
	case e.State == EvidenceVerified || e.item.State == Completed:
		return ""
	case e.Run == "":
		return "run the project's tests, its build or a linter"
	case e.State == EvidenceUnseen:
		return "run `" + e.Run + "` without a pipe and with nothing behind it, or with vise task run --item " +
			Text(e.item.Handle) + " -- COMMAND"
	}
	return "run `" + e.Run + "`"
}

// Needs says what the agent's policy makes of its completions that nothing verifies; empty: nothing.
func (e Evidence) Needs() Text {
	if words := e.rule.Words(); words != "" {
		return Text(e.item.AgentID) + " " + words
	}
	return ""
}

// Counts is what the agent's policy takes for evidence.
func (e Evidence) Counts() Text { return e.rule.what() }

// Trees are the work trees that checks of an open item ran in.
func (e Evidence) Trees() (dirs []Text) {
	for _, x := range e.Checks {
		if x.Dir != "" && e.item.State == Open && !slices.Contains(dirs, x.Dir) {
			dirs = append(dirs, x.Dir)
		}
	}
	return dirs
}
