package cli

import (
	"fmt"

	"vise/model"
	file "vise/model/todo"
)

func (v *todoVerbs) validate() verb {
	var fix bool
	return verb{
		use: "validate", short: "Check every todo of all sessions; exit 6 if one breaks a rule, with --strict also if one is warned of",
		example: "vise todo validate",
		flags:   flags{{"fix", &fix, "repair what needs no decision"}},
		run: func(*Env) (answer, error) {
			fixed := []file.Ref{}
			if fix {
				if err := v.eachSession(func(at *todoSession) error {
					changed, err := at.Fix(v.by(file.Move{}))
					for _, t := range changed {
						fixed = append(fixed, at.label(t.Ref()))
					}
					return err
				}); err != nil {
					return nil, err
				}
			}
			at, err := v.look(false, nil)
			if err != nil {
				return nil, err
			}
			defer at.close()
			r, problems, damaged := &reply{}, []file.Problem{}, at.damaged()
			n := map[file.Severity]int{file.Error: len(damaged)}
			for _, s := range at.sessions {
				for _, p := range append(file.CheckAll(s.snap.Index), file.CheckLikeness(s.snap.Index)...) {
					p.Session = s.Name()
					problems = append(problems, p)
					n[p.Severity]++
					r.say("%-7s %s %s: %s (%s)", p.Severity, s.label(p.Todo), p.Field, safe(p.Message), p.Rule)
				}
			}
			r.data = map[string]any{"session": at.rel(), "problems": problems, "fixed": fixed, "damaged": damaged}
			r.lines = append(r.lines, damageLines(damaged)...)
			r.say("%s, %s, %s, %d repaired", model.Counted(len(at.todos()), "todo"),
				model.Counted(len(problems), "problem"), model.Counted(n[file.Error], "error"), len(fixed))
			if n[file.Error] > 0 || n[file.Warn] > 0 && v.Env.flags.strict {
				r.exit = exitRefused
			}
			return r, nil
		},
	}
}

func (v *todoVerbs) cleanup() verb {
	return verb{
		use: "cleanup", short: "End a session: todos in progress become interrupted, except those that somebody else has claimed",
		example: "vise todo cleanup --session tmp/review/7",
		run: func(*Env) (answer, error) {
			var out changed
			var left []string
			err := v.eachSession(func(at *todoSession) error {
				ended, kept, err := at.Cleanup(v.by(file.Move{}), alive())
				out.add(at, ended...)
				for _, t := range kept {
					left = append(left, fmt.Sprintf("%s stays in progress: %s holds it until %s", at.label(t.Ref()), t.AssignedTo,
						t.Lease.Until))
				}
				return err
			})
			r := out.answer("nothing was interrupted")
			r.warnings = todoWarnings(left...)
			return r, err
		},
	}
}
