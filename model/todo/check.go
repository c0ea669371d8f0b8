package todo

import (
	"slices"
)

// Severity says how bad a problem is. An error breaks the contract. A warning does not keep the file from being read. Info is only good to
// know.
type Severity string

const (
	Error Severity = "error"
	Warn  Severity = "warning"
	Info  Severity = "info"
)

// Problem is a clause of the contract that a stored todo does not meet.
type Problem struct {
	Severity Severity `json:"severity"`
	Rule     Rule     `json:"rule"`
	Todo     Ref      `json:"todo,omitempty"`
	File     string   `json:"file,omitempty"`
	Field    string   `json:"field,omitempty"`
	Message  string   `json:"message"`
	// Fixable says that validate --fix can repair it without a decision by a person.
	Fixable bool `json:"fixable,omitempty"`
}

// Check checks one todo against the contract of its status.
func Check(t Todo) []Problem {
	problems := slices.Clone(t.Notes)
	add := func(s Severity, r Rule, field, message string) {
		problems = append(problems, Problem{Severity: s, Rule: r, Todo: t.Ref(), File: t.File, Field: field, Message: message})
	}
	for _, key := range missing(t, contract[t.Status]) {
		add(Error, ruleOf(t.Status, key), key, string(t.Status)+" needs "+key)
	}
	checkResolution(t, add)
	if t.Schema < Schema {
		add(Info, ruleSchema, "schema_version", "written by an earlier release; read with defaults")
	}
	if !slices.Contains(Sources(), t.Source) {
		add(Warn, ruleSourceKnown, "source", "a source that no release knows")
	}
	if n := len(t.History); n > 0 && t.History[n-1].To != t.Status {
		add(Warn, RuleHistory, "status", "the history ends with "+string(t.History[n-1].To)+", the front matter says "+string(t.Status))
	}
	return problems
}

func checkResolution(t Todo, add func(Severity, Rule, string, string)) {
	switch {
	case t.Resolution == Unresolved:
	case t.Status == Complete && t.Resolution != Fixed:
		add(Warn, ruleFixed, "resolution", "complete means fixed, not "+string(t.Resolution))
	case t.Status == WontFix && t.Resolution == Fixed:
		add(Warn, ruleRejection, "resolution", "wont_fix does not mean fixed")
	case !t.Status.Final():
		add(Warn, ruleLeftover, "resolution", "an open todo has the resolution "+string(t.Resolution))
	}
	if t.Resolution == Duplicate && t.DuplicateOf == "" {
		add(Error, RuleDuplicate, "duplicate_of", "a duplicate names what it duplicates")
	}
}

// CheckAll checks every todo against the contract, and all todos against each other.
func CheckAll(x *Index) []Problem {
	var problems []Problem
	names := map[Ref]string{}
	findings := map[Key]Ref{}
	for _, t := range x.All() {
		problems = append(problems, Check(t)...)
		if first, taken := names[t.Ref()]; taken {
			problems = append(problems, Problem{Severity: Error, Rule: ruleTwice, Todo: t.Ref(), File: t.File, Field: "issue_id",
				Message: "the same id as " + first})
		}
		names[t.Ref()] = t.File
		if k, ok := KeyOf(t); ok {
			if first, taken := findings[k]; taken {
				problems = append(problems, Problem{Severity: Warn, Rule: ruleFinding, Todo: t.Ref(), File: t.File, Field: "finding_id",
					Message: "the same finding as " + first.String()})
			} else {
				findings[k] = t.Ref()
			}
		}
		problems = append(problems, checkLinks(t, x)...)
	}
	return append(problems, checkGraph(x)...)
}

func checkLinks(t Todo, x *Index) []Problem {
	var problems []Problem
	add := func(r Rule, field, message string, fixable bool) {
		problems = append(problems, Problem{Warn, r, t.Ref(), t.File, field, message, fixable})
	}
	if t.DuplicateOf != "" {
		if _, ok := x.Find(t.DuplicateOf.In(t.Source)); !ok {
			add(RuleDuplicate, "duplicate_of", t.DuplicateOf.String()+" does not exist", false)
		}
	}
	for _, r := range t.Related {
		other, ok := x.Find(r.In(t.Source))
		switch {
		case !ok:
			add(ruleRelatedGone, "related_todos", r.String()+" does not exist", false)
		case !slices.ContainsFunc(other.Related, func(b Ref) bool { return b.In(other.Source) == t.Ref() }):
			add(RuleRelated, "related_todos", r.String()+" does not name this todo in return", true)
		}
	}
	for _, w := range x.Waiting(t) {
		if w.Rule == ruleClosed {
			add(ruleClosed, "dependencies", w.On.String()+" was closed without a fix: somebody must decide", false)
		}
	}
	return problems
}

func checkGraph(x *Index) []Problem {
	g := NewGraph(x)
	var problems []Problem
	add := func(s Severity, r Rule, ref Ref, message string, fixable bool) {
		t, _ := x.Find(ref)
		problems = append(problems, Problem{s, r, ref, t.File, "dependencies", message, fixable})
	}
	for _, r := range g.SelfDependencies {
		add(Error, RuleSelf, r, "depends on itself", true)
	}
	for _, e := range g.Dangling {
		add(Error, RuleDangling, e.From, "depends on "+e.To.String()+", which does not exist", false)
	}
	for _, c := range g.Cycles {
		for _, r := range c {
			add(Error, RuleCycle, r, "in a circle: "+joined(c, Ref.String, " → "), false)
		}
	}
	for _, r := range g.Downstream {
		add(Warn, ruleDownstream, r, "depends on a circle, so it can never start", false)
	}
	for _, r := range g.Stale {
		add(Info, RuleOrder, r, "execution_order does not match the graph", false)
	}
	return problems
}
