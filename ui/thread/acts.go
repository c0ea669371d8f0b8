package thread

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
)

const (
	fromCLI = "cli"
	fromRun = "finalize_execution"
)

func (d *door) start() *cobra.Command {
	var id, initial string
	var force bool
	c := d.verb("start GOAL", "Begin a thread and make it the active one", fromCLI, 1,
		func(ctx context.Context, at *desk, args []string) (outcome, error) {
			var layers [][]byte
			if initial != "" {
				layers = append(layers, []byte(initial))
			}
			p, err := thread.ParsePatch(layers...)
			if err != nil {
				return outcome{}, err
			}
			a, err := at.Apply(ctx, thread.Start{Goal: model.Text(args[0]), Task: id, Initial: p, Force: force})
			r, err := answered(a, "", err)
			if err == nil && d.env.Started != nil {
				r.warnings = append(r.warnings, d.env.Started(ctx, at.Repo.Root(), a.Thread.ID)...)
			}
			return r, err
		})
	c.Flags().StringVar(&id, "task-id", "", "the thread's id (default: made from the goal)")
	c.Flags().StringVar(&initial, "initial-json", "", "a JSON object laid over the fresh thread")
	c.Flags().BoolVar(&force, "force", false, "replace a thread of the same id; its last state goes to its log")
	return c
}

func (d *door) update() *cobra.Command {
	var p patchFlags
	var id, status string
	var rebind bool
	c := d.verb("update", "Change a thread", fromCLI, 0, func(ctx context.Context, at *desk, _ []string) (outcome, error) {
		if !p.given() && status == "" {
			return outcome{}, usage("update needs --json-patch, --from-file, --status, --verify, --drop or --clear")
		}
		patch, err := p.patch(d.env)
		if err != nil {
			return outcome{}, err
		}
		if status != "" {
			if patch.Status, err = statusFlag(status, append([]thread.Status{thread.InProgress}, thread.Closings...)); err != nil {
				return outcome{}, err
			}
		}
		a, err := at.Apply(ctx, thread.Update{Task: id, Patch: patch, Rebind: rebind})
		return answered(a, "updated", err)
	})
	p.add(c)
	c.Flags().StringVar(&id, "task-id", "", "the thread (default: the active one)")
	c.Flags().StringVar(&status, "status", "", "in_progress, paused, blocked, resolved or abandoned")
	addRebind(c, &rebind)
	return c
}

func (d *door) resume() *cobra.Command {
	var rebind bool
	c := d.verb("resume ID", "Go on with a thread: it becomes the active one", fromCLI, 1,
		func(ctx context.Context, at *desk, args []string) (outcome, error) {
			a, err := at.Apply(ctx, thread.Resume{Task: args[0], Rebind: rebind})
			return answered(a, "resumed", err)
		})
	addRebind(c, &rebind)
	return c
}

func (d *door) close() *cobra.Command {
	var p patchFlags
	var id, status string
	var rebind bool
	c := d.verb("close", "End or suspend a thread; its files stay", fromCLI, 0,
		func(ctx context.Context, at *desk, _ []string) (outcome, error) {
			st, err := statusFlag(status, thread.Closings)
			if err != nil {
				return outcome{}, err
			}
			patch, err := p.patch(d.env)
			if err != nil {
				return outcome{}, err
			}
			a, err := at.Apply(ctx, thread.Close{Task: id, Status: st, Patch: patch, Rebind: rebind})
			return answered(a, "closed", err)
		})
	p.add(c)
	c.Flags().StringVar(&id, "task-id", "", "the thread (default: the active one)")
	c.Flags().StringVar(&status, "status", string(thread.Resolved), "resolved, abandoned, blocked or paused")
	addRebind(c, &rebind)
	return c
}

func addRebind(c *cobra.Command, rebind *bool) {
	c.Flags().BoolVar(rebind, "rebind", false, "take a parked thread over to the present branch, deliberately")
}

func statusFlag(s string, allowed []thread.Status) (thread.Status, error) {
	st, _ := thread.ParseStatus(s)
	names := make([]string, len(allowed))
	for i, a := range allowed {
		if a == st {
			return st, nil
		}
		names[i] = string(a)
	}
	return "", model.Refuse(model.CodeInvalid, "there is no status %q here", model.Text(s)).
		WithHint("one of %s", strings.Join(names, ", ")).At("status")
}

// answered shows what a command did; mark is a member set to true, as the file format's
// other program has it.
func answered(a thread.Receipt, mark string, err error) (outcome, error) {
	if err != nil {
		return outcome{}, err
	}
	r := outcome{data: a.View(), warnings: a.Warnings()}
	if mark != "" {
		r.data = r.data.With(mark, true)
	}
	if mark == "updated" {
		r.human = append(r.human, "Updated: "+fields(a.Changed))
	}
	r.human = append(r.human, summary(a.Thread))
	return r, nil
}

func fields(list []thread.Field) string {
	if len(list) == 0 {
		return "nothing"
	}
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = string(f)
	}
	return strings.Join(out, ", ")
}
