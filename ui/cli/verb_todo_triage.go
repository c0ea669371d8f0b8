package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	file "vise/model/todo"
)

// triageTen is how many findings a person is asked about at a time.
const triageTen = 10

// triageFlags are the decisions of triage.
type triageFlags struct {
	verdictFlags
	approve, deferred, allP3 bool
	undo                     bool
	priority, reason         string
}

func (v *todoVerbs) triage() *cobra.Command {
	var f triageFlags
	c := v.verb("triage [ID]…", "Decide on pending todos; without an id: the next ten", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
		decide, err := f.decision(at)
		if err != nil {
			return answer{}, err
		}
		if decide == nil {
			if len(args) > 0 {
				return answer{}, todoMisuse("triage needs a decision on %s", strings.Join(args, ", "))
			}
			return at.inbox()
		}
		if f.allP3 {
			if args, err = at.pendingP3(args); err != nil {
				return answer{}, err
			}
		}
		if len(args) == 0 && !f.allP3 {
			return answer{}, todoMisuse("triage needs the ids that the decision is about")
		}
		var all []file.Todo
		for _, id := range args {
			t, err := decide(id)
			if err != nil {
				return answer{}, fmt.Errorf("after %d were decided: %w", len(all), err)
			}
			all = append(all, t)
		}
		return at.several(all, "no p3 is pending", nil)
	})
	f.add(c)
	c.Flags().BoolVar(&f.approve, "approve", false, "it is to be worked on")
	c.Flags().BoolVar(&f.deferred, "defer", false, "not now: it stays pending")
	c.Flags().BoolVar(&f.undo, "undo", false, "as the operator: take the decision back, an approval as well as a rejection")
	c.Flags().BoolVar(&f.allP3, "all-p3", false, "decide on every pending p3 at once")
	c.Flags().StringVar(&f.priority, "priority", "", "give it another priority: p1, p2, p3")
	c.Flags().StringVar(&f.reason, "reason", "", "why; needed to reject")
	return c
}

// decision is what to do with each todo; nil when none was made. Exactly one is allowed.
func (f triageFlags) decision(at *todoSession) (func(id string) (file.Todo, error), error) {
	verdict, err := f.verdict()
	if err != nil {
		return nil, err
	}
	var chosen []func(id string) (file.Todo, error)
	if verdict != file.Unresolved {
		m := at.move(file.WontFix, f.reason)
		m.Resolution, m.DuplicateOf = verdict, file.Ref(f.duplicateOf)
		chosen = append(chosen, func(id string) (file.Todo, error) { return at.Move(id, m) })
	}
	if f.approve {
		reason := f.reason
		if reason == "" {
			reason = "Triage approved"
		}
		chosen = append(chosen, func(id string) (file.Todo, error) { return at.Move(id, at.move(file.Ready, reason)) })
	}
	if f.deferred {
		chosen = append(chosen, at.leave)
	}
	if f.undo {
		chosen = append(chosen, func(id string) (file.Todo, error) { return at.takeBack(id, f.reason) })
	}
	if f.priority != "" {
		p, err := file.ParsePriority(f.priority)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, func(id string) (file.Todo, error) { return at.Reprioritise(id, p, at.move("", f.reason)) })
	}
	switch len(chosen) {
	case 0:
		return nil, nil
	case 1:
		return chosen[0], nil
	}
	return nil, todoMisuse("triage takes one decision at a time")
}

// takeBack undoes a decision: what was approved is pending again, what was closed is as
// it was before.
func (at *todoSession) takeBack(id, reason string) (file.Todo, error) {
	t, err := at.leave(id)
	if err != nil {
		return t, err
	}
	if t.Status == file.Ready {
		return at.Unapprove(id, at.move("", reason))
	}
	return at.Reopen(id, at.move("", reason))
}

// leave is a deferral: the todo is found and stays what it is.
func (at *todoSession) leave(id string) (file.Todo, error) {
	snap, err := at.Load()
	if err != nil {
		return file.Todo{}, err
	}
	return snap.Index().Resolve(id)
}

// pendingP3 are the pending p3 todos: they may be decided as one, unlike p1 and p2.
func (at *todoSession) pendingP3(args []string) ([]string, error) {
	if len(args) > 0 {
		return nil, todoMisuse("--all-p3 takes no ids")
	}
	snap, err := at.Load()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, t := range (file.Filter{Status: []file.Status{file.Pending}, Priority: []file.Priority{file.P3}}).Select(snap.Todos) {
		ids = append(ids, string(t.Ref()))
	}
	return ids, nil
}

// inbox replies with the next ten pending todos, p1 first, and how many there are.
func (at *todoSession) inbox() (answer, error) {
	snap, err := at.Load()
	if err != nil {
		return answer{}, err
	}
	pending := file.Filter{Status: []file.Status{file.Pending}}.Select(snap.Todos)
	rows, lines := []row{}, []string{}
	for _, t := range pending[:min(triageTen, len(pending))] {
		r := rowOf(t, snap.Index()).brief()
		rows, lines = append(rows, r), append(lines, r.line())
	}
	lines = append(lines, fmt.Sprintf("%d of %d pending", len(rows), len(pending)))
	data := map[string]any{"session": at.Rel, "todos": rows, "pending": len(pending)}
	return answer{data: data, lines: lines, warnings: todoWarnings(damageLines(snap.Damaged)...)}, nil
}
