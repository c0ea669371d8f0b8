package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	file "vise/model/todo"
	"vise/store/todos"
)

func (v *todoVerbs) cleanup() *cobra.Command {
	var remove, discard, preview bool
	c := v.bare("cleanup", "End a session: todos in progress become interrupted, except those that somebody else has claimed; "+
		"--remove deletes it", func(context.Context, []string) (answer, error) {
		if !preview && !remove {
			return v.cleanUp()
		}
		if remove && v.session == "" && !preview {
			return answer{}, todoMisuse("say with --session which session to remove")
		}
		at, err := v.open(false)
		if err != nil {
			return answer{}, err
		}
		defer at.Close()
		m := at.move("", "")
		switch {
		case preview:
			loss, err := at.Preview(m, hostName(), at.alive())
			return lossReply(loss, "would be removed", err)
		case discard && !at.actor.Operator:
			return answer{}, file.Refuse(file.RuleOperator, "discard", "only an operator can discard unfinished todos")
		}
		loss, err := at.Remove(m, hostName(), at.alive(), discard)
		return lossReply(loss, "removed", err)
	})
	c.Flags().BoolVar(&preview, "preview", false, "only tell what --remove would destroy")
	c.Flags().BoolVar(&remove, "remove", false, "delete the session's todos, when none is unfinished")
	c.Flags().BoolVar(&discard, "discard", false, "as the operator, with --remove: also the unfinished and damaged ones")
	return c
}

// cleanUp interrupts the todos in progress in the selected sessions, and reports what it did not change.
func (v *todoVerbs) cleanUp() (answer, error) {
	var out changed
	var left []string
	err := v.eachSession(func(at *todoSession) error {
		ended, kept, err := at.Cleanup(at.move("", ""), at.alive())
		out.add(at, ended...)
		for _, t := range kept {
			left = append(left, fmt.Sprintf("%s stays in progress: %s holds it until %s", at.label(t), t.AssignedTo, t.Lease.Until))
		}
		return err
	})
	r := out.answer("nothing was interrupted")
	r.warnings = todoWarnings(left...)
	return r, err
}

func lossReply(loss todos.Loss, what string, err error) (answer, error) {
	r := answer{data: loss, warnings: todoWarnings(damageLines(loss.Damaged)...)}
	r.lines = []string{fmt.Sprintf("%s: %d files %s, %d unfinished", loss.Session, loss.Files, what, len(loss.Unfinished))}
	for _, u := range loss.Unfinished {
		r.lines = append(r.lines, "  unfinished: "+u.String())
	}
	return r, err
}
