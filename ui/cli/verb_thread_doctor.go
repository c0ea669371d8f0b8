package cli

import (
	"context"
	"fmt"
	"vise/model"
	"vise/model/thread"
	"vise/store/home"
)

func (v *threadVerbs) doctor() verb {
	var apply bool
	return verb{
		use: "doctor", short: "Find what is wrong with the threads, show the repair, apply it on yes",
		example: "vise thread doctor",
		flags:   flags{{"yes", &apply, "apply the repairs without asking"}},
		run: v.on(fromCLI, func(at *home.Repository) (answer, error) {
			found, err := at.Findings()
			if err != nil || len(found) == 0 {
				return doctorAnswer(found, false), err
			}
			if !apply && !v.flags.json {
				v.propose(found)
				if apply, err = yes(v.Env); err != nil {
					return nil, err
				}
			}
			if !apply {
				return doctorAnswer(found, false).exits(exitError), nil
			}
			return doctorAnswer(found, true), repairThreads(v, at, found)
		}),
	}
}

func repairThreads(ctx context.Context, at *home.Repository, found []thread.Finding) error {
	for _, f := range found {
		if f.Repair == thread.SetAside {
			if err := at.SetAside(ctx, f.Thread); err != nil {
				return err
			}
		}
	}
	_, err := at.Apply(ctx, thread.Repair{Findings: found})
	return err
}

// propose writes the proposed repairs.
func (v *threadVerbs) propose(found []thread.Finding) {
	for _, f := range found {
		fmt.Fprintf(v.out, "%s %s: %v\n", f.Kind, f.Thread, model.Text(f.Message))
		if f.Steps != "" {
			fmt.Fprintf(v.out, "  repair: %s\n", f.Steps)
		}
	}
	fmt.Fprintln(v.out, "Apply the repairs? [y/N]")
}

func doctorAnswer(found []thread.Finding, repaired bool) answer {
	var rows []thread.View
	mended := 0
	for _, f := range found {
		done := repaired && f.Repair != ""
		if done {
			mended++
		}
		rows = append(rows, f.View().With("repaired", done))
	}
	r := &reply{data: thread.View{}.With("findings", rows)}
	switch {
	case len(found) == 0:
		r.lines = []string{"Nothing is wrong with the threads."}
	case repaired:
		r.lines = []string{fmt.Sprintf("%d of %d repaired.", mended, len(found))}
	default:
		r.lines = []string{"Nothing was changed."}
	}
	if repaired && mended < len(found) {
		r.exit = exitError
	}
	return r
}
