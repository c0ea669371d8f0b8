package thread

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/ui/reply"
)

func (d *door) doctor() *cobra.Command {
	var yes bool
	c := d.verb("doctor", "Find what is wrong with the threads, show the repair, apply it on yes", fromCLI, 0,
		func(ctx context.Context, at *desk, _ []string) (outcome, error) {
			found, err := at.Findings()
			if err != nil {
				return outcome{}, err
			}
			if len(found) == 0 {
				return examined(found, false), nil
			}
			if !yes && !d.json {
				d.tell(found)
				yes = d.agreed()
			}
			if !yes {
				r := examined(found, false)
				r.status = reply.ExitError
				return r, nil
			}
			if err := at.repair(ctx, found); err != nil {
				return outcome{}, err
			}
			return examined(found, true), nil
		})
	c.Flags().BoolVar(&yes, "yes", false, "apply the repairs without asking")
	return c
}

func (d *desk) repair(ctx context.Context, found []thread.Finding) error {
	for _, f := range found {
		var err error
		switch f.Repair {
		case thread.MendLog:
			err = d.MendLog(ctx, f.Thread)
		case thread.SetAside:
			err = d.SetAside(ctx, f.Thread)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Apply(ctx, thread.Repair{Findings: found})
	return err
}

func (d *door) tell(found []thread.Finding) {
	for _, f := range found {
		fmt.Fprintf(d.env.Stdout, "%s %s: %v\n", f.Kind, f.Thread, model.Text(f.Message))
		if f.Steps != "" {
			fmt.Fprintf(d.env.Stdout, "  repair: %s\n", f.Steps)
		}
	}
}

// agreed asks; only a line that begins with y is a yes.
func (d *door) agreed() bool {
	fmt.Fprint(d.env.Stdout, "Apply the repairs? [y/N] ")
	line, _ := bufio.NewReader(d.env.Stdin).ReadString('\n')
	fmt.Fprintln(d.env.Stdout)
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

func examined(found []thread.Finding, repaired bool) outcome {
	rows := []thread.View{}
	mended := 0
	for _, f := range found {
		done := repaired && f.Repair != ""
		if done {
			mended++
		}
		rows = append(rows, f.View().With("repaired", done))
	}
	r := outcome{data: thread.View{}.With("findings", rows)}
	switch {
	case len(found) == 0:
		r.human = []string{"Nothing is wrong with the threads."}
	case repaired:
		r.human = []string{fmt.Sprintf("%d of %d repaired.", mended, len(found))}
	default:
		r.human = []string{"Nothing was changed."}
	}
	if repaired && mended < len(found) {
		r.status = reply.ExitError
	}
	return r
}
