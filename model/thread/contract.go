package thread

import (
	"slices"
	"strings"

	"vise/model"
)

// Contract is what a run was asked to do.
type Contract struct {
	Goal        model.Text
	FirstAction model.Text
	// Primary and Secondary are the paths that may be edited, with wildcards.
	Primary, Secondary []model.Text
	TestCommand        model.Text
	EntryPoints        []model.Text
	// Exploratory contracts and some kinds of work do not insist on a first action.
	Exploratory bool
	TaskType    string
	// Optional: validation is not required.
	Optional bool
}

// Outcome is what is known of a run after it ended.
type Outcome struct {
	ExecutionID model.Text
	// Success is nil when nobody said.
	Success  *bool
	Opened   []model.Text
	Edited   []model.Text
	Reopened []model.Text
	// Reverted are files whose edits are gone again.
	Reverted []model.Text
	Commands []Execution
	Tests    []Execution
	Errors   []model.Text
	// Patch is what the run's author says of the thread, beside the facts.
	Patch    *Patch
	Contract *Contract
}

// Execution is one command that ran. Without an exit status it is hearsay.
type Execution struct {
	Command model.Text
	// ExitStatus is nil when nobody watched the command end.
	ExitStatus *int
	Head       string
	Dirty      bool
	At         model.Text
}

// Passed reports an observed success.
func (e Execution) Passed() bool { return e.ExitStatus != nil && *e.ExitStatus == 0 }

// Proves reports whether the execution is evidence that command succeeded: it was watched
// to exit with 0, and is that command, alone or in a chain of "&&" whose every link must
// have passed.
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
	return slices.Contains(splitChain(ran), want)
}

func splitChain(command string) []string {
	parts := strings.Split(command, "&&")
	for i := range parts {
		parts[i] = trim(parts[i])
	}
	return parts
}

// observed reports whether anything at all is known of what the run did.
func (o Outcome) observed() bool {
	return len(o.Opened)+len(o.Edited)+len(o.Commands)+len(o.Tests) > 0
}

// ran lists every command and test, in that order.
func (o Outcome) ran() []Execution { return slices.Concat(o.Commands, o.Tests) }

// touched lists every file that was opened or edited.
func (o Outcome) touched() []model.Text { return slices.Concat(o.Opened, o.Edited) }

// mentions reports whether a run names the command, equal or as a part. It opens no gap;
// whether the command passed is another question.
func (o Outcome) mentions(command model.Text) bool {
	want := squeeze(command.Raw())
	return slices.ContainsFunc(o.ran(), func(e Execution) bool {
		return want != "" && strings.Contains(squeeze(e.Command.Raw()), want)
	})
}

func (o Outcome) failed() bool { return o.Success != nil && !*o.Success }

// readContract reads a contract as a run's preparation wrote it.
func readContract(v any) (*Contract, bool) {
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
	c := &Contract{
		Goal: m.text("task_goal"), FirstAction: path(first.text("path")),
		Primary: scope.list("primary"), Secondary: scope.list("secondary_if_needed"),
		TestCommand: test.text("command"), EntryPoints: m.list("expected_first_files"),
		Exploratory: m.text("contract_strength") == "exploratory", TaskType: strings.ToLower(policy.text("task_type").Raw()),
	}
	if c.Goal == "" {
		c.Goal = top.text("task_goal")
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

// path spells a path of the repository one way.
func path(t model.Text) model.Text { return model.Text(strings.TrimPrefix(t.Raw(), "./")) }

// matches is a path against a pattern in which * and ? match anything, separators too.
func matches(pattern, name string) bool {
	for pattern != "" {
		switch pattern[0] {
		case '*':
			rest := strings.TrimLeft(pattern, "*")
			for i := 0; i <= len(name); i++ {
				if matches(rest, name[i:]) {
					return true
				}
			}
			return false
		case '?':
			if name == "" {
				return false
			}
		default:
			if name == "" || name[0] != pattern[0] {
				return false
			}
		}
		pattern, name = pattern[1:], name[1:]
	}
	return name == ""
}
