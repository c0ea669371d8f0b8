package model

import (
	"cmp"
	"slices"
	"time"
)

// Check is a run of a test, a build or a linter whose end somebody saw.
type Check struct {
	// Command is the command line of the run.
	Command Text      `json:"command"`
	Kind    CheckKind `json:"kind"`
	// ExitStatus is the check's; nil: nobody saw it.
	ExitStatus *int      `json:"exit_status,omitempty"`
	At         time.Time `json:"at"`
	// Dir is the work tree in which it ran; empty: no work tree of git. Head is the commit there; Dirty says that the tree
	// differed from it.
	Dir   Text   `json:"worktree,omitempty"`
	Head  string `json:"head,omitempty"`
	Dirty bool   `json:"dirty,omitempty"`
	// Contents is a key for the state of the files at its end; empty: not known. Without a work tree, the seen edits make the
	// key.
	Contents string `json:"contents,omitempty"`
}

// tree is the state of a work tree at its last reading.
type tree struct {
	Dir      Text   `json:"worktree,omitempty"`
	Contents string `json:"contents"`
}

// Bounds of an item's evidence: the number of checks and of work trees, and the length of a contents key in bytes.
const (
	maxChecks   = 10
	maxTrees    = 4
	maxContents = 200
)

// KeepCheck keeps the end of a command that an agent ran, for an item or its focus. A command that is not a check changes
// nothing.
type KeepCheck struct {
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	Command    Text   `json:"command"`
	// ExitStatus is the command line's; nil: nobody saw it.
	ExitStatus *int `json:"exit_status,omitempty"`
	// At is when it ended; zero is now.
	At       time.Time `json:"at,omitzero"`
	Dir      Text      `json:"worktree,omitempty"`
	Head     string    `json:"head,omitempty"`
	Dirty    bool      `json:"dirty,omitempty"`
	Contents string    `json:"contents,omitempty"`
}

// RefreshTree notes the present contents of a work tree in which an item was checked. Equal contents change nothing.
type RefreshTree struct {
	WorkItemID ItemID `json:"work_item_id"`
	Dir        Text   `json:"worktree,omitempty"`
	// Contents is the key for them; empty: not known.
	Contents string `json:"contents"`
}

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

// step keeps the check in the item's trace. It is bookkeeping: the item's record stays. A completed item takes none.
func (c KeepCheck) step(s *step) error {
	if c.WorkItemID == "" {
		w, ok := Focus(s, s.actingAgent())
		if !ok {
			return nil
		}
		c.WorkItemID = w.ID
	}
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	a, _ := s.Agent(w.AgentID)
	kind, told, _ := a.Evidence.check(c.Command)
	if kind == "" || w.State == Completed {
		return nil
	}
	if len(c.Contents) > maxContents {
		return Invalid("contents has %d bytes, at most %d are kept", len(c.Contents), maxContents).At("contents")
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
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil || w.State == Completed {
		return err
	}
	if len(c.Contents) > maxContents {
		return Invalid("contents has %d bytes, at most %d are kept", len(c.Contents), maxContents).At("contents")
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

// Words say which command ran and how it ended.
func (x Check) Words() Text {
	switch {
	case x.ExitStatus == nil:
		return x.Command + ": how it ended was not seen"
	case *x.ExitStatus != 0:
		return x.Command + Textf(": failed with exit status %d", *x.ExitStatus)
	}
	return x.Command + ": passed"
}

// Evidence is what the checks say about the work on an item; for a completed item, at its completion.
type Evidence struct {
	State EvidenceState `json:"state"`
	// Policy is the agent's policy; empty: none.
	Policy EvidencePolicy `json:"policy,omitempty"`
	// Checks are the newest checks, newest first, one for each command.
	Checks []CheckSeen `json:"checks"`
	// Run is the command that would verify the work. It is empty if the work is verified, or if that command is not known.
	Run Text `json:"run,omitempty"`
	// of is the check that decides State.
	of   CheckSeen
	rule EvidenceRule
	item WorkItem
}

// CheckSeen is a check, and whether files changed after it.
type CheckSeen struct {
	Check
	// Changed: files of the work tree changed after the check, or it is not known whether they did.
	Changed bool `json:"changed_since"`
}

// EvidenceState is the result of the checks.
type EvidenceState string

// The states of evidence. Verified: the newest check of each kind passed, among the checks after which nothing changed.
const (
	EvidenceUnchecked EvidenceState = "unchecked"
	EvidenceVerified  EvidenceState = "verified"
	EvidenceFailed    EvidenceState = "failed"
	EvidenceUnseen    EvidenceState = "end_not_seen"
	EvidenceOutdated  EvidenceState = "outdated"
)

// EvidenceOf reads the evidence of the work on an item.
func EvidenceOf(f Facts, w WorkItem) Evidence {
	a, _ := f.Agent(w.AgentID)
	t, _ := f.Trace(w.AgentID, w.ID)
	rule := a.Evidence
	if w.State == Completed {
		rule = t.Rule
	}
	e := Evidence{State: EvidenceUnchecked, Policy: rule.Policy, Checks: []CheckSeen{}, Run: rule.Command, rule: rule, item: w}
	var newest []CheckSeen // of each kind; a check with a seen end is preferred
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
		case newest[at].ExitStatus == nil && x.ExitStatus != nil: // a check without a seen end undoes no other
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

// IsKnown reports whether there are checks or a policy.
func (e Evidence) IsKnown() bool { return len(e.Checks) > 0 || e.Policy != "" }

// On says on which files a check ran, and whether they changed.
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

// state is the result of one check.
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

// rank orders the newest checks of all kinds. A failure on the present files outweighs a pass, a pass outweighs a check that
// says nothing about the present files. Among equals, the kind that says most about the work wins.
func (x CheckSeen) rank() int {
	weight := map[EvidenceState]int{EvidenceFailed: 0, EvidenceVerified: 1, EvidenceUnseen: 2, EvidenceOutdated: 3}
	return weight[x.state()]*len(checkKinds) + slices.Index(checkKinds, x.Kind)
}

// Words say how far the work is verified.
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

// keepRule keeps the evidence rule of a completion with the completed item.
func (s *step) keepRule(w WorkItem) {
	if a, _ := s.Agent(w.AgentID); a.Evidence != (EvidenceRule{}) {
		t, _ := s.Trace(w.AgentID, w.ID)
		t.Rule = a.Evidence
		s.put(t)
	}
}

// ChecksAnything reports whether KeepCheck would keep this command line of the agent.
func ChecksAnything(f Facts, agent AgentID, line Text) bool {
	a, _ := f.Agent(agent)
	kind, _, _ := a.Evidence.check(line)
	return kind != ""
}

// mayUnverified refuses a completion that is not verified if the agent's policy requires evidence. The operator's own
// completion is only warned.
func (s *step) mayUnverified(w WorkItem) error {
	e := EvidenceOf(s, w)
	if e.Policy != EvidenceRequire || e.State == EvidenceVerified || s.at.Actor == Operator {
		return nil
	}
	return Refuse(CodeUnverified, "work item %s is %s", w.Handle, e.Words()).WithHint("%s, then complete the item", e.ToVerify())
}

// ToVerify says what to run to verify the work on an open item; empty: it is verified.
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

// Needs says what the agent's policy does with completions that are not verified; empty: nothing.
func (e Evidence) Needs() Text {
	if words := e.rule.Words(); words != "" {
		return Text(e.item.AgentID) + " " + words
	}
	return ""
}

// Counts says which checks the agent's policy counts as evidence.
func (e Evidence) Counts() Text { return e.rule.what() }

// Trees are the work trees in which checks of an open item ran.
func (e Evidence) Trees() (dirs []Text) {
	for _, x := range e.Checks {
		if x.Dir != "" && e.item.State == Open && !slices.Contains(dirs, x.Dir) {
			dirs = append(dirs, x.Dir)
		}
	}
	return dirs
}
