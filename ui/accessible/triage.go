package accessible

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"vise/model/todo"
	"vise/ui/action"
)

// findingsAsked is how many findings are asked about at a time.
const findingsAsked = 10

func pendingOf(all []todo.Todo) []todo.Todo {
	return todo.Filter{Status: []todo.Status{todo.Pending}}.Select(all)
}

// triaging asks about the findings without a decision, ten at a time.
func (s *dialogue) triaging(ctx context.Context) error {
	for {
		name, all := s.Findings.Session(ctx)
		left := slices.DeleteFunc(pendingOf(all), func(t todo.Todo) bool { return s.decided[t.Full()] })
		var options []option
		for _, t := range left[:min(len(left), findingsAsked)] {
			words := fmt.Sprintf("%s, %s, %s", t.Ref(), t.Priority, t.Title)
			options = append(options, option{words, func(ctx context.Context) error { return s.finding(ctx, t, all) }, action.TriageNext})
		}
		options = append(options, s.triageOptions()...)
		back, err := s.choose(ctx, fmt.Sprintf("Findings of %s: %d wait for you", name, len(left)), options)
		if back || err != nil {
			return err
		}
	}
}

// triageOptions are the options that apply to all findings.
func (s *dialogue) triageOptions() []option {
	out := []option{acting(action.TriageBoard, s.running("todo", "list"))}
	if n := len(s.decisions); n > 0 {
		last := s.decisions[n-1]
		o := acting(action.TriageUndo, func(ctx context.Context) error { return s.undoDecision(ctx, last) })
		o.words += ", on " + last.String()
		out = append(out, o)
	}
	return out
}

// finding shows a finding and the code that it is about, and asks for a decision.
func (s *dialogue) finding(ctx context.Context, t todo.Todo, all []todo.Todo) error {
	for _, l := range s.Findings.Describe(ctx, t.Full()) {
		s.say("%s", l)
	}
	_, err := s.choose(ctx, fmt.Sprintf("%s, %s, %s", t.Ref(), t.Priority, t.Title), s.verdicts(t, all))
	return err
}

// verdicts are the decisions of the table.
func (s *dialogue) verdicts(t todo.Todo, all []todo.Todo) []option {
	var out []option
	for _, a := range action.Standard() {
		if (a.In == action.Triage || a.In == action.Files) && a.Verb != "" && a.ID != action.TriageUndo {
			out = append(out, acting(a.ID, func(ctx context.Context) error { return s.judge(ctx, a, t, all) }))
		}
	}
	return out
}

// judge carries out a decision on a finding. If it changed the finding, it can be undone.
func (s *dialogue) judge(ctx context.Context, a action.Action, t todo.Todo, all []todo.Todo) error {
	on, asks := []string{string(t.Full())}, forms[a.ID]
	switch {
	case a.ID == action.TriageDuplicate:
		likely := ""
		if twin, _, ok := todo.Twin(all, t); ok {
			likely = string(twin.Ref())
		}
		in, err := s.ask(ctx, fmt.Sprintf("Of which todo, as review/001 (empty: %s):", cmp.Or(likely, "nothing")))
		in = cmp.Or(in, likely)
		if err != nil || in == "" {
			return err
		}
		a.Verb += "=" + in
		on = append(on, "--reason=Duplicate of "+in)
	case a.ID == action.FileBlock && t.Status.Resumable():
		a.Verb = "todo resume"
	case a.ID == action.FileStart:
		a.Verb += " --approve"
	}
	done, err := s.do(ctx, a.Verb, on, asks...)
	if done && a.In == action.Triage && a.ID != action.TriageRank {
		s.decided[t.Full()] = true
		if a.ID != action.TriageDefer {
			s.decisions = append(s.decisions, t.Full())
		}
	}
	return err
}

// undoDecision undoes the last decision.
func (s *dialogue) undoDecision(ctx context.Context, r todo.Ref) error {
	done, err := s.ran(ctx, strings.NewReader(""), "todo", "triage", string(r), "--undo", "--reason", "Triage undone")
	if done {
		s.decisions = s.decisions[:len(s.decisions)-1]
		delete(s.decided, r)
	}
	return err
}
