package cli

import (
	"slices"
	"time"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
)

// leaseFlags say how long a claim is valid, and which process holds it.
type leaseFlags struct {
	length time.Duration
	pid    int
}

// defaultLease is long: a claimant that continues its work renews the lease with start, and a claimant whose process is known to be dead
// loses the lease at once.
const defaultLease = time.Hour

func (l *leaseFlags) flags() flags {
	return flags{{"lease", &l.length, "how long the claim lasts without a sign of life"},
		{"pid", &l.pid, "the claimant's process: the claim ends with it"}}
}

func (l leaseFlags) lease(now time.Time) (file.Lease, error) {
	if l.length < time.Second || l.length > 30*24*time.Hour || l.pid < 0 {
		return file.Lease{}, todoMisuse("--lease is between a second and 30 days, --pid a process")
	}
	lease := file.Lease{ID: newKey(), Until: file.Stamp(now.Add(l.length)), PID: l.pid}
	if l.pid > 0 {
		lease.Host = model.Text(hostName())
	}
	return lease, nil
}

func (v *todoVerbs) start() verb {
	l := leaseFlags{length: defaultLease}
	var m file.Move
	return verb{
		use: "start ID", short: "Claim a todo, or prolong your claim", args: to(&v.id),
		example: "vise todo start review/001",
		flags: slices.Concat(l.flags(), fenceFlag(&m), flags{
			{"approve", &m.Approve, "approve a pending todo first"},
			{"force", &m.Force, "only you, no agent: although it waits for others or is assigned"},
		}),
		run: v.onTodo(func(at *todoSession) (r answer, err error) {
			if m.Lease, err = l.lease(v.now()); err != nil {
				return r, err
			}
			t, swept, err := at.Start(v.id, v.by(m), alive())
			return at.claimed(t, swept, err)
		}),
	}
}

func fenceFlag(m *file.Move) flags {
	return flags{{"fence", &m.Fence, "the id of your claim, as start printed it"}}
}

func reasonFlags(m *file.Move, why string) flags {
	return append(fenceFlag(m), flags{{"reason", &m.Reason, why}}...)
}

func (v *todoVerbs) block() verb {
	m := file.Move{To: file.Blocked}
	var on commas
	return verb{
		use: "block ID --on REF", short: "Say what a claimed todo depends on", args: to(&v.id),
		example: "vise todo block review/001 --on review/002",
		flags:   append(reasonFlags(&m, "why"), flags{{"on", &on, "the todos that must be done first, as review/001"}}...),
		run: func(e *Env) (answer, error) {
			m.Dependencies = wordsOf[file.Ref](on)
			return v.change(&m, file.Judge)(e)
		},
	}
}

func (v *todoVerbs) complete() verb {
	m := file.Move{To: file.Complete, Resolution: file.Fixed}
	return verb{
		use: "complete ID --reason TEXT", short: "Mark a todo as fixed", args: to(&v.id), flags: reasonFlags(&m, "what fixed it"),
		example: "vise todo complete review/001 --reason 'the timer is stopped'",
		run: v.onTodo(func(at *todoSession) (answer, error) {
			t, err := at.Change(v.id, v.by(m), file.Judge)
			out, err := at.one(t, err)
			if err == nil {
				out.warnings = append(out.warnings, home.Unticked(at.Session, t)...)
			}
			return out, err
		}),
	}
}

func (v *todoVerbs) interrupt() verb {
	m := file.Move{To: file.Interrupted, Reason: file.SessionEnded}
	return verb{
		use: "interrupt ID", short: "Stop work on a claimed todo", args: to(&v.id), flags: reasonFlags(&m, "why"),
		example: "vise todo interrupt review/001",
		run:     v.change(&m, file.Judge),
	}
}

// closings are the ways to close a todo without a fix, in the order of file.Rejections. Each excludes the others.
type closings struct {
	falsePositive, wontFix, outOfScope, superseded bool
	duplicateOf                                    file.Ref
}

const closingFlags = "false-positive duplicate-of wont-fix out-of-scope superseded"

func (f *closings) flags() flags {
	return flags{
		{"false-positive", &f.falsePositive, "the finding is not true"},
		{"wont-fix", &f.wontFix, "true, and accepted"},
		{"out-of-scope", &f.outOfScope, "true, and not for now"},
		{"superseded", &f.superseded, "something else replaced it"},
		{"duplicate-of", &f.duplicateOf, "the todo that it repeats, as review/001"},
	}
}

// closes makes m the chosen way, and reports whether one was chosen.
func (f closings) closes(m *file.Move) bool {
	i := slices.Index([]bool{f.falsePositive, f.duplicateOf != "", f.wontFix, f.outOfScope, f.superseded}, true)
	if i >= 0 {
		m.Resolution = file.Rejections()[i]
	}
	m.To, m.DuplicateOf = file.WontFix, f.duplicateOf
	return i >= 0
}

func (v *todoVerbs) resolve() verb {
	var f closings
	var m file.Move
	var undo bool
	return verb{
		use: "resolve ID [REASON…] --VERDICT", short: "Close a todo without fixing it, or undo that", args: to(&v.id, &m.Reason),
		example:  "vise todo resolve review/001 'the caller checks it' --false-positive",
		flags:    append(f.flags(), flags{{"undo", &undo, "only you, no agent: give it back the status that it had"}}...),
		excludes: "undo " + closingFlags,
		run: func(e *Env) (answer, error) {
			if undo {
				return v.change(&m, file.Reopen)(e)
			}
			f.closes(&m)
			return v.change(&m, file.Judge)(e)
		},
	}
}

func (v *todoVerbs) reopen() verb {
	var m file.Move
	return verb{
		use: "reopen ID [REASON…]", short: "Give a closed todo back the status that it had", args: to(&v.id, &m.Reason),
		example: "vise todo reopen review/001",
		run:     v.change(&m, file.Reopen),
	}
}

func (v *todoVerbs) resume() verb {
	m := file.Move{To: file.Ready}
	return verb{
		use: "resume [ID]…", short: "Make interrupted todos ready again, all or those named; a blocked one, when its claimant is gone",
		example: "vise todo resume review/001",
		flags:   flags{{"reason", &m.Reason, "why"}},
		run: func(e *Env) (answer, error) {
			if len(e.words) > 0 {
				return v.each(e.words, "", m, file.Resume)
			}
			var out changed
			err := v.eachSession(func(at *todoSession) error {
				all, err := at.ResumeAll(v.by(m))
				out.add(at, all...)
				return err
			})
			return out.answer("nothing is interrupted"), err
		},
	}
}

func (v *todoVerbs) log() verb {
	var n file.Note
	return verb{
		use: "log ID PHASE", short: "Add an entry to a todo's Work Log", args: to(&v.id, &n.Phase),
		example: "vise todo log review/001 investigated",
		flags: flags{{"did", &n.Actions, "what was done; can be given again"},
			{"learned", &n.Learnings, "what was learned; can be given again"}},
		run: v.onTodo(func(at *todoSession) (answer, error) {
			n.At, n.By = v.now(), v.by(file.Move{}).Actor.Name
			return at.one(at.LogWork(v.id, n))
		}),
	}
}
