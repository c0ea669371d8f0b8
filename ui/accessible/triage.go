package accessible

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/model/todo"
	"vise/ui/action"
)

// triage holds the decisions on findings in this session.
type triage struct {
	// decided are the findings that are not asked about again. decisions are those that can be undone, the newest last.
	decided   map[todo.Ref]bool
	decisions []todo.Ref
}

// findingsAsked is how many findings are asked about at a time.
const findingsAsked = 10

func pendingOf(all []todo.Todo) []todo.Todo {
	return todo.Filter{Status: []todo.Status{todo.Pending}}.Select(all)
}

// triaging asks about the findings without a decision, ten at a time.
func (s *session) triaging(ctx context.Context) error {
	for {
		name, all := s.Findings.Session(ctx)
		left := slices.DeleteFunc(pendingOf(all), func(t todo.Todo) bool { return s.triage.decided[t.Full()] })
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
func (s *session) triageOptions() []option {
	out := []option{acting(action.TriageBoard, func(ctx context.Context) error { return s.run(ctx, "todo", "list") })}
	if n := len(s.triage.decisions); n > 0 {
		last := s.triage.decisions[n-1]
		o := acting(action.TriageUndo, func(ctx context.Context) error { return s.undoDecision(ctx, last) })
		o.words += ", on " + last.String()
		out = append(out, o)
	}
	return out
}

// finding shows a finding and the code that it is about, and asks for a decision.
func (s *session) finding(ctx context.Context, t todo.Todo, all []todo.Todo) error {
	for _, l := range s.Findings.Describe(ctx, t.Full()) {
		s.say("%s", l)
	}
	_, err := s.choose(ctx, fmt.Sprintf("%s, %s, %s", t.Ref(), t.Priority, t.Title), s.verdicts(t, all))
	return err
}

// verdicts are the decisions of the table, each carried out by its own command.
func (s *session) verdicts(t todo.Todo, all []todo.Todo) []option {
	var out []option
	for _, a := range action.Standard() {
		verb := strings.Fields(a.Verb)
		if a.In != action.Triage && a.In != action.Files || len(verb) < 2 || a.ID == action.TriageUndo {
			continue
		}
		args := slices.Insert(slices.Clone(verb), 2, string(t.Full()))
		out = append(out, acting(a.ID, func(ctx context.Context) error { return s.askDecision(ctx, a.ID, t, all, args) }))
	}
	return out
}

// askDecision asks for the details of a decision, and carries it out.
func (s *session) askDecision(ctx context.Context, id action.ID, t todo.Todo, all []todo.Todo, args []string) error {
	switch id {
	case action.TriageApprove:
		return s.decide(ctx, t.Full(), true, args)
	case action.TriageDefer:
		return s.decide(ctx, t.Full(), false, args)
	case action.FilePromote:
		return s.run(ctx, args...)
	case action.FileBlock:
		if t.Status.Resumable() {
			args[1] = "resume"
		}
		return s.run(ctx, args...)
	case action.FileStart:
		return s.run(ctx, append(args, "--approve")...)
	case action.FileComplete:
		return s.asked(ctx, "What fixed it?", func(why string) error { return s.run(ctx, append(args, "--reason="+why)...) })
	case action.TriageRank:
		return s.asked(ctx, "p1, p2 or p3:", func(in string) error { return s.run(ctx, append(args, in)...) })
	case action.TriageDuplicate:
		likely := todo.Ref("")
		if twin, _, ok := todo.Twin(all, t); ok {
			likely = twin.Ref()
		}
		in, err := s.ask(ctx, fmt.Sprintf("Of which todo, as review/001 (empty: %s):", cmp.Or(string(likely), "nothing")))
		if in = cmp.Or(in, string(likely)); err != nil || in == "" {
			return err
		}
		return s.decide(ctx, t.Full(), true, append(args, in, "--reason", "Duplicate of "+in))
	}
	return s.asked(ctx, "Why?", func(why string) error { return s.decide(ctx, t.Full(), true, append(args, "--reason="+why)) })
}

// decide carries out a decision. If it changed the finding, it can be undone.
func (s *session) decide(ctx context.Context, r todo.Ref, changes bool, args []string) error {
	done, err := s.ran(ctx, "", args...)
	if !done {
		return err
	}
	if s.triage.decided == nil {
		s.triage.decided = map[todo.Ref]bool{}
	}
	s.triage.decided[r] = true
	if changes {
		s.triage.decisions = append(s.triage.decisions, r)
	}
	return err
}

// undoDecision undoes the last decision.
func (s *session) undoDecision(ctx context.Context, r todo.Ref) error {
	done, err := s.ran(ctx, "", "todo", "triage", string(r), "--undo", "--reason", "Triage undone")
	if done {
		s.triage.decisions = s.triage.decisions[:len(s.triage.decisions)-1]
		delete(s.triage.decided, r)
	}
	return err
}

// askCompletion asks for the details of a completion other than its report: the reason to complete although the item's threads have
// warnings, and a decision on each open linked todo. It returns flags, or nil if the operator gives up.
func (s *session) askCompletion(ctx context.Context, l itemView) ([]string, error) {
	args := []string{}
	var against []model.Warning
	if s.Against != nil {
		against = s.Against(l.detail.Links.Threads)
	}
	for _, w := range against {
		s.say("%s.", model.Text(w.Message))
	}
	if len(against) > 0 {
		why, err := s.ask(ctx, "Why complete it all the same? Empty: it stays open:")
		if err != nil || why == "" {
			return nil, err
		}
		args = append(args, "--anyway="+why)
	}
	if s.Findings == nil || len(l.detail.Links.TodoRefs) == 0 {
		return args, nil
	}
	for _, t := range s.Findings.Open(ctx, l.detail.Links.TodoRefs) {
		word, err := s.askTodoDecision(ctx, t)
		if err != nil || word == "" {
			return nil, err
		}
		args = append(args, "--todo", string(t.Ref())+"="+word)
	}
	return args, nil
}

// askTodoDecision asks for the decision on a linked todo whose item is completed; "" means no answer.
func (s *session) askTodoDecision(ctx context.Context, t todo.Todo) (word string, err error) {
	fixed := func(words, is, question string) option {
		return option{words, func(ctx context.Context) error {
			word = is
			if question == "" {
				return nil
			}
			in, err := s.ask(ctx, question)
			if word = is + ":" + in; in == "" {
				word = ""
			}
			return err
		}, ""}
	}
	_, err = s.choose(ctx, fmt.Sprintf("What becomes of %s, %s?", t.Ref(), t.Title), []option{
		fixed("It is finished", "finished", ""), fixed("It won't be fixed", "wont_fix", "Why?"),
		fixed("It moves to another work item", "moved", "Which one?"), fixed("It stays open", "keep", ""),
	})
	return word, err
}
