package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

func (v *todoVerbs) validate() *cobra.Command {
	var fix bool
	c := v.verb("validate", "Check every todo; exit 6 if one breaks a rule", false,
		func(_ context.Context, at *todoSession, _ []string) (answer, error) {
			fixed := []file.Ref{}
			if fix {
				changed, err := at.Fix(at.move("", ""))
				if err != nil {
					return answer{}, err
				}
				for _, t := range changed {
					fixed = append(fixed, t.Ref())
				}
			}
			snap, err := at.Load()
			problems := append([]file.Problem{}, file.CheckAll(snap.Index())...)
			problems = append(problems, file.CheckLikeness(snap.Todos)...)
			r := answer{data: map[string]any{
				"session": at.Rel, "problems": problems, "fixed": fixed, "damaged": append([]todos.Damage{}, snap.Damaged...),
			}}
			errors, warned := len(snap.Damaged), false
			for _, p := range problems {
				if p.Severity == file.Error {
					errors++
				}
				warned = warned || p.Severity == file.Warn
				r.lines = append(r.lines, fmt.Sprintf("%-7s %s %s: %s (%s)", p.Severity, p.Todo, p.Field, safe(p.Message), p.Rule))
			}
			r.lines = append(r.lines, damageLines(snap.Damaged)...)
			r.lines = append(r.lines, fmt.Sprintf("%s, %s, %s, %d repaired", model.Counted(len(snap.Todos), "todo"),
				model.Counted(len(problems), "problem"), model.Counted(errors, "error"), len(fixed)))
			if errors > 0 || warned && v.app.flags.strict {
				r.exit = exitRefused
			}
			return r, err
		})
	c.Flags().BoolVar(&fix, "fix", false, "repair what needs no decision")
	return c
}

// todos verifies the stored knowledge about file todos. It reads again each file that has not changed.
func (c *checkup) todos(dir string) {
	p := todos.ProveKnown(knownTodos(dir))
	said := fmt.Sprintf("%d files are as they are known", p.Files)
	if n := len(p.Wrong); n > 0 {
		said = fmt.Sprintf("%d of %d files are not as they are known, the first %s", n, p.Files, model.Text(p.Wrong[0]))
	}
	c.add("file todos", len(p.Wrong) == 0, said, "what was kept of them is removed, and read again")
}
