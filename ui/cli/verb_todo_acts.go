package cli

import (
	"context"
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
	var approve, force bool
	var fence string
	c := v.verb("start ID", "Claim a todo, or prolong your claim", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
		lease, err := l.lease(at)
		if err != nil {
			return answer{}, err
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

func (v *todoVerbs) block() *cobra.Command {
	var on []string
	var reason, fence string
	c := v.verb("block ID --on REF", "Say what a claimed todo depends on", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
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

func (v *todoVerbs) complete() *cobra.Command {
	var reason, fence string
	c := v.verb("complete ID --reason TEXT", "A todo is fixed", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
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
	return "", todoMisuse("choose one of --false-positive, --duplicate-of, --wont-fix, --out-of-scope, --superseded")
}

func (v *todoVerbs) resolve() *cobra.Command {
	var f verdictFlags
	var undo bool
	c := v.verb("resolve ID [REASON…] --VERDICT", "Close a todo without fixing it, or undo that", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
		reason := strings.Join(args[1:], " ")
		verdict, err := f.verdict()
		switch {
		case err != nil:
			return answer{}, err
		case undo && verdict != file.Unresolved:
			return answer{}, todoMisuse("--undo takes no verdict")
		case undo:
			t, err := at.Reopen(args[0], at.move("", reason))
			return at.one(t, err)
		}
		m := at.move(file.WontFix, reason)
		m.Resolution, m.DuplicateOf = verdict, file.Ref(f.duplicateOf)
		t, err := at.Move(args[0], m)
		return at.one(t, err)
	})
	f.add(c)
	c.Flags().BoolVar(&undo, "undo", false, "as the operator: give it back the status that it had")
	return c
}

func (v *todoVerbs) reopen() *cobra.Command {
	return v.verb("reopen ID [REASON…]", "As the operator: give a closed todo back the status that it had", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
		t, err := at.Reopen(args[0], at.move("", strings.Join(args[1:], " ")))
		return at.one(t, err)
	})
}

func (v *todoVerbs) interrupt() *cobra.Command {
	var reason, fence string
	c := v.verb("interrupt ID", "Lay a claimed todo down unfinished", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
		m := at.move(file.Interrupted, reason)
		m.Fence = fence
		t, err := at.Move(args[0], m)
		return at.one(t, err)
	})
	c.Flags().StringVar(&reason, "reason", file.SessionEnded, "why")
	addFence(c, &fence)
	return c
}

func (v *todoVerbs) resume() *cobra.Command {
	var reason string
	c := v.verb("resume [ID]…", "Make interrupted todos ready again, all or those named; a blocked one, when its claimant is gone", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
		if len(args) == 0 {
			all, err := at.Resume(at.move(file.Ready, reason))
			return at.several(all, "nothing is interrupted", err)
		}
		var all []file.Todo
		for _, id := range args {
			t, err := at.Move(id, at.move(file.Ready, reason))
			if err != nil {
				return answer{}, err
			}
			all = append(all, t)
		}
		return at.several(all, "", nil)
	})
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (v *todoVerbs) log() *cobra.Command {
	var actions, learnings []string
	c := v.verb("log ID PHASE", "Add an entry to a todo's Work Log", false, func(_ context.Context, at *todoSession, args []string) (answer, error) {
		n := file.Note{At: at.app.now(), Phase: model.Text(args[1]), By: at.actor.Name, Actions: texts(actions), Learnings: texts(learnings)}
		t, err := at.LogWork(args[0], n)
		return at.one(t, err)
	})
	c.Flags().StringArrayVar(&actions, "did", nil, "what was done; may be repeated")
	c.Flags().StringArrayVar(&learnings, "learned", nil, "what was learned; may be repeated")
	return c
}
