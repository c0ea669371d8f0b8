package cli

import (
	"cmp"
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
	closeFlags
	approve, deferred, allP3 bool
	undo                     bool
	priority, reason         string
}

func (v *todoVerbs) triage() *cobra.Command {
	var f triageFlags
	c := v.verb("triage [ID]…", "Decide on pending todos; without an id: the next ten", false,
		func(_ context.Context, at *todoSession, args []string) (answer, error) {
			decide, err := f.decision(at)
			switch {
			case err != nil:
				return answer{}, err
			case decide == nil && len(args) > 0:
				return answer{}, todoMisuse("triage needs a decision on %s", strings.Join(args, ", "))
			case decide == nil:
				return at.inbox()
			case f.allP3:
				if args, err = at.pendingP3(args); err != nil {
					return answer{}, err
				}
			case len(args) == 0:
				return answer{}, todoMisuse("triage needs the ids that the decision is about")
			}
			return at.each(args, "no p3 is pending", decide)
		})
	flags := c.Flags()
	flags.BoolVar(&f.approve, "approve", false, "it is to be worked on")
	flags.BoolVar(&f.deferred, "defer", false, "not now: it stays pending")
	flags.BoolVar(&f.undo, "undo", false, "as the operator: take the decision back, an approval as well as a rejection")
	flags.BoolVar(&f.allP3, "all-p3", false, "decide on every pending p3 at once")
	flags.StringVar(&f.priority, "priority", "", "give it another priority: p1, p2, p3")
	flags.StringVar(&f.reason, "reason", "", "why; needed to reject")
	f.add(c, "approve", "defer", "undo", "priority")
	return c
}

// decision is what to do with each todo; nil when none was made.
func (f triageFlags) decision(at *todoSession) (func(id string) (file.Todo, error), error) {
	switch {
	case f.resolution() != file.Unresolved:
		return func(id string) (file.Todo, error) { return at.Move(id, f.move(at, f.reason)) }, nil
	case f.approve:
		reason := cmp.Or(f.reason, "Triage approved")
		return func(id string) (file.Todo, error) { return at.Move(id, at.move(file.Ready, reason)) }, nil
	case f.deferred:
		return at.find, nil
	case f.undo:
		return func(id string) (file.Todo, error) { return at.takeBack(id, f.reason) }, nil
	case f.priority != "":
		p, err := file.ParsePriority(f.priority)
		return func(id string) (file.Todo, error) { return at.Reprioritise(id, p, at.move("", f.reason)) }, err
	}
	return nil, nil
}

// takeBack undoes a decision: what was approved is pending again, what was closed is as
// it was before.
func (at *todoSession) takeBack(id, reason string) (file.Todo, error) {
	t, err := at.find(id)
	if err != nil {
		return t, err
	}
	if t.Status == file.Ready {
		return at.Unapprove(id, at.move("", reason))
	}
	return at.Reopen(id, at.move("", reason))
}

// find is a todo as it is.
func (at *todoSession) find(id string) (file.Todo, error) {
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

// inbox answers with the next ten pending todos, p1 first, and how many there are.
func (at *todoSession) inbox() (answer, error) {
	snap, err := at.Load()
	pending := file.Filter{Status: []file.Status{file.Pending}}.Select(snap.Todos)
	rows, lines := briefly(pending[:min(triageTen, len(pending))], snap.Index())
	lines = append(lines, fmt.Sprintf("%d of %d pending", len(rows), len(pending)))
	data := map[string]any{"session": at.Rel, "todos": rows, "pending": len(pending)}
	return answer{data: data, lines: lines, warnings: todoWarnings(damageLines(snap.Damaged)...)}, err
}
