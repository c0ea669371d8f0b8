package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// listing is the data of list. Session is empty if there are several: each todo names its own.
type listing struct {
	Session string         `json:"session"`
	Todos   []row          `json:"todos"`
	Damaged []todos.Damage `json:"damaged"`
	Summary file.Counts    `json:"summary"`
}

func (v *todoVerbs) list() verb {
	var f filterFlags
	var waiting, stale bool
	return verb{
		use: "list", short: "The todos of all sessions: by priority, the newest session first, by number",
		example: "vise todo list --status ready",
		flags: append(f.flags(), flags{
			{"status", &f.status, "only these statuses"},
			{"waiting", &waiting, "only what waits on a dependency"},
			{"stale", &stale, "only what was left behind, with the reason"},
		}...),
		run: func(*Env) (answer, error) {
			at, err := v.look(false, &f)
			if err != nil {
				return nil, err
			}
			defer at.close()
			left := map[*todoSession]map[file.Ref]*file.Stale{}
			for _, s := range at.sessions {
				if left[s], err = s.stale(); err != nil {
					return nil, err
				}
			}
			out := listing{Session: at.rel(), Todos: []row{}, Damaged: at.damaged(), Summary: file.Count()}
			var lines []string
			for _, t := range at.todos() {
				s := at.of(t)
				r := s.row(*t, s.snap.Index).brief()
				r.Stale = left[s][t.Ref()]
				if waiting && len(r.WaitingOn) == 0 || stale && r.Stale == nil {
					continue
				}
				out.Summary.Add(t)
				out.Todos, lines = append(out.Todos, r), append(lines, r.line())
			}
			where := cmp.Or(at.rel(), fmt.Sprintf("%d sessions", len(at.sessions)))
			lines = append(lines, where+": "+out.Summary.String())
			return &reply{data: out, warnings: at.warnings(), lines: lines}, nil
		},
	}
}

// stale returns the abandoned todos.
func (at *todoSession) stale() (map[file.Ref]*file.Stale, error) {
	limits, err := todoLimits(at.v.Env)
	if err != nil {
		return nil, err
	}
	out := map[file.Ref]*file.Stale{}
	for _, s := range file.FindStale(at.snap.Index, at.v.now(), limits, at.Life(hostName(), alive()), alive()) {
		out[s.Todo] = &s
	}
	return out, nil
}

func (v *todoVerbs) show() verb {
	return verb{
		use: "show ID", short: "One todo: its facts, its history, its problems and its text", args: to(&v.id),
		example: "vise todo show review/001",
		run: v.onTodo(func(at *todoSession) (answer, error) {
			t, err := at.todo(v.id, true)
			if err != nil {
				return nil, err
			}
			r := at.row(t, at.snap.Index)
			left, err := at.stale()
			r.Stale = left[t.Ref()]
			if all, err := (&todoVerbs{Env: v.Env, repo: v.repo}).look(false, nil); err == nil {
				r.Dismissed = all.dismissed(t)
				all.close()
			}
			problems := slices.DeleteFunc(file.CheckAll(at.snap.Index), func(p file.Problem) bool {
				return p.Todo != t.Ref() || p.File != "" && p.File != t.File
			})
			ans := &reply{lines: []string{r.line(), ""}}
			for _, h := range t.History {
				from := cmp.Or(string(h.From), file.NoStatus)
				ans.say("  %s  %s → %s  %s: %s", h.At, from, h.To, h.Actor, h.Reason)
			}
			for _, p := range problems {
				ans.say("  %s: %s %s (%s)", p.Severity, p.Field, safe(p.Message), p.Rule)
			}
			body := model.Text(at.snap.Body(t))
			for line := range strings.SplitSeq(at.snap.Body(t), "\n") {
				ans.say("%s", safe(strings.TrimRight(line, "\r")))
			}
			ans.data = map[string]any{"session": at.Rel, "todo": r, "problems": listed(problems), "body": body}
			return ans, err
		}),
	}
}

// dismissed returns the earlier todo that says the same as t and was dismissed, or nil.
func (at readingTodos) dismissed(t file.Todo) *row {
	d := file.DismissedBefore(t, at.lists()...)
	if d == nil {
		return nil
	}
	r := at.of(d).row(*d, nil).brief()
	return &r
}

func (v *todoVerbs) next() verb {
	var f filterFlags
	l := leaseFlags{length: defaultLease}
	var claim bool
	return verb{
		use: "next", short: "The first todo that can be worked on; with --claim it is yours",
		example: "vise todo next --claim",
		flags:   slices.Concat(f.flags(), l.flags(), flags{{"claim", &claim, "claim it: of many that ask at once each gets another"}}),
		run: func(*Env) (answer, error) {
			if claim {
				return v.claim(&f, l)
			}
			at, err := v.look(false, &f)
			if err != nil {
				return nil, err
			}
			defer at.close()
			t, why := at.next()
			return at.offered(t, why, nil)
		},
	}
}

// next returns the first todo of the sessions that is ready, or why there is none.
func (at readingTodos) next() (file.Todo, file.Nothing) {
	var all, freed []*file.Index
	for _, s := range at.sessions {
		all, freed = append(all, s.snap.Index), append(freed, s.snap.Index.Freed(s.v.now(), alive()))
	}
	t, why := file.Next(at.filter.Admits, all...)
	if why != file.Something {
		if x, found := file.Next(at.filter.Admits, freed...); found == file.Something {
			x.Status = file.Interrupted // as a claim finds it
			return x, found
		}
	}
	return t, why
}

// claim claims the next todo of the selected sessions.
func (v *todoVerbs) claim(f *filterFlags, l leaseFlags) (answer, error) {
	if err := v.eachSession(func(*todoSession) error { return nil }); err != nil {
		return nil, err
	}
	for {
		at, err := v.look(false, f)
		if err != nil {
			return nil, err
		}
		defer at.close()
		first, why := at.next()
		s := at.sessions[0]
		if why == file.Something {
			s = at.of(&first)
		} else if len(at.sessions) > 1 {
			return at.offered(first, why, nil)
		}
		m := v.by(file.Move{To: file.InProgress})
		if m.Lease, err = l.lease(v.now()); err != nil {
			return nil, err
		}
		t, why, swept, err := s.Claim(at.filter.Admits, m, alive())
		if err != nil {
			return nil, err
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
		return &reply{data: data, lines: []string{why.Sentence()}, exit: exitNotFound, warnings: sweptWarnings(swept)}, nil
	}
	return at.of(&t).claimed(t, swept, nil)
}

// claimed answers with a todo and its claim, and names the claims that this call ended.
func (at *todoSession) claimed(t file.Todo, swept []file.Todo, err error) (answer, error) {
	one, err := at.one(t, err)
	if err != nil {
		return nil, err
	}
	one.warnings = append(one.warnings, sweptWarnings(swept)...)
	if !t.Lease.IsZero() {
		one.say("claimed until %s; the id of your claim, for --fence: %s", t.Lease.Until, safe(t.Lease.ID))
	}
	return one, nil
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
	at, err := (&todoVerbs{Env: e}).look(true, nil)
	if err != nil || strings.TrimSpace(words) == "" {
		return nil
	}
	defer at.close()
	for _, h := range file.Search(at.todos(), strings.Fields(words), func(t *file.Todo) string { return at.of(t).snap.Body(*t) }) {
		s := at.of(h.Todo)
		hits = append(hits, todoHit{s.row(*h.Todo, s.snap.Index).brief(), h.Where})
	}
	return hits
}

func (v *todoVerbs) sessions() verb {
	return verb{
		use: "sessions", short: "The sessions of the repository that hold todos, newest first",
		example: "vise todo sessions",
		run: func(*Env) (answer, error) {
			found, err := todos.Discover(v.repository())
			return answered(map[string]any{"sessions": listed(found)}, func(p *page) {
				for _, f := range found {
					active := ""
					if f.Active {
						active = "  active"
					}
					p.line("%s  %d files%s", f.Rel, f.Files, active)
				}
				if len(found) == 0 {
					p.line("no session holds todos")
				}
			}), err
		},
	}
}
