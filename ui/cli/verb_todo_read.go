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

// safe makes words from outside safe on a terminal.
func safe(s string) string { return model.Text(s).String() }

// listing is the data of list.
type listing struct {
	Session string         `json:"session"`
	Todos   []row          `json:"todos"`
	Damaged []todos.Damage `json:"damaged"`
	Summary file.Counts    `json:"summary"`
}

func (v *todoVerbs) list() *cobra.Command {
	var f filterFlags
	var waiting, stale bool
	c := v.reading("list", "The todos of a session, by priority and number", (*todos.Session).
		Load, &f, func(at readingTodos, _ []string) (answer, error) {
		x := at.snap.Index()
		left, err := at.stale(x)
		out := listing{Session: at.Rel, Todos: []row{}, Damaged: append([]todos.Damage{}, at.snap.Damaged...)}
		kept := []file.Todo{}
		var lines []string
		for _, t := range at.filter.Select(at.snap.Todos) {
			r := rowOf(t, x).brief()
			r.Stale = left[t.Ref()]
			if waiting && len(r.WaitingOn) == 0 || stale && r.Stale == nil {
				continue
			}
			out.Todos, kept, lines = append(out.Todos, r), append(kept, t), append(lines, r.line())
		}
		out.Summary = file.Count(kept)
		lines = append(lines, at.Rel+": "+out.Summary.String())
		return answer{data: out, warnings: todoWarnings(damageLines(at.snap.Damaged)...), lines: lines}, err
	})
	f.add(c, true)
	c.Flags().BoolVar(&waiting, "waiting", false, "only what waits on a dependency")
	c.Flags().BoolVar(&stale, "stale", false, "only what was left behind, with the reason")
	return c
}

func (v *todoVerbs) show() *cobra.Command {
	return v.reading("show ID", "One todo: its facts, its history, its problems and its text", (*todos.Session).
		LoadBodies, nil, func(at readingTodos, args []string) (answer, error) {
		x := at.snap.Index()
		t, err := x.Resolve(args[0])
		if err != nil {
			return answer{}, err
		}
		r := rowOf(t, x)
		left, err := at.stale(x)
		r.Stale = left[t.Ref()]
		problems := append([]file.Problem{}, file.Check(t)...)
		lines := []string{r.line(), ""}
		for _, h := range t.History {
			from := string(h.From)
			if from == "" {
				from = file.NoStatus
			}
			lines = append(lines, fmt.Sprintf("  %s  %s → %s  %s: %s", h.At, from, h.To, h.Actor, h.Reason))
		}
		for _, p := range problems {
			lines = append(lines, fmt.Sprintf("  %s: %s (%s)", p.Severity, safe(p.Message), p.Rule))
		}
		for line := range strings.SplitSeq(at.snap.Body(t), "\n") {
			lines = append(lines, safe(strings.TrimRight(line, "\r")))
		}
		data := map[string]any{"session": at.Rel, "todo": r, "problems": problems, "body": model.Text(at.snap.Body(t))}
		return answer{data: data, lines: lines}, err
	})
}

func (v *todoVerbs) next() *cobra.Command {
	var f filterFlags
	var l leaseFlags
	var claim bool
	c := v.reading("next", "The first todo that can be worked on; with --claim it is yours", (*todos.Session).
		Load, &f, func(at readingTodos, _ []string) (answer, error) {
		if !claim {
			t, why := at.snap.Index().Next(at.filter.Admits)
			return at.offered(t, why, nil)
		}
		lease, err := l.lease(at.todoSession)
		if err != nil {
			return answer{}, err
		}
		m := at.move(file.InProgress, "")
		m.Lease = lease
		t, why, swept, err := at.Claim(at.filter.Admits, m, at.alive())
		if err != nil {
			return answer{}, err
		}
		return at.offered(t, why, swept)
	})
	f.add(c, false)
	l.add(c)
	c.Flags().BoolVar(&claim, "claim", false, "claim it: of many that ask at once each gets another")
	return c
}

// offered replies with the next todo, or with why there is none, which exits with 3.
func (at *todoSession) offered(t file.Todo, why file.Nothing, swept []file.Todo) (answer, error) {
	var warnings []string
	for _, s := range swept {
		warnings = append(warnings, fmt.Sprintf("%s was interrupted: %s", s.Ref(), s.Reason))
	}
	if why != file.Something {
		data := map[string]any{"session": at.Rel, "todo": nil, "nothing": why, "message": why.Sentence()}
		return answer{data: data, lines: []string{why.Sentence()}, exit: exitNotFound, warnings: todoWarnings(warnings...)}, nil
	}
	one, err := at.one(t, nil)
	one.warnings = todoWarnings(warnings...)
	if !t.Lease.IsZero() {
		one.lines = append(one.lines, fmt.Sprintf("claimed until %s, fence %s", t.Lease.Until, safe(t.Lease.ID)))
	}
	return one, err
}

func (v *todoVerbs) search() *cobra.Command {
	var f filterFlags
	c := v.reading("search QUERY…", "The todos that hold every word: in id, title, fields or text", (*todos.Session).
		LoadBodies, &f, func(at readingTodos, args []string) (answer, error) {
		hits, err := file.Search(at.filter.Select(at.snap.Todos), strings.Join(args, " "), at.snap.Body)
		type hit struct {
			row
			Where string `json:"where"`
		}
		out, lines := []hit{}, []string{}
		for _, h := range hits {
			r := rowOf(h.Todo, at.snap.Index()).brief()
			out, lines = append(out, hit{r, h.Where}), append(lines, r.line()+"  in "+h.Where)
		}
		if len(out) == 0 {
			lines = []string{"nothing found"}
		}
		return answer{data: map[string]any{"session": at.Rel, "hits": out}, lines: lines,
			warnings: todoWarnings(damageLines(at.snap.Damaged)...)}, err
	})
	f.add(c, true)
	return c
}

func (v *todoVerbs) sessions() *cobra.Command {
	return v.bare("sessions", "The sessions of the repository that hold todos, newest first",
		func(context.Context, []string) (answer, error) {
			found, err := todos.Discover(v.dir())
			lines := []string{}
			for _, f := range found {
				active := ""
				if f.Active {
					active = "  active"
				}
				lines = append(lines, fmt.Sprintf("%s  %d files%s", f.Rel, f.Files, active))
			}
			if len(lines) == 0 {
				lines = []string{"no session holds todos"}
			}
			return answer{data: map[string]any{"sessions": append([]todos.Found{}, found...)}, lines: lines}, err
		})
}
