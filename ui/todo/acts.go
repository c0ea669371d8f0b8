package todo

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
)

// leaseFlags say for how long a claim is believed, and of which process.
type leaseFlags struct {
	length time.Duration
	pid    int
}

// defaultLease is generous: a claimant that lives on prolongs it with start, one whose
// process is known to be dead loses it at once.
const defaultLease = time.Hour

func (l *leaseFlags) add(c *cobra.Command) {
	c.Flags().DurationVar(&l.length, "lease", defaultLease, "how long the claim is believed without a sign of life")
	c.Flags().IntVar(&l.pid, "pid", 0, "the claimant's process: the claim ends with it")
}

func (l leaseFlags) lease(at *desk) (file.Lease, error) {
	if l.length < time.Second || l.length > 30*24*time.Hour || l.pid < 0 {
		return file.Lease{}, usage("--lease is between a second and 30 days, --pid a process")
	}
	lease := file.Lease{ID: at.env.NewID(), Until: file.Stamp(at.env.Now().Add(l.length)), PID: l.pid}
	if l.pid > 0 {
		lease.Host = model.Text(at.env.Host)
	}
	return lease, nil
}

func (d *door) start() *cobra.Command {
	var l leaseFlags
	var approve, force bool
	var fence string
	c := d.verb("start ID", "Claim a todo, or prolong your claim", wants{1, 1}, false, func(at *desk, args []string) (outcome, error) {
		lease, err := l.lease(at)
		if err != nil {
			return outcome{}, err
		}
		m := at.move(file.InProgress, "")
		m.Lease, m.Approve, m.Force, m.Fence = lease, approve, force, fence
		t, err := at.Start(args[0], m, at.alive())
		return at.one(t, err)
	})
	l.add(c)
	addFence(c, &fence)
	c.Flags().BoolVar(&approve, "approve", false, "approve a pending todo first")
	c.Flags().BoolVar(&force, "force", false, "as the operator: though it waits on others or is assigned")
	return c
}

func (d *door) block() *cobra.Command {
	var on []string
	var reason, fence string
	c := d.verb("block ID --on REF", "Say what a claimed todo depends on", wants{1, 1}, false, func(at *desk, args []string) (outcome, error) {
		m := at.move(file.Blocked, reason)
		m.Dependencies, m.Fence = refs(on), fence
		t, err := at.Move(args[0], m)
		return at.one(t, err)
	})
	c.Flags().StringSliceVar(&on, "on", nil, "the todos that must be done first, as review/001")
	c.Flags().StringVar(&reason, "reason", "", "why")
	addFence(c, &fence)
	return c
}

func addFence(c *cobra.Command, fence *string) {
	c.Flags().StringVar(fence, "fence", "", "the lease id of the claim under which you act")
}

func (d *door) complete() *cobra.Command {
	var reason, fence string
	c := d.verb("complete ID --reason TEXT", "A todo is fixed", wants{1, 1}, false, func(at *desk, args []string) (outcome, error) {
		m := at.move(file.Complete, reason)
		m.Resolution, m.Fence = file.Fixed, fence
		t, err := at.Move(args[0], m)
		return at.one(t, err)
	})
	c.Flags().StringVar(&reason, "reason", "", "what fixed it")
	addFence(c, &fence)
	return c
}

// verdictFlags are the ways to close a todo without fixing it.
type verdictFlags struct {
	falsePositive, wontFix, outOfScope, superseded bool
	duplicateOf                                    string
}

func (v *verdictFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&v.falsePositive, "false-positive", false, "the finding is not true")
	c.Flags().BoolVar(&v.wontFix, "wont-fix", false, "true, and accepted")
	c.Flags().BoolVar(&v.outOfScope, "out-of-scope", false, "true, and not for now")
	c.Flags().BoolVar(&v.superseded, "superseded", false, "something else replaced it")
	c.Flags().StringVar(&v.duplicateOf, "duplicate-of", "", "the todo that it repeats, as review/001")
}

// verdict is the one resolution that was chosen; none is Unresolved.
func (v verdictFlags) verdict() (file.Resolution, error) {
	var chosen []file.Resolution
	for _, c := range []struct {
		given bool
		r     file.Resolution
	}{
		{v.falsePositive, file.FalsePositive}, {v.duplicateOf != "", file.Duplicate}, {v.wontFix, file.NotFixed},
		{v.outOfScope, file.OutOfScope}, {v.superseded, file.Superseded},
	} {
		if c.given {
			chosen = append(chosen, c.r)
		}
	}
	switch len(chosen) {
	case 0:
		return file.Unresolved, nil
	case 1:
		return chosen[0], nil
	}
	return "", usage("choose one of --false-positive, --duplicate-of, --wont-fix, --out-of-scope, --superseded")
}

func (d *door) resolve() *cobra.Command {
	var v verdictFlags
	var undo bool
	c := d.verb("resolve ID [REASON] --VERDICT", "Close a todo without fixing it, or undo that", wants{1, -1}, false, func(at *desk, args []string) (outcome, error) {
		reason := strings.Join(args[1:], " ")
		verdict, err := v.verdict()
		switch {
		case err != nil:
			return outcome{}, err
		case undo && verdict != file.Unresolved:
			return outcome{}, usage("--undo takes no verdict")
		case undo:
			t, err := at.Reopen(args[0], at.move("", reason))
			return at.one(t, err)
		}
		m := at.move(file.WontFix, reason)
		m.Resolution, m.DuplicateOf = verdict, file.Ref(v.duplicateOf)
		t, err := at.Move(args[0], m)
		return at.one(t, err)
	})
	v.add(c)
	c.Flags().BoolVar(&undo, "undo", false, "as the operator: give it back the status that it had")
	return c
}

func (d *door) reopen() *cobra.Command {
	return d.verb("reopen ID [REASON]", "As the operator: give a closed todo back the status that it had", wants{1, -1}, false, func(at *desk, args []string) (outcome, error) {
		t, err := at.Reopen(args[0], at.move("", strings.Join(args[1:], " ")))
		return at.one(t, err)
	})
}

func (d *door) interrupt() *cobra.Command {
	var reason, fence string
	c := d.verb("interrupt ID", "Lay a claimed todo down unfinished", wants{1, 1}, false, func(at *desk, args []string) (outcome, error) {
		m := at.move(file.Interrupted, reason)
		m.Fence = fence
		t, err := at.Move(args[0], m)
		return at.one(t, err)
	})
	c.Flags().StringVar(&reason, "reason", file.SessionEnded, "why")
	addFence(c, &fence)
	return c
}

func (d *door) resume() *cobra.Command {
	var reason string
	c := d.verb("resume [ID]…", "Make interrupted todos ready again, all or those named; a blocked one, when its claimant is gone", wants{0, -1}, false, func(at *desk, args []string) (outcome, error) {
		if len(args) == 0 {
			all, err := at.Resume(at.move(file.Ready, reason))
			return at.several(all, "nothing is interrupted", err)
		}
		var all []file.Todo
		for _, id := range args {
			t, err := at.Move(id, at.move(file.Ready, reason))
			if err != nil {
				return outcome{}, err
			}
			all = append(all, t)
		}
		return at.several(all, "", nil)
	})
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (d *door) log() *cobra.Command {
	var actions, learnings []string
	c := d.verb("log ID PHASE", "Add an entry to a todo's Work Log", wants{2, 2}, false, func(at *desk, args []string) (outcome, error) {
		n := file.Note{At: at.env.Now(), Phase: model.Text(args[1]), By: at.actor.Name, Actions: texts(actions), Learnings: texts(learnings)}
		t, err := at.LogWork(args[0], n)
		return at.one(t, err)
	})
	c.Flags().StringArrayVar(&actions, "did", nil, "what was done; may be repeated")
	c.Flags().StringArrayVar(&learnings, "learned", nil, "what was learned; may be repeated")
	return c
}
