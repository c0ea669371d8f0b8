package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

func (v *todoVerbs) validate() *cobra.Command {
	var fix, order bool
	c := v.verb("validate", "Check every todo; exit 6 if one breaks a rule", false,
		func(_ context.Context, at *todoSession, _ []string) (answer, error) {
			fixed := []file.Ref{}
			if fix || order {
				changed, err := at.Fix(at.move("", ""), order)
				if err != nil {
					return answer{}, err
				}
				for _, t := range changed {
					fixed = append(fixed, t.Ref())
				}
			}
			snap, err := at.Load()
			problems := append([]file.Problem{}, file.CheckAll(snap.Index())...)
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
	c.Flags().BoolVar(&order, "order", false, "also write execution_order as the graph gives it")
	return c
}

func (v *todoVerbs) graph() *cobra.Command {
	var source string
	var mermaid bool
	c := v.checking("graph", "What depends on what: order, critical path, cycles", func(at *readSession, _ []string) (answer, error) {
		g := file.NewGraph(at.index)
		if source != "" {
			only := file.Filter{Source: []string{source}}
			if err := only.KnownSources(at.snap.Sources); err != nil {
				return answer{}, err
			}
			g = file.NewGraph(file.NewIndex(only.Select(at.snap.Todos)))
		}
		r := answer{data: map[string]any{"session": at.Rel, "graph": g}, warnings: todoWarnings(damageLines(at.snap.Damaged)...)}
		r.lines = graphLines(g)
		if mermaid {
			r.lines = mermaidLines(g)
		}
		return r, nil
	})
	c.Flags().StringVar(&source, "source", "", "only this source; dependencies on others count as unknown")
	c.Flags().BoolVar(&mermaid, "mermaid", false, "as a Mermaid flowchart")
	return c
}

func graphLines(g *file.Graph) []string {
	lines := []string{"nothing can be put in order"}
	if len(g.Order) > 0 {
		lines = []string{"order: " + joinedRefs(g.Order)}
	}
	if len(g.CriticalPath) > 0 {
		lines = append(lines, "critical path: "+joinedRefs(g.CriticalPath))
	}
	for _, c := range g.Cycles {
		lines = append(lines, "in a circle: "+joinedRefs(c))
	}
	if len(g.Downstream) > 0 {
		lines = append(lines, "behind a circle: "+joinedRefs(g.Downstream))
	}
	for _, e := range g.Dangling {
		lines = append(lines, fmt.Sprintf("%s depends on %s, which does not exist", e.From, e.To))
	}
	for _, r := range g.SelfDependencies {
		lines = append(lines, fmt.Sprintf("%s depends on itself", r))
	}
	return lines
}

func mermaidLines(g *file.Graph) []string {
	lines := []string{"flowchart LR"}
	node := func(r file.Ref) string { return fmt.Sprintf("%s[%q]", nodeName(r), r.String()) }
	for _, r := range g.Order {
		lines = append(lines, "  "+node(r))
	}
	for _, e := range g.Edges {
		if e.Type == file.BlockedBy {
			lines = append(lines, fmt.Sprintf("  %s --> %s", node(e.To), node(e.From)))
		}
	}
	return lines
}

// nodeName returns a ref as a name that is valid in Mermaid.
func nodeName(r file.Ref) string {
	return "t_" + strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, r.Raw())
}

func joinedRefs(refs []file.Ref) string {
	words := make([]string, len(refs))
	for i, r := range refs {
		words[i] = r.String()
	}
	return strings.Join(words, " ")
}

func (v *todoVerbs) manifest() *cobra.Command {
	var source string
	c := v.verb("manifest", "Write the manifests that other tools read", false,
		func(_ context.Context, at *todoSession, _ []string) (answer, error) {
			if source != "" {
				snap, err := at.Load()
				if err == nil {
					err = file.Filter{Source: []string{source}}.KnownSources(snap.Sources)
				}
				if err != nil {
					return answer{}, err
				}
			}
			made, err := at.WriteManifests(source, at.app.now())
			r := answer{data: map[string]any{"session": at.Rel, "manifests": append([]file.Manifest{}, made...)}}
			for _, m := range made {
				r.lines = append(r.lines, fmt.Sprintf("%s: %s", m.Source, m.Summary))
			}
			return r, err
		})
	c.Flags().StringVar(&source, "source", "", "only this source")
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
