package todo

import (
	"fmt"

	"github.com/spf13/cobra"

	file "vise/model/todo"
	"vise/store/todos"
)

func (d *door) adopt() *cobra.Command {
	var item string
	c := d.bare("adopt FROM [ID]…", "Take the unfinished todos of a session over: into another (--session), or linked to a work item (--item)", wants{1, -1}, func(args []string) (outcome, error) {
		if item == "" || d.session != "" {
			return d.moving(args, item)
		}
		d.session = args[0]
		at, err := d.sit(false)
		if err != nil {
			return outcome{}, err
		}
		defer at.Close()
		return d.adoptInto(at, item, args[1:])
	})
	c.Flags().StringVar(&item, "item", "", "link them to this work item")
	return c
}

// moving adopts into the session that --session names, and links what was adopted when an
// item is named, too.
func (d *door) moving(args []string, item string) (outcome, error) {
	if d.session == "" {
		return outcome{}, usage("say with --session into which session to adopt, or with --item for which work item")
	}
	at, err := d.sit(true)
	if err != nil {
		return outcome{}, err
	}
	defer at.Close()
	from, err := d.named(at.repo, args[0], todos.Open)
	if err != nil {
		return outcome{}, explained(err)
	}
	defer from.Close()
	adopted, err := at.Adopt(from, args[1:], at.move("", ""), at.alive())
	if err != nil {
		return outcome{}, err
	}
	r := adoptedReply(at, from, adopted)
	if item == "" || len(adopted) == 0 {
		return r, nil
	}
	var refs []string
	for _, a := range adopted {
		refs = append(refs, a.To.Ref().Raw())
	}
	linked, err := d.adoptInto(at, item, refs)
	linked.warnings = append(r.warnings, linked.warnings...)
	return linked, err
}

func adoptedReply(at *desk, from *todos.Session, adopted []todos.Adopted) outcome {
	r := outcome{data: map[string]any{"session": at.Rel, "from": from.Rel, "adopted": append([]todos.Adopted{}, adopted...)}}
	for _, a := range adopted {
		r.human = append(r.human, fmt.Sprintf("%s goes on as %s", a.From, a.To.Ref()))
		for _, lost := range a.Dropped {
			r.warnings = append(r.warnings, fmt.Sprintf("%s no longer names %s, which stayed behind", a.To.Ref(), lost))
		}
	}
	if len(adopted) == 0 {
		r.human = []string{"nothing there is unfinished"}
	}
	return r
}

func (d *door) cleanup() *cobra.Command {
	var remove, discard, preview bool
	c := d.verb("cleanup", "End a session: what is in progress becomes interrupted; --remove deletes it", wants{0, 0}, false, func(at *desk, _ []string) (outcome, error) {
		m := at.move("", "")
		switch {
		case preview:
			loss, err := at.Preview(m, at.env.Host, at.alive())
			return lossReply(loss, "would be removed", err)
		case remove && d.session == "":
			return outcome{}, usage("say with --session which session to remove")
		case remove:
			if discard && !at.actor.Operator {
				return outcome{}, file.Refuse(file.RuleOperator, "discard", "only an operator can discard unfinished todos")
			}
			loss, err := at.Remove(m, at.env.Host, at.alive(), discard)
			return lossReply(loss, "removed", err)
		}
		all, err := at.Cleanup(m)
		return at.several(all, "nothing was in progress", err)
	})
	c.Flags().BoolVar(&preview, "preview", false, "only tell what --remove would destroy")
	c.Flags().BoolVar(&remove, "remove", false, "delete the session's todos, when none is unfinished")
	c.Flags().BoolVar(&discard, "discard", false, "as the operator, with --remove: also the unfinished and damaged ones")
	return c
}

func lossReply(loss todos.Loss, what string, err error) (outcome, error) {
	if err != nil {
		return outcome{}, err
	}
	r := outcome{data: loss, warnings: damageLines(loss.Damaged)}
	r.human = []string{fmt.Sprintf("%s: %d files %s, %d unfinished", loss.Session, loss.Files, what, len(loss.Unfinished))}
	for _, u := range loss.Unfinished {
		r.human = append(r.human, "  unfinished: "+u.String())
	}
	return r, nil
}
