package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
)

// The actors in a thread's log.
const (
	fromCLI = "cli"
	fromRun = "finalize_execution"
)

func (v *threadVerbs) start() *cobra.Command {
	var id, initial string
	var force bool
	c := v.verb("start GOAL", "Begin a thread and make it the active one", fromCLI,
		func(ctx context.Context, at *home.Repository, args []string) (answer, error) {
			p, err := (&patchFlags{jsonPatch: initial}).patch(v.app)
			if err != nil {
				return answer{}, err
			}
			a, err := at.Apply(ctx, thread.Start{Goal: model.Text(args[0]), Task: id, Initial: p, Force: force})
			r, err := threadAnswer(a, "", err)
			if err == nil {
				r.warnings = append(r.warnings, threadWarnings(v.app.linkStarted(ctx, at.Repo.Root(), a.Thread.ID)...)...)
			}
			return r, err
		})
	c.Flags().StringVar(&id, "task-id", "", "the thread's id (default: made from the goal)")
	c.Flags().StringVar(&initial, "initial-json", "", "a JSON object laid over the fresh thread")
	c.Flags().BoolVar(&force, "force", false, "replace a thread of the same id; its last state goes to its log")
	return c
}

func (v *threadVerbs) update() *cobra.Command {
	var p patchFlags
	var id, status string
	var rebind bool
	c := v.verb("update", "Change a thread", fromCLI, func(ctx context.Context, at *home.Repository, _ []string) (answer, error) {
		if !p.given() && status == "" {
			return answer{}, threadMisuse("update needs --json-patch, --from-file, --status, --verify, --drop or --clear")
		}
		patch, err := p.patch(v.app)
		if err != nil {
			return answer{}, err
		}
		if status != "" {
			if patch.Status, err = statusFlag(status, thread.Statuses); err != nil {
				return answer{}, err
			}
		}
		a, err := at.Apply(ctx, thread.Update{Task: id, Patch: patch, Rebind: rebind})
		return threadAnswer(a, "updated", err)
	})
	p.add(c)
	c.Flags().StringVar(&id, "task-id", "", "the thread (default: the active one)")
	c.Flags().StringVar(&status, "status", "", "in_progress, paused, blocked, resolved or abandoned")
	addRebind(c, &rebind)
	return c
}

func (v *threadVerbs) resume() *cobra.Command {
	var rebind bool
	c := v.verb("resume ID", "Go on with a thread: it becomes the active one", fromCLI,
		func(ctx context.Context, at *home.Repository, args []string) (answer, error) {
			a, err := at.Apply(ctx, thread.Resume{Task: args[0], Rebind: rebind})
			return threadAnswer(a, "resumed", err)
		})
	addRebind(c, &rebind)
	return c
}

func (v *threadVerbs) close() *cobra.Command {
	var p patchFlags
	var id, status string
	var rebind bool
	c := v.verb("close", "End or suspend a thread; its files stay", fromCLI,
		func(ctx context.Context, at *home.Repository, _ []string) (answer, error) {
			st, err := statusFlag(status, thread.Closings)
			if err != nil {
				return answer{}, err
			}
			patch, err := p.patch(v.app)
			if err != nil {
				return answer{}, err
			}
			a, err := at.Apply(ctx, thread.Close{Task: id, Status: st, Patch: patch, Rebind: rebind})
			return threadAnswer(a, "closed", err)
		})
	p.add(c)
	c.Flags().StringVar(&id, "task-id", "", "the thread (default: the active one)")
	c.Flags().StringVar(&status, "status", string(thread.Resolved), "resolved, abandoned, blocked or paused")
	addRebind(c, &rebind)
	return c
}

func addRebind(c *cobra.Command, rebind *bool) {
	c.Flags().BoolVar(rebind, "rebind", false, "move a parked thread to the current branch")
}

func statusFlag(s string, allowed []thread.Status) (thread.Status, error) {
	if st, ok := thread.ParseStatus(s); ok && slices.Contains(allowed, st) {
		return st, nil
	}
	return "", model.Refuse(model.CodeInvalid, "there is no status %q here", model.Text(s)).
		WithHint("one of %s", strings.Join(as[string](allowed), ", ")).At("status")
}

// threadAnswer shows what a command did. mark names a member that is set to true, as the other program with this file format does.
func threadAnswer(a thread.Receipt, mark string, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	data := a.View()
	if mark != "" {
		data = data.With(mark, true)
	}
	r := answer{data: data, warnings: threadWarnings(a.Warnings()...)}
	if mark == "updated" {
		r.lines = append(r.lines, "Updated: "+changedFields(a.Changed))
	}
	r.lines = append(r.lines, fmt.Sprintf("%s [%s] %s", a.Thread.ID, safe(string(a.Thread.Status)), threadSummary(a.Thread)))
	return r, nil
}

func changedFields(list []thread.Field) string {
	return cmp.Or(strings.Join(as[string](list), ", "), "nothing")
}

// as converts strings to another type.
func as[T, S ~string](words []S) []T {
	var out []T
	for _, w := range words {
		out = append(out, T(w))
	}
	return out
}

// patchFlags are the ways to give a change.
type patchFlags struct {
	jsonPatch, fromFile string
	verify, drop, clear []string
}

func (p *patchFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&p.jsonPatch, "json-patch", "", "a JSON object: texts replace, lists append")
	c.Flags().StringVar(&p.fromFile, "from-file", "", "a file with such an object, - for standard input; --json-patch wins key by key")
	c.Flags().StringArrayVar(&p.verify, "verify", nil, "move an entry from unverified to verified")
	c.Flags().StringArrayVar(&p.drop, "drop", nil, "FIELD=ENTRY: take an entry out of a list")
	c.Flags().StringArrayVar(&p.clear, "clear", nil, "empty a field")
}

func (p *patchFlags) given() bool {
	return p.jsonPatch != "" || p.fromFile != "" || len(p.verify)+len(p.drop)+len(p.clear) > 0
}

func (p *patchFlags) patch(a *app) (thread.Patch, error) {
	layers, err := a.layers(p.fromFile, p.jsonPatch)
	if err != nil {
		return thread.Patch{}, err
	}
	patch, err := thread.ParsePatch(layers...)
	if err != nil {
		return patch, err
	}
	drop := map[thread.Field][]model.Text{}
	for _, d := range p.drop {
		field, entry, ok := strings.Cut(d, "=")
		if !ok {
			return patch, threadMisuse("--drop wants FIELD=ENTRY")
		}
		drop[thread.Field(field)] = append(drop[thread.Field(field)], model.Text(entry))
	}
	return patch.With(as[model.Text](p.verify), drop, as[thread.Field](p.clear))
}

// layers reads a file, then a text from the command line. Either can be absent.
func (a *app) layers(file, direct string) ([][]byte, error) {
	var out [][]byte
	if file != "" {
		raw, err := a.fileOrStdin("from-file", file)
		if err != nil {
			return nil, err
		}
		out = append(out, []byte(raw))
	}
	if direct != "" {
		out = append(out, []byte(direct))
	}
	return out, nil
}
