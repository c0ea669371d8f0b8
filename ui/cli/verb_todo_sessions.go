package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	file "vise/model/todo"
	"vise/store/todos"
)

func (v *todoVerbs) adopt() *cobra.Command {
	var item string
	c := v.bare("adopt FROM [ID]…", "Take the unfinished todos of a session over: into another (--session), or linked to a work item "+
		"(--item)", func(ctx context.Context, args []string) (answer, error) {
		if item == "" || v.session != "" {
			return v.adoptHere(ctx, args, item)
		}
		v.session = args[0]
		at, err := v.open(false)
		if err != nil {
			return answer{}, err
		}
		defer at.Close()
		return v.adoptInto(ctx, at, item, args[1:])
	})
	c.Flags().StringVar(&item, "item", "", "link them to this work item")
	return c
}

// adoptHere adopts into the session that --session names. If an item is named, it also links the adopted todos to it.
func (v *todoVerbs) adoptHere(ctx context.Context, args []string, item string) (answer, error) {
	if v.session == "" {
		return answer{}, todoMisuse("say with --session into which session to adopt, or with --item for which work item")
	}
	at, err := v.open(true)
	if err != nil {
		return answer{}, err
	}
	defer at.Close()
	from, err := v.named(args[0], todos.Open)
	if err != nil {
		return answer{}, err
	}
	defer from.Close()
	adopted, err := at.Adopt(from, args[1:], at.move("", ""), at.alive())
	if err != nil {
		return answer{}, err
	}
	r := adoptedReply(at, from, adopted)
	if item == "" || len(adopted) == 0 {
		return r, nil
	}
	var refs []string
	for _, a := range adopted {
		refs = append(refs, a.To.Ref().Raw())
	}
	linked, err := v.adoptInto(ctx, at, item, refs)
	linked.warnings = append(r.warnings, linked.warnings...)
	return linked, err
}

func adoptedReply(at *todoSession, from *todos.Session, adopted []todos.Adopted) answer {
	r := answer{data: map[string]any{"session": at.Rel, "from": from.Rel, "adopted": append([]todos.Adopted{}, adopted...)}}
	for _, a := range adopted {
		r.lines = append(r.lines, fmt.Sprintf("%s goes on as %s", a.From, a.To.Ref()))
		for _, lost := range a.Dropped {
			r.warnings = append(r.warnings, todoWarnings(fmt.Sprintf("%s no longer names %s, which stayed behind", a.To.Ref(), lost))...)
		}
	}
	if len(adopted) == 0 {
		r.lines = []string{"nothing there is unfinished"}
	}
	return r
}

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

func (v *todoVerbs) repair() *cobra.Command {
	return v.verb("repair [ID]…", "Give files that say done or completed the status complete; each is kept as it was, beside it", false,
		func(_ context.Context, at *todoSession, args []string) (answer, error) {
			all, err := at.Repair(args, at.move("", ""))
			r := answer{data: map[string]any{"session": at.Rel, "repaired": all}}
			for _, x := range all {
				said := fmt.Sprintf("%s  %s → %s, as it was: %s", at.label(x.Todo), safe(x.Was), x.Todo.Status, safe(x.Copy))
				r.lines = append(r.lines, said)
			}
			if len(all) == 0 {
				r.lines = []string{"no file says done or completed"}
			}
			return r, err
		})
}

func lossReply(loss todos.Loss, what string, err error) (answer, error) {
	r := answer{data: loss, warnings: todoWarnings(damageLines(loss.Damaged)...)}
	r.lines = []string{fmt.Sprintf("%s: %d files %s, %d unfinished", loss.Session, loss.Files, what, len(loss.Unfinished))}
	for _, u := range loss.Unfinished {
		r.lines = append(r.lines, "  unfinished: "+u.String())
	}
	return r, err
}
