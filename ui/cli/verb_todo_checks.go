package cli

import (
	"cmp"
	"fmt"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

func (v *todoVerbs) validate() verb {
	var fix bool
	return verb{
		use: "validate", short: "Check every todo of all sessions; exit 6 if one breaks a rule, with --strict also if one is warned of",
		flags: flags{{"fix", &fix, "repair what needs no decision"}},
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
			switch {
			case preview:
				return v.preview()
			case !remove:
				return v.cleanUp()
			case v.session == "":
				return nil, todoMisuse("say with --session which session to remove")
			}
			return v.inSession(false, func(at *todoSession) (answer, error) {
				m := v.by(file.Move{})
				if discard && !m.Actor.Operator {
					return nil, file.Refuse(file.RuleOperator, "discard", "only you, no agent, can discard unfinished todos")
				}
				loss, err := at.Remove(m, hostName(), alive(), discard)
				return lossReply("removed", loss), err
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
			left = append(left, fmt.Sprintf("%s stays in progress: %s holds it until %s", at.label(t.Ref()), t.AssignedTo, t.Lease.Until))
		}
		return err
	})
	r := out.answer("nothing was interrupted")
	r.warnings = todoWarnings(left...)
	return r, err
}

// preview tells what the removal of each session would destroy.
func (v *todoVerbs) preview() (answer, error) {
	all, err := v.several()
	defer closeAll(all)
	var losses []todos.Loss
	for _, at := range all {
		loss, e := at.Preview(v.by(file.Move{}), hostName(), alive())
		losses, err = append(losses, loss), cmp.Or(err, e)
	}
	return lossReply("would be removed", losses...), err
}

// lossReply answers with the loss of one session, or with those of several.
func lossReply(what string, losses ...todos.Loss) answer {
	r := &reply{data: map[string]any{"sessions": losses}}
	for _, loss := range losses {
		if len(losses) == 1 {
			r.data = loss
		}
		r.warnings = append(r.warnings, todoWarnings(damageLines(loss.Damaged)...)...)
		r.say("%s: %d files %s, %d unfinished", loss.Session, loss.Files, what, len(loss.Unfinished))
		for _, u := range loss.Unfinished {
			r.say("  unfinished: %s", u)
		}
	}
	return r
}
