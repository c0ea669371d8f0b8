package todo

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	file "vise/model/todo"
	"vise/store/todos"
	"vise/ui/reply"
)

func (d *door) validate() *cobra.Command {
	var fix, order bool
	c := d.verb("validate", "Hold every todo against the contract; exits 6 when one breaks it", wants{0, 0}, false, func(at *desk, _ []string) (outcome, error) {
		fixed := []file.Ref{}
		if fix || order {
			changed, err := at.Fix(at.move("", ""), order)
			if err != nil {
				return outcome{}, err
			}
			for _, t := range changed {
				fixed = append(fixed, t.Ref())
			}
		}
		snap, err := at.Load()
		if err != nil {
			return outcome{}, err
		}
		problems := append([]file.Problem{}, file.CheckAll(snap.Index())...)
		r := outcome{data: map[string]any{
			"session": at.Rel, "problems": problems, "fixed": fixed, "damaged": append([]todos.Damage{}, snap.Damaged...),
		}}
		errors := len(snap.Damaged)
		for _, p := range problems {
			if p.Severity == file.Error {
				errors++
			}
			r.human = append(r.human, fmt.Sprintf("%-7s %s %s: %s (%s)", p.Severity, p.Todo, p.Field, shown(p.Message), p.Rule))
		}
		r.human = append(r.human, damageLines(snap.Damaged)...)
		r.human = append(r.human, fmt.Sprintf("%d todos, %d problems, %d errors, %d repaired", len(snap.Todos), len(problems), errors, len(fixed)))
		if errors > 0 {
			r.status = reply.ExitRefused
		}
		return r, nil
	})
	c.Flags().BoolVar(&fix, "fix", false, "repair what needs no decision")
	c.Flags().BoolVar(&order, "order", false, "also write execution_order as the graph gives it")
	return c
}

func (d *door) graph() *cobra.Command {
	var source string
	var mermaid bool
	c := d.verb("graph", "What depends on what: order, critical path, circles", wants{0, 0}, false, func(at *desk, _ []string) (outcome, error) {
		snap, err := at.Load()
		if err != nil {
			return outcome{}, err
		}
		filter := file.Filter{}
		if source != "" {
			filter.Source = []string{source}
		}
		if err := filter.KnownSources(snap.Sources); err != nil {
			return outcome{}, err
		}
		g := file.NewGraph(file.NewIndex(filter.Select(snap.Todos)))
		if source == "" {
			g = file.NewGraph(snap.Index())
		}
		r := outcome{data: map[string]any{"session": at.Rel, "graph": g}, warnings: damageLines(snap.Damaged)}
		r.human = graphLines(g)
		if mermaid {
			r.human = mermaidLines(g)
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
		lines = []string{"order: " + joined(g.Order)}
	}
	if len(g.CriticalPath) > 0 {
		lines = append(lines, "critical path: "+joined(g.CriticalPath))
	}
	for _, c := range g.Cycles {
		lines = append(lines, "in a circle: "+joined(c))
	}
	if len(g.Downstream) > 0 {
		lines = append(lines, "behind a circle: "+joined(g.Downstream))
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

// nodeName is a ref as Mermaid admits it for a name.
func nodeName(r file.Ref) string {
	return "t_" + strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, r.Raw())
}

func joined(refs []file.Ref) string {
	words := make([]string, len(refs))
	for i, r := range refs {
		words[i] = r.String()
	}
	return strings.Join(words, " ")
}

func (d *door) manifest() *cobra.Command {
	var source string
	c := d.verb("manifest", "Write the manifests that other tools read", wants{0, 0}, false, func(at *desk, _ []string) (outcome, error) {
		if source != "" {
			snap, err := at.Load()
			if err == nil {
				err = file.Filter{Source: []string{source}}.KnownSources(snap.Sources)
			}
			if err != nil {
				return outcome{}, err
			}
		}
		made, err := at.WriteManifests(source, at.env.Now())
		if err != nil {
			return outcome{}, err
		}
		r := outcome{data: map[string]any{"session": at.Rel, "manifests": append([]file.Manifest{}, made...)}}
		for _, m := range made {
			r.human = append(r.human, fmt.Sprintf("%s: %s", m.Source, m.Summary))
		}
		return r, nil
	})
	c.Flags().StringVar(&source, "source", "", "only this source")
	return c
}

func (d *door) dedup() *cobra.Command {
	return d.verb("dedup", "Todos that look alike", wants{0, 0}, false, func(at *desk, _ []string) (outcome, error) {
		snap, err := at.Load()
		if err != nil {
			return outcome{}, err
		}
		pairs := append([]file.Similar{}, file.FindSimilar(snap.Todos)...)
		var lines []string
		for _, p := range pairs {
			lines = append(lines, fmt.Sprintf("%.2f  %s  %s", p.Score, p.Keep, p.Other))
		}
		if len(lines) == 0 {
			lines = []string{"no two todos look alike"}
		}
		return outcome{data: map[string]any{"session": at.Rel, "similar": pairs}, human: lines}, nil
	})
}
