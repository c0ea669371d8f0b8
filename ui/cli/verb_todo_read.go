package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// safe makes text from outside safe on a terminal.
func safe(s string) string { return model.Text(s).String() }

// listing is the data of list. Session is empty if there are several: each todo names its own.
type listing struct {
	Session string         `json:"session"`
	Todos   []row          `json:"todos"`
	Damaged []todos.Damage `json:"damaged"`
	Summary file.Counts    `json:"summary"`
}

func (v *todoVerbs) list() *cobra.Command {
	var f filterFlags
	var waiting, stale bool
	c := v.reading("list", "The todos of all sessions: by priority, the newest session first, by number", v.known, &f,
		func(at readingTodos, _ []string) (answer, error) {
			left := map[*readSession]map[file.Ref]*file.Stale{}
			for _, s := range at.sessions {
				var err error
				if left[s], err = s.stale(s.index); err != nil {
					return answer{}, err
				}
			}
			all := at.todos()
			out := listing{Session: at.rel(), Todos: []row{}, Damaged: at.damaged(), Summary: file.Count()}
			var lines []string
			for _, t := range all {
				s := at.of(t)
				r := s.row(*t)
				r.Stale = left[s][t.Ref()]
				if waiting && len(r.WaitingOn) == 0 || stale && r.Stale == nil {
					continue
				}
				out.Summary.Add(t)
				if v.app.flags.json {
					out.Todos = append(out.Todos, r)
				} else {
					lines = append(lines, r.line())
				}
			}
			lines = append(lines, at.where()+": "+out.Summary.String())
			return answer{data: out, warnings: at.warnings(), lines: lines}, nil
		})
	f.add(c, true)
	c.Flags().BoolVar(&waiting, "waiting", false, "only what waits on a dependency")
	c.Flags().BoolVar(&stale, "stale", false, "only what was left behind, with the reason")
	return c
}

func (v *todoVerbs) show() *cobra.Command {
	return v.onTodo("show ID", "One todo: its facts, its history, its problems and its text",
		func(_ context.Context, s *todoSession, args []string) (answer, error) {
			at, err := s.read((*todos.Session).LoadBodies)
			if err != nil {
				return answer{}, err
			}
			t, err := at.find(args[0])
			if err != nil {
				return answer{}, err
			}
			r := rowOf(t, at.index)
			r.name = at.label(t)
			left, err := at.stale(at.index)
			r.Stale = left[t.Ref()]
			problems := slices.DeleteFunc(file.CheckAll(at.index), func(p file.Problem) bool {
				return p.Todo != t.Ref() || p.File != "" && p.File != t.File
			})
			lines := []string{r.line(), ""}
			for _, h := range t.History {
				from := string(h.From)
				if from == "" {
					from = file.NoStatus
				}
				lines = append(lines, fmt.Sprintf("  %s  %s → %s  %s: %s", h.At, from, h.To, h.Actor, h.Reason))
			}
			for _, p := range problems {
				lines = append(lines, fmt.Sprintf("  %s: %s %s (%s)", p.Severity, p.Field, safe(p.Message), p.Rule))
			}
			for line := range strings.SplitSeq(at.snap.Body(t), "\n") {
				lines = append(lines, safe(strings.TrimRight(line, "\r")))
			}
			data := map[string]any{"session": at.Rel, "todo": r, "problems": append([]file.Problem{}, problems...),
				"body": model.Text(at.snap.Body(t))}
			return answer{data: data, lines: lines}, err
		})
}

func (v *todoVerbs) next() *cobra.Command {
	var f filterFlags
	var l leaseFlags
	var claim bool
	c := v.bare("next", "The first todo that can be worked on; with --claim it is yours", func(context.Context, []string) (answer, error) {
		if claim {
			return v.claim(&f, l)
		}
		at, err := v.look(v.known, &f)
		if err != nil {
			return answer{}, err
		}
		defer at.close()
		t, why := at.next()
		return at.offered(t, why, nil)
	})
	f.add(c, false)
	l.add(c)
	c.Flags().BoolVar(&claim, "claim", false, "claim it: of many that ask at once each gets another")
	return c
}

// next returns the first todo of the sessions that is ready, or why there is none.
func (at readingTodos) next() (file.Todo, file.Nothing) {
	var all []*file.Index
	for _, s := range at.sessions {
		all = append(all, s.index)
	}
	return file.Next(at.filter.Admits, all...)
}

// claim claims the next todo of the selected sessions.
func (v *todoVerbs) claim(f *filterFlags, l leaseFlags) (answer, error) {
	wide, err := v.wide()
	closeAll(wide)
	if err != nil {
		return answer{}, err
	}
	for {
		at, err := v.look((*todos.Session).Load, f)
		if err != nil {
			return answer{}, err
		}
		defer at.close()
		first, why := at.next()
		s := at.sessions[0]
		if why == file.Something {
			s = at.of(&first)
		} else if len(at.sessions) > 1 {
			return at.offered(first, why, nil)
		}
		lease, err := l.lease(s.todoSession)
		if err != nil {
			return answer{}, err
		}
		m := s.move(file.InProgress, "")
		m.Lease = lease
		t, why, swept, err := s.Claim(at.filter.Admits, m, s.alive())
		if err != nil {
			return answer{}, err
		}
		if why == file.Something || len(at.sessions) == 1 {
			return at.offered(t, why, swept)
		} // another process was first: read all sessions again
	}
}

// offered answers with the next todo, or with why there is none. Then the exit code is 3.
func (at readingTodos) offered(t file.Todo, why file.Nothing, swept []file.Todo) (answer, error) {
	if why != file.Something {
		data := map[string]any{"session": at.rel(), "todo": nil, "nothing": why, "message": why.Sentence()}
		return answer{data: data, lines: []string{why.Sentence()}, exit: exitNotFound, warnings: sweptWarnings(swept)}, nil
	}
	return at.of(&t).claimed(t, swept, nil)
}

// claimed answers with a todo and its claim, and names the claims that this call ended.
func (at *todoSession) claimed(t file.Todo, swept []file.Todo, err error) (answer, error) {
	one, err := at.one(t, err)
	one.warnings = append(one.warnings, sweptWarnings(swept)...)
	if err == nil && !t.Lease.IsZero() {
		one.lines = append(one.lines,
			fmt.Sprintf("claimed until %s; the id of your claim, for --fence: %s", t.Lease.Until, safe(t.Lease.ID)))
	}
	return one, err
}

func sweptWarnings(swept []file.Todo) []model.Warning {
	var said []string
	for _, s := range swept {
		said = append(said, fmt.Sprintf("%s is interrupted: %s", s.Ref(), s.Reason))
	}
	return todoWarnings(said...)
}

// todoHit is a file todo that contains all words of a search. Where is the part that completes them: id, title,
// fields or body.
type todoHit struct {
	row
	Where string `json:"where"`
}

func (p *page) todoHits(hits []todoHit) {
	for _, h := range hits {
		p.line("%s  in %s", h.line(), h.Where)
	}
}

// searchTodos searches the file todos of the repository around the working directory, if it has any.
func searchTodos(e *Env, words string) (hits []todoHit) {
	at, err := (&todoVerbs{app: e}).look((*todos.Session).LoadBodies, nil)
	if err != nil || strings.TrimSpace(words) == "" {
		return nil
	}
	defer at.close()
	for _, h := range file.Search(at.todos(), strings.Fields(words), func(t *file.Todo) string { return at.of(t).snap.Body(*t) }) {
		hits = append(hits, todoHit{at.of(h.Todo).row(*h.Todo), h.Where})
	}
	return hits
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
