package cli

import (
	"fmt"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

func (v *todoVerbs) validate() verb {
	var fix bool
	return verb{
		use: "validate", short: "Check every todo; exit 6 if one breaks a rule",
		flags: flags{{"fix", &fix, "repair what needs no decision"}},
		run: v.inSession(false, func(at *todoSession) (answer, error) {
			fixed := []file.Ref{}
			if fix {
				changed, err := at.Fix(v.by(file.Move{}))
				if err != nil {
					return nil, err
				}
				for _, t := range changed {
					fixed = append(fixed, t.Ref())
				}
			}
			snap, err := at.Load(false)
			problems := append([]file.Problem{}, file.CheckAll(snap.Index)...)
			problems = append(problems, file.CheckLikeness(snap.Todos)...)
			r := &reply{data: map[string]any{
				"session": at.Rel, "problems": problems, "fixed": fixed, "damaged": append([]todos.Damage{}, snap.Damaged...),
			}}
			errors, warned := len(snap.Damaged), false
			for _, p := range problems {
				if p.Severity == file.Error {
					errors++
				}
				warned = warned || p.Severity == file.Warn
				r.say("%-7s %s %s: %s (%s)", p.Severity, p.Todo, p.Field, safe(p.Message), p.Rule)
			}
			r.lines = append(r.lines, damageLines(snap.Damaged)...)
			r.say("%s, %s, %s, %d repaired", model.Counted(len(snap.Todos), "todo"),
				model.Counted(len(problems), "problem"), model.Counted(errors, "error"), len(fixed))
			if errors > 0 || warned && v.Env.flags.strict {
				r.exit = exitRefused
			}
			return r, err
		}),
	}
}

func (v *todoVerbs) cleanup() verb {
	var remove, discard, preview bool
	return verb{
		use: "cleanup", short: "End a session: todos in progress become interrupted, except those that somebody else has claimed; " +
			"--remove deletes it",
		flags: flags{
			{"preview", &preview, "only tell what --remove would destroy"},
			{"remove", &remove, "delete the session's todos, when none is unfinished"},
			{"discard", &discard, "only you, no agent, with --remove: also the unfinished and damaged ones"},
		},
		run: func(e *Env) (answer, error) {
			if !preview && !remove {
				return v.cleanUp()
			}
			if !preview && v.session == "" {
				return nil, todoMisuse("say with --session which session to remove")
			}
			return v.inSession(false, func(at *todoSession) (answer, error) {
				m := v.by(file.Move{})
				if preview {
					loss, err := at.Preview(m, hostName(), alive())
					return lossReply(loss, "would be removed", err)
				}
				if discard && !m.Actor.Operator {
					return nil, file.Refuse(file.RuleOperator, "discard", "only you, no agent, can discard unfinished todos")
				}
				loss, err := at.Remove(m, hostName(), alive(), discard)
				return lossReply(loss, "removed", err)
			})(e)
		},
	}
}

// cleanUp interrupts the todos in progress in the selected sessions, and reports what it did not change.
func (v *todoVerbs) cleanUp() (answer, error) {
	var out changed
	var left []string
	err := v.eachSession(func(at *todoSession) error {
		ended, kept, err := at.Cleanup(v.by(file.Move{}), alive())
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
	r := &reply{data: loss, warnings: todoWarnings(damageLines(loss.Damaged)...)}
	r.lines = []string{fmt.Sprintf("%s: %d files %s, %d unfinished", loss.Session, loss.Files, what, len(loss.Unfinished))}
	for _, u := range loss.Unfinished {
		r.say("  unfinished: %s", u)
	}
	return r, err
}
