package thread

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
)

func (d *door) finalize() *cobra.Command {
	var facts, file, patch, id string
	c := d.verb("finalize", "Take the facts of a run into the active thread", fromRun, 0,
		func(ctx context.Context, at *desk, _ []string) (outcome, error) {
			o, err := d.outcome(facts, file, patch)
			if err != nil {
				return outcome{}, err
			}
			a, err := at.Apply(ctx, thread.Finalize{Outcome: o, Task: id})
			if err != nil {
				return outcome{}, err
			}
			return finalized(a), nil
		})
	c.Flags().StringVar(&facts, "facts-json", "", "the facts: execution_id, success, files_opened, files_edited, commands_executed, tests_executed, contract, …")
	c.Flags().StringVar(&file, "from-file", "", "a file with the facts, - for standard input")
	c.Flags().StringVar(&patch, "json-patch", "", "what the run's author says of the thread, beside the facts")
	c.Flags().StringVar(&id, "task-id", "", "the thread (default: the active one)")
	return c
}

func (d *door) outcome(facts, file, patch string) (thread.Outcome, error) {
	if (facts == "") == (file == "") {
		return thread.Outcome{}, usage("finalize needs either --facts-json or --from-file")
	}
	layers, err := d.env.layers(file, facts)
	if err != nil {
		return thread.Outcome{}, err
	}
	o, err := thread.ParseOutcome(layers[0])
	if err != nil || patch == "" {
		return o, err
	}
	p, err := thread.ParsePatch([]byte(patch))
	o.Patch = &p
	return o, err
}

// finalized says what was written, or why nothing was.
func finalized(a thread.Receipt) outcome {
	r := outcome{data: a.FinalView(), warnings: a.Warnings()}
	switch {
	case len(a.Changed) > 0:
		r.human = append(r.human, "Updated: "+fields(a.Changed), summary(a.Thread))
	case a.Check.Reason != "" && !a.Check.Loadable:
		r.human = append(r.human, fmt.Sprintf("Nothing written: %s is %v", a.Thread.ID, a.Check.Line()))
	default:
		r.human = append(r.human, "Nothing to write.")
	}
	for _, g := range a.Fresh {
		r.human = append(r.human, fmt.Sprintf("Gap: %s: %v", model.Text(g.Severity), g.Summary))
	}
	for _, g := range a.Cleared {
		r.human = append(r.human, fmt.Sprintf("Gap cleared: %v", g.Summary))
	}
	return r
}
