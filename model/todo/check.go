package todo

import "slices"

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
	Session  string   `json:"session,omitempty"`
	Todo     Ref      `json:"todo,omitempty"`
	File     string   `json:"file,omitempty"`
	Field    string   `json:"field,omitempty"`
	Message  string   `json:"message"`
	// Fixable says that validate --fix can repair it without a decision by a person.
	Fixable bool `json:"fixable,omitempty"`
}

func (t Todo) problem(s Severity, r Rule, field, message string) Problem {
	return Problem{Severity: s, Rule: r, Todo: t.Ref(), File: t.File, Field: field, Message: message}
}

// Check checks one todo against the contract of its status.
func Check(t Todo) []Problem {
	problems := slices.Clone(t.Notes)
	add := func(s Severity, r Rule, field, message string) {
		problems = append(problems, t.problem(s, r, field, message))
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
	findings := map[Key]Todo{}
	for _, t := range x.All() {
		problems = append(problems, Check(t)...)
		if first, taken := names[t.Ref()]; taken {
			problems = append(problems, t.problem(Error, ruleTwice, "issue_id", "the same id as "+first))
		}
		names[t.Ref()] = t.File
		if k, ok := findingKey(t); ok && !t.Status.Final() {
			switch first, taken := findings[k]; {
			case !taken:
				findings[k] = t
			case first.Said == t.Said:
				problems = append(problems, t.problem(Warn, ruleFinding, "finding_id", "the same finding as "+first.Ref().String()))
			default:
				problems = append(problems, t.problem(Info, ruleReused, "finding_id", "another text with the id of "+first.Ref().String()))
			}
		}
		problems = append(problems, checkLinks(t, x)...)
	}
	return append(problems, checkCircles(x)...)
}

// checkLinks checks what a todo says of others.
func checkLinks(t Todo, x *Index) []Problem {
	var problems []Problem
	add := func(s Severity, r Rule, field, message string, fixable bool) {
		p := t.problem(s, r, field, message)
		p.Fixable = fixable
		problems = append(problems, p)
	}
	if t.DuplicateOf != "" {
		if _, ok := x.Find(t.DuplicateOf.In(t.Source)); !ok {
			add(Warn, RuleDuplicate, "duplicate_of", t.DuplicateOf.String()+" does not exist", false)
		}
	}
	for _, r := range t.Related {
		other, ok := x.Find(r.In(t.Source))
		switch {
		case !ok:
			add(Warn, ruleRelatedGone, "related_todos", r.String()+" does not exist", false)
		case !other.names(t.Ref()):
			add(Warn, RuleRelated, "related_todos", r.String()+" does not name this todo in return", true)
		}
	}
	for _, d := range t.Dependencies {
		if to := d.In(t.Source); to == t.Ref() {
			add(Error, RuleSelf, "dependencies", "depends on itself", true)
		} else if _, ok := x.Find(to); !ok {
			add(Error, RuleDangling, "dependencies", "depends on "+to.String()+", which does not exist", false)
		}
	}
	for _, w := range x.Waiting(t) {
		if w.Rule == ruleClosed {
			add(Warn, ruleClosed, "dependencies", w.On.String()+" was closed without a fix: somebody must decide", false)
		}
	}
	return problems
}

// names reports whether t names a todo as related.
func (t Todo) names(other Ref) bool {
	return slices.ContainsFunc(t.Related, func(r Ref) bool { return r.In(t.Source) == other })
}

// Mended returns t without what validate --fix repairs: a dependency on itself, and todos in by that name t and are not named in return.
func Mended(t Todo, by []Ref) Todo {
	t.Dependencies = slices.DeleteFunc(slices.Clone(t.Dependencies), func(d Ref) bool { return d.In(t.Source) == t.Ref() })
	for _, r := range by {
		if !t.names(r) {
			t = Related(t, r)
		}
	}
	return t
}

// checkCircles finds dependencies in a circle, and the todos that wait for one. Two todos are in one circle if each depends on the other,
// directly or not.
func checkCircles(x *Index) []Problem {
	var problems []Problem
	add := func(s Severity, r Rule, t Todo, message string) {
		problems = append(problems, t.problem(s, r, "dependencies", message))
	}
	needs := map[Ref]map[Ref]bool{} // of each todo in a circle
	for _, t := range x.All() {
		if n := reached(t.Ref(), x.needs); n[t.Ref()] {
			needs[t.Ref()] = n
		}
	}
	if len(needs) == 0 {
		return nil
	}
	for _, t := range x.All() {
		reaches := reached(t.Ref(), x.needs)
		var circle []Ref
		behind := false
		for _, o := range x.All() {
			if to := o.Ref(); reaches[to] && needs[to] != nil {
				if behind = true; needs[to][t.Ref()] {
					circle = append(circle, to)
				}
			}
		}
		if len(circle) > 0 {
			add(Error, RuleCycle, t, "in a circle: "+joined(circle, Ref.String, " → "))
		} else if behind {
			add(Warn, ruleDownstream, t, "depends on a circle, so it can never start")
		}
	}
	return problems
}
