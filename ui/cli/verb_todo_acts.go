package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

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

func (l *leaseFlags) add(c *cobra.Command) {
	spanVar(c.Flags(), &l.length, "lease", defaultLease, "how long the claim lasts without a sign of life")
	c.Flags().IntVar(&l.pid, "pid", 0, "the claimant's process: the claim ends with it")
}

func (l leaseFlags) lease(at *todoSession) (file.Lease, error) {
	if l.length < time.Second || l.length > 30*24*time.Hour || l.pid < 0 {
		return file.Lease{}, todoMisuse("--lease is between a second and 30 days, --pid a process")
	}
	lease := file.Lease{ID: newKey(), Until: file.Stamp(at.app.now().Add(l.length)), PID: l.pid}
	if l.pid > 0 {
		lease.Host = model.Text(hostName())
	}
	return lease, nil
}

func (v *todoVerbs) start() *cobra.Command {
	var l leaseFlags
	var m moveFlags
	var approve, force bool
	c := v.onTodo("start ID", "Claim a todo, or prolong your claim",
		func(_ context.Context, at *todoSession, args []string) (answer, error) {
			lease, err := l.lease(at)
			if err != nil {
				return answer{}, err
			}
			move := m.move(at, file.InProgress)
			move.Lease, move.Approve, move.Force = lease, approve, force
			t, swept, err := at.Start(args[0], move, at.alive())
			return at.claimed(t, swept, err)
		})
	l.add(c)
	m.addFence(c)
	c.Flags().BoolVar(&approve, "approve", false, "approve a pending todo first")
	c.Flags().BoolVar(&force, "force", false, "as the operator: although it waits for others or is assigned")
	return c
}

func (v *todoVerbs) block() *cobra.Command {
	var on []string
	c := v.moving("block ID --on REF", "Say what a claimed todo depends on", file.Blocked, "", "why",
		func(m *file.Move) { m.Dependencies = refs(on) })
	c.Flags().StringSliceVar(&on, "on", nil, "the todos that must be done first, as review/001")
	return c
}

func (v *todoVerbs) complete() *cobra.Command {
	var m moveFlags
	c := v.onTodo("complete ID --reason TEXT", "Mark a todo as fixed", func(_ context.Context, at *todoSession, args []string) (answer,
		error) {
		move := m.move(at, file.Complete)
		move.Resolution = file.Fixed
		t, err := at.Move(args[0], move)
		out, err := at.one(t, err)
		if err == nil {
			out.warnings = append(out.warnings, home.Unticked(at.Session, t)...)
		}
		return out, err
	})
	m.add(c, "", "what fixed it")
	return c
}

func (v *todoVerbs) interrupt() *cobra.Command {
	return v.moving("interrupt ID", "Stop work on a claimed todo", file.Interrupted, file.SessionEnded, "why", func(*file.Move) {})
}

// moveFlags are the reason of a move, and the claim under which it happens.
type moveFlags struct{ reason, fence string }

func (m *moveFlags) add(c *cobra.Command, reason, why string) {
	c.Flags().StringVar(&m.reason, "reason", reason, why)
	m.addFence(c)
}

func (m *moveFlags) addFence(c *cobra.Command) {
	c.Flags().StringVar(&m.fence, "fence", "", "the id of your claim, as start printed it")
}

func (m *moveFlags) move(at *todoSession, to file.Status) file.Move {
	move := at.move(to, m.reason)
	move.Fence = m.fence
	return move
}

// moving makes a command that moves one todo to a status, with a reason and under a claim.
func (v *todoVerbs) moving(use, short string, to file.Status, reason, why string, more func(*file.Move)) *cobra.Command {
	var m moveFlags
	c := v.change(use, short, func(at *todoSession, args []string) (file.Todo, error) {
		move := m.move(at, to)
		more(&move)
		return at.Move(args[0], move)
	})
	m.add(c, reason, why)
	return c
}

// closeFlags are the ways to close a todo without a fix.
type closeFlags struct {
	falsePositive, wontFix, outOfScope, superseded bool
	duplicateOf                                    string
}

// closings are the names of these flags. Each excludes the others.
var closings = []string{"false-positive", "duplicate-of", "wont-fix", "out-of-scope", "superseded"}

func (f *closeFlags) add(c *cobra.Command, also ...string) {
	c.Flags().BoolVar(&f.falsePositive, "false-positive", false, "the finding is not true")
	c.Flags().BoolVar(&f.wontFix, "wont-fix", false, "true, and accepted")
	c.Flags().BoolVar(&f.outOfScope, "out-of-scope", false, "true, and not for now")
	c.Flags().BoolVar(&f.superseded, "superseded", false, "something else replaced it")
	c.Flags().StringVar(&f.duplicateOf, "duplicate-of", "", "the todo that it repeats, as review/001")
	oneOnly(c, append(also, closings...)...)
}

// resolution returns the chosen resolution, or Unresolved if none was chosen.
func (f closeFlags) resolution() file.Resolution {
	switch {
	case f.falsePositive:
		return file.FalsePositive
	case f.duplicateOf != "":
		return file.Duplicate
	case f.wontFix:
		return file.NotFixed
	case f.outOfScope:
		return file.OutOfScope
	case f.superseded:
		return file.Superseded
	}
	return file.Unresolved
}

// move closes a todo in the chosen way.
func (f closeFlags) move(at *todoSession, reason string) file.Move {
	m := at.move(file.WontFix, reason)
	m.Resolution, m.DuplicateOf = f.resolution(), file.Ref(f.duplicateOf)
	return m
}

func (v *todoVerbs) resolve() *cobra.Command {
	var f closeFlags
	var undo bool
	c := v.change("resolve ID [REASON…] --VERDICT", "Close a todo without fixing it, or undo that",
		func(at *todoSession, args []string) (file.Todo, error) {
			reason := strings.Join(args[1:], " ")
			if undo {
				return at.Reopen(args[0], at.move("", reason))
			}
			return at.Move(args[0], f.move(at, reason))
		})
	c.Flags().BoolVar(&undo, "undo", false, "as the operator: give it back the status that it had")
	f.add(c, "undo")
	return c
}

func (v *todoVerbs) reopen() *cobra.Command {
	return v.change("reopen ID [REASON…]", "As the operator: give a closed todo back the status that it had",
		func(at *todoSession, args []string) (file.Todo, error) {
			return at.Reopen(args[0], at.move("", strings.Join(args[1:], " ")))
		})
}

func (v *todoVerbs) resume() *cobra.Command {
	var reason string
	c := v.bare("resume [ID]…", "Make interrupted todos ready again, all or those named; a blocked one, when its claimant is gone",
		func(_ context.Context, args []string) (answer, error) {
			if len(args) > 0 {
				return v.each(args, "", func(at *todoSession, id string) (file.Todo, error) {
					return at.Resume(id, at.move(file.Ready, reason))
				})
			}
			var out changed
			err := v.eachSession(func(at *todoSession) error {
				all, err := at.ResumeAll(at.move(file.Ready, reason))
				out.add(at, all...)
				return err
			})
			return out.answer("nothing is interrupted"), err
		})
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (v *todoVerbs) log() *cobra.Command {
	var actions, learnings []string
	c := v.change("log ID PHASE", "Add an entry to a todo's Work Log", func(at *todoSession, args []string) (file.Todo, error) {
		return at.LogWork(args[0], file.Note{
			At: at.app.now(), Phase: model.Text(args[1]), By: at.actor.Name, Actions: texts(actions), Learnings: texts(learnings),
		})
	})
	c.Flags().StringArrayVar(&actions, "did", nil, "what was done; can be given again")
	c.Flags().StringArrayVar(&learnings, "learned", nil, "what was learned; can be given again")
	return c
}
