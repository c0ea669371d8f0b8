package cli

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/text"
)

type waitOptions struct {
	mutation
	operator, task, external, timer string
	system                          bool
	reason, source, condition       string
	choices                         []string
	recheck                         time.Duration
}

func (a *app) waitVerb() *cobra.Command {
	var o waitOptions
	c := &cobra.Command{
		Use: "wait [ID]", Short: "Park a work item until something happens",
		Long: "wait parks a work item until an answer, a task, an event or a time. Its earlier waits end. Without\n" +
			"ID the agent's focus waits, or the agent itself when it has none. A trigger asks for a review; it\n" +
			"never unblocks by itself.",
		Example: "vise wait wi-7f3k --operator 'LRU or LFU?' --choice LRU --choice LFU\n" +
			"vise wait wi-7f3k --external github:owner/repo#7 --source ci --recheck 2h\nvise wait wi-7f3k --timer 'tomorrow 9'", ValidArgsFunction: a.openItems,
	}
	o.register(c)
	f := c.Flags()
	f.StringVar(&o.operator, "operator", "", "wait for the operator to answer this question")
	f.StringVar(&o.task, "task", "", "wait for a task or delegation to end")
	f.StringVar(&o.external, "external", "", "wait for something outside to change: a run, a review, a branch")
	f.StringVar(&o.timer, "timer", "", "wait for a time: 30m, 16:00, tomorrow 9 or RFC 3339")
	f.BoolVar(&o.system, "system", false, "wait for the scheduler's next look; needs --reason")
	f.StringVar(&o.reason, "reason", "", "what is waited for, in words (default: made of the other flags)")
	f.StringVar(&o.source, "source", "", "who will tell: ci, review")
	f.StringVar(&o.condition, "condition", "", "what must be so: the run succeeded")
	f.StringArrayVar(&o.choices, "choice", nil, "an answer to propose; may be given again")
	f.DurationVar(&o.recheck, "recheck", 0, "look again after this time, if nothing came")
	c.MarkFlagsMutuallyExclusive("operator", "task", "external", "timer", "system")
	c.MarkFlagsOneRequired("operator", "task", "external", "timer", "system")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		return a.wait(ctx, first(args), o)
	})
}

func (a *app) wait(ctx context.Context, ref string, o waitOptions) (answer, error) {
	wait, err := o.command(a.now())
	if err != nil {
		return answer{}, err
	}
	in, err := a.applyWait(ctx, ref, o, wait)
	if err != nil {
		return answer{}, err
	}
	out, err := readOne(ctx, a, func(r model.Reader) (home.WaitResult, error) { return home.WaitResultOf(r, wait.Wake, in), nil })
	return answer{data: out, warnings: in.Warnings, text: func(p *page) {
		if out.WorkItem == nil {
			p.line("agent %s waits", out.Wait.AgentID)
		} else {
			p.changed("waits", *out.WorkItem)
		}
		p.wait(out.Wait)
	}}, err
}

// applyWait is for the item named, or else for the agent's focus, or the agent.
func (a *app) applyWait(ctx context.Context, ref string, o waitOptions, wait model.WaitFor) (model.Receipt, error) {
	if ref != "" {
		return a.act(ctx, ref, o.mutation, func(id model.ItemID) model.Command {
			wait.WorkItemID = id
			return wait
		})
	}
	agent, err := readOne(ctx, a, a.knownAgent)
	if err != nil {
		return model.Receipt{}, err
	}
	return a.apply(ctx, o.mutation, agent, wait)
}

// command reads the flags. Exactly one of the wakes was given.
func (o waitOptions) command(now time.Time) (model.WaitFor, error) {
	w := model.WaitFor{
		Source: model.Text(o.source), Condition: model.Text(o.condition), SeenRevision: o.ifRevision, RecheckAfterMS: millis(o.recheck),
	}
	for _, c := range o.choices {
		w.Choices = append(w.Choices, model.Text(c))
	}
	words := ""
	switch {
	case o.system:
		w.Wake = model.WakeSystem
	case o.operator != "":
		w.Wake, w.Question, words = model.WakeOperatorInput, model.Text(o.operator), o.operator
	case o.task != "":
		w.Wake, w.Resource, words = model.WakeTaskResult, model.Text(o.task), "task "+o.task
	case o.external != "":
		w.Wake, w.Resource, words = model.WakeExternal, model.Text(o.external), cmp.Or(o.condition, o.external)
	case o.timer != "":
		at, err := text.ParseTime(o.timer, now)
		if err != nil {
			return w, misuse("timer", "%q is no time to come", model.Text(o.timer)).WithHint("%v", err)
		}
		w.Wake, w.WakeAt, words = model.WakeTimer, at, "until "+at.Format(time.RFC3339)
	default:
		return w, misuse("wake", "what to wait for is empty").WithHint("give the flag some words")
	}
	w.Reason = model.Text(cmp.Or(o.reason, words))
	return w, nil
}
