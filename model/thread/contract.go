package thread

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"vise/model"
)

// contract is what a run was asked to do.
type contract struct {
	Goal        model.Text
	FirstAction model.Text
	// Primary and Secondary are the paths that can be edited, with wildcards.
	Primary, Secondary []model.Text
	TestCommand        model.Text
	EntryPoints        []model.Text
	// Exploratory contracts and some types of task do not require a first action.
	Exploratory bool
	TaskType    string
	// Optional: no validation is required.
	Optional bool
}

// Outcome is what is known about a run after its end.
type Outcome struct {
	ExecutionID model.Text `key:"execution_id"`
	// Success is nil if it is not known.
	Success  *bool
	Opened   []model.Text `key:"files_opened"`
	Edited   []model.Text `key:"files_edited"`
	Reopened []model.Text `key:"files_reopened"`
	// Reverted are files whose edits were undone.
	Reverted []model.Text `key:"files_reverted"`
	Commands []Execution
	Tests    []Execution
	Errors   []model.Text `key:"notable_errors"`
	// Patch is what the run's author says about the thread, in addition to the facts.
	Patch    *Patch
	Contract *contract
}

// Execution is a command that ran. Without an exit status it is only a claim.
type Execution struct {
	Command model.Text `key:"command"`
	// ExitStatus is nil if no program watched the command end.
	ExitStatus *int
	Head       string     `key:"head"`
	Dirty      bool       `key:"dirty"`
	At         model.Text `key:"at"`
}

// Passed reports whether the command was observed to succeed.
func (e Execution) Passed() bool { return e.ExitStatus != nil && *e.ExitStatus == 0 }

// Proves reports whether the execution is evidence that command succeeded. It was observed to exit with 0, and it is that command, alone or
// in a chain of "&&", in which every command must have passed.
func (e Execution) Proves(command model.Text) bool {
	want := squeeze(command.Raw())
	if want == "" || !e.Passed() {
		return false
	}
	ran := squeeze(e.Command.Raw())
	if ran == want {
		return true
	}
	if strings.ContainsAny(strings.ReplaceAll(ran, "&&", ""), "|;&\n") {
		return false
	}
	return slices.ContainsFunc(strings.Split(ran, "&&"), func(link string) bool { return trim(link) == want })
}

// observed reports whether any action of the run is known.
func (o Outcome) observed() bool {
	return len(o.Opened)+len(o.Edited)+len(o.Commands)+len(o.Tests) > 0
}

// ran returns every command and test, in that order.
func (o Outcome) ran() []Execution { return slices.Concat(o.Commands, o.Tests) }

// touched returns every file that was opened or edited.
func (o Outcome) touched() []model.Text { return slices.Concat(o.Opened, o.Edited) }

// mentions reports whether the run names the command, alone or as a part. It does not say whether the command passed.
func (o Outcome) mentions(command model.Text) bool {
	want := squeeze(command.Raw())
	return slices.ContainsFunc(o.ran(), func(e Execution) bool {
		return want != "" && strings.Contains(squeeze(e.Command.Raw()), want)
	})
}

func (o Outcome) failed() bool { return o.Success != nil && !*o.Success }

// readContract reads a contract as the preparation of a run wrote it.
func readContract(v any) (*contract, bool) {
	outer, ok := v.(object)
	if !ok || len(outer) == 0 {
		return nil, v == nil || ok
	}
	top := members{from: outer}
	inner, ok := top.take("execution_contract").(object)
	if !ok {
		inner = outer
	}
	m := members{from: inner}
	first, scope, test, policy := m.child("first_action"), m.child("edit_scope"), m.child("test_command"), m.child("validation_policy")
	c := &contract{
		Goal: cmp.Or(m.text("task_goal"), top.text("task_goal")), FirstAction: path(first.text("path")),
		Primary: scope.list("primary"), Secondary: scope.list("secondary_if_needed"),
		TestCommand: test.text("command"), EntryPoints: m.list("expected_first_files"),
		Exploratory: m.text("contract_strength") == "exploratory", TaskType: strings.ToLower(policy.text("task_type").Raw()),
	}
	required, stated := policy.take("required").(bool)
	c.Optional = stated && !required
	c.EntryPoints = c.EntryPoints[:min(len(c.EntryPoints), 3)]
	return c, !m.wrong && !first.wrong && !scope.wrong && !test.wrong && !policy.wrong
}

func (m *members) child(key string) *members {
	v := m.take(key)
	o, ok := v.(object)
	m.wrong = m.wrong || !ok && v != nil
	return &members{from: o}
}

// path gives each path of the repository one spelling.
func path(t model.Text) model.Text { return model.Text(strings.TrimPrefix(t.Raw(), "./")) }

// matches reports whether a path matches a pattern in which * and ? match any character, also separators.
func matches(pattern, name string) bool {
	expr := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	is, err := regexp.MatchString("(?s)^"+expr+"$", name)
	return is && err == nil
}

// compliance says how well a run kept to its contract.
type compliance struct {
	// Status is followed, partial, violated or not_evaluated.
	Status string
	// Score is between 0 and 1. It means nothing if Status is not_evaluated.
	Score float64
	// MainIssue is the code of the first issue, or the reason why nothing was evaluated.
	MainIssue  string
	Alignment  string
	Violations []issue
	Warnings   []issue

	outside []model.Text
}

// issue is one deviation from a contract.
type issue struct {
	Code     string     `key:"code" empty:"kept"`
	Detail   string     `key:"detail" empty:"kept"`
	Evidence model.Text `key:"evidence" empty:"kept"`
}

func (i issue) json() object { return spellEntry(nil, &i) }

const (
	firstActionMissing = "missing_first_action"
	outsideScope       = "edit_outside_scope"
	testMissing        = "canonical_test_missing"
	testNotObserved    = "canonical_test_not_observed"
	orientation        = "orientation_command_order_unknown"
)

// Evaluate compares what a run did with its contract.
func Evaluate(c *contract, o Outcome) compliance {
	switch {
	case c == nil:
		return compliance{Status: "not_evaluated", MainIssue: "no_resume_contract"}
	case !o.observed():
		return compliance{Status: "not_evaluated", MainIssue: "no_execution_observation"}
	}
	v := compliance{Score: 1, Alignment: align(c, o)}
	v.firstAction(c, o)
	v.scope(c, o)
	v.test(c, o)
	v.orientation(o)
	return v.conclude()
}

func (v *compliance) firstAction(c *contract, o Outcome) {
	lenient := c.Exploratory || slices.Contains([]string{"analysis", "investigation", "documentation", "qa"}, c.TaskType)
	if c.FirstAction == "" || lenient || holds(o.touched(), c.FirstAction) {
		return
	}
	v.Violations = append(v.Violations, issue{firstActionMissing, "Expected first action path was not observed.", c.FirstAction})
	v.Score -= 0.30
}

func (v *compliance) scope(c *contract, o Outcome) {
	allowed := slices.Concat(c.Primary, c.Secondary)
	if len(allowed) == 0 {
		return
	}
	for _, f := range o.Edited {
		if !slices.ContainsFunc(allowed, func(p model.Text) bool { return matches(path(p).Raw(), path(f).Raw()) }) {
			v.outside = push(v.outside, path(f))
		}
	}
	if len(v.outside) == 0 {
		return
	}
	v.Violations = append(v.Violations, issue{outsideScope, "Edited files outside contract scope.", model.Join(v.outside, ", ")})
	v.Score -= 0.30
}

func (v *compliance) test(c *contract, o Outcome) {
	if c.TestCommand == "" || c.Optional || o.mentions(c.TestCommand) {
		return
	}
	const detail = "Canonical test command was not observed."
	if o.failed() {
		v.Violations = append(v.Violations, issue{testMissing, detail, c.TestCommand})
		v.Score -= 0.25
		return
	}
	v.Warnings = append(v.Warnings, issue{testNotObserved, detail, c.TestCommand})
	v.Score -= 0.10
}

// orientation adds a warning for commands that only look around, because their order is not known.
func (v *compliance) orientation(o Outcome) {
	seen := 0
	for _, e := range o.Commands {
		if looksAround(strings.ToLower(squeeze(e.Command.Raw()))) && len(v.Warnings) < 8 {
			v.Warnings = append(v.Warnings, issue{orientation, "An orientation command was observed; its order is unknown.", e.Command})
			seen++
		}
	}
	v.Score -= min(0.15, 0.05*float64(seen))
}

func looksAround(command string) bool {
	known := []string{"ls ", "find ", "git status ", "git diff ", "grep -r ", "rg . ", "cat readme.md ", "cat docs/", "cat examples/"}
	return slices.ContainsFunc(known, func(c string) bool { return strings.HasPrefix(command+" ", c) })
}

// align says whether the run looked at the expected entry points.
func align(c *contract, o Outcome) string {
	tests := make([]model.Text, len(o.Tests))
	for i, e := range o.Tests {
		tests[i] = e.Command
	}
	switch {
	case len(c.EntryPoints) == 0 || len(o.touched())+len(tests) == 0:
		return "not_evaluated"
	case anyOf(o.touched(), c.EntryPoints):
		return "followed"
	case anyOf(tests, c.EntryPoints):
		return "partially_followed"
	}
	return "ignored"
}

func (v compliance) conclude() compliance {
	v.Score = math.Round(max(v.Score, 0)*100) / 100
	switch {
	case len(v.Violations) > 0:
		v.Status, v.MainIssue = "violated", v.Violations[0].Code
	case len(v.Warnings) > 0:
		v.Status, v.MainIssue = "partial", v.Warnings[0].Code
	default:
		v.Status = "followed"
	}
	return v
}

// FreshGaps returns the gaps that a run opened, in the order in which they are stored.
func FreshGaps(c *contract, v compliance, o Outcome) []Gap {
	if v.Status != "partial" && v.Status != "violated" {
		return nil
	}
	var gaps []Gap
	if i := v.issue(testMissing, testNotObserved); i != nil {
		gaps = append(gaps, Gap{Kind: missingValidation, Severity: NeedsValidation, Policy: prioritize, SourceCode: i.Code,
			Summary: model.Text(i.Detail), Expected: c.TestCommand, Command: c.TestCommand,
			NextAction: "run expected validation command: " + c.TestCommand})
	}
	if i := v.issue(firstActionMissing); i != nil {
		gaps = append(gaps, Gap{Kind: missingFirstAction, Severity: Caution, Policy: surfaceFirst, SourceCode: i.Code,
			Summary: model.Text(i.Detail), Expected: c.FirstAction, RelatedPaths: []model.Text{c.FirstAction},
			NextAction: "inspect required first action: " + c.FirstAction})
	}
	if i := v.issue(outsideScope); i != nil {
		gaps = append(gaps, Gap{Kind: editOutsideScope, Severity: NeedsReview, Policy: surfaceFirst, SourceCode: i.Code,
			Summary: model.Text(i.Detail), RelatedPaths: v.outside, Observed: v.outside,
			NextAction: "review out-of-scope edits and run expected validation"})
	}
	if v.Alignment == "ignored" {
		gaps = append(gaps, Gap{Kind: entryPointsIgnored, Severity: Caution, Policy: surfaceAsBackground,
			SourceCode: "structural_alignment_ignored",
			Summary:    "Expected structural entry points were not inspected or edited.", Expected: model.Join(c.EntryPoints, ", "),
			RelatedPaths: c.EntryPoints, Observed: push(nil, o.touched()...),
			NextAction: "inspect expected structural entry points before continuing"})
	}
	for i := range gaps {
		gaps[i].ExecutionID = o.ExecutionID
	}
	return gaps
}

func (v compliance) issue(codes ...string) *issue {
	all := slices.Concat(v.Violations, v.Warnings)
	i := slices.IndexFunc(all, func(i issue) bool { return slices.Contains(codes, i.Code) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// holds reports whether list contains the file. anyOf reports whether it contains one of the files.
func holds(list []model.Text, file model.Text) bool {
	return slices.ContainsFunc(list, func(t model.Text) bool { return path(t) == path(file) })
}

func anyOf(list, files []model.Text) bool {
	return slices.ContainsFunc(files, func(f model.Text) bool { return holds(list, f) })
}
