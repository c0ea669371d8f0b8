package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

// threadEnding says how the threads of an item end with it.
type threadEnding struct {
	anyway, abandon string
	deadEnd         bool
}

func (t *threadEnding) register(c *cobra.Command) {
	c.Flags().StringVar(&t.anyway, "anyway", "", "why, although its thread has gaps or something unverified")
	c.Flags().StringVar(&t.abandon, "abandon", "", "give the work up, for this reason: its threads end abandoned")
	c.Flags().BoolVar(&t.deadEnd, "dead-end", false, "with --abandon: record what was tried as a dead end")
}

// report is the completion report; work that is given up says why in it.
func (t threadEnding) report(given model.Text) (model.Text, error) {
	why := strings.TrimSpace(t.abandon)
	switch {
	case why == "" && t.deadEnd:
		return given, misuse("dead-end", "--dead-end goes with --abandon").WithHint("give up with --abandon REASON")
	case why == "":
		return given, nil
	case given == "":
		return model.Text("Abandoned: " + why), nil
	}
	return given + model.Text("\n\nAbandoned: "+why), nil
}

// settled holds a completion against what the item's threads say, before anything is done.
// It is advice: with a reason the act goes on, and the thread's log keeps the reason. Work
// that is given up need not be verified.
func (a *app) settled(v model.View, t threadEnding) (end home.Ending, err error) {
	if why := strings.TrimSpace(t.abandon); why != "" {
		end.Abandon = &home.Abandonment{Reason: model.Text(why), DeadEnd: t.deadEnd}
		return end, nil
	}
	end.Anyway = model.Text(strings.TrimSpace(t.anyway))
	if end.Anyway != "" || v.State != model.Open {
		return end, nil
	}
	against := a.threads("").Unsettled(v.Links.Threads)
	if len(against) == 0 {
		return end, nil
	}
	told := make([]string, len(against))
	for i, w := range against {
		told[i] = w.Message
	}
	return end, model.Refuse(model.CodeRefused, "the thread of %s speaks against it: %s", v.Handle, strings.Join(told, "; ")).At("anyway").
		WithHint("vise thread record -- COMMAND verifies; --anyway REASON completes all the same")
}
