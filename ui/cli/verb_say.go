package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

// message is the words of a command line as one text; a single - is standard input.
func (a *app) message(words []string) (model.Text, error) {
	if len(words) == 1 && words[0] == "-" {
		s, err := a.stdin("text")
		return model.Text(s), err
	}
	return model.Text(strings.Join(words, " ")), nil
}

func (a *app) sayVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "say AGENT TEXT…", Short: "Say something to an agent",
		Long: "say queues words for an agent's next turn. They never become a work item by themselves, and wait\n" +
			"for a running turn unless the operator says them with --priority interject. A TEXT of - is standard input.",
	}
	var m mutation
	m.keyed(c)
	priority := c.Flags().String("priority", "normal", "interject, next, normal or background")
	item := c.Flags().String("item", "", "the work item that it is about")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		text, err := a.message(args[1:])
		if err != nil {
			return answer{}, err
		}
		s := model.Say{AgentID: model.AgentID(args[0]), Text: text, Priority: model.Priority(*priority)}
		if *item != "" {
			if s.WorkItemID, err = a.resolve(ctx, *item); err != nil {
				return answer{}, err
			}
		}
		in, err := a.apply(ctx, m, "", s)
		return receiptAnswer(in, "queued for %s", s.AgentID), err
	})
}

func (a *app) answerVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "answer ID|WAIT TEXT…", Short: "Answer a work item's question",
		Long: "answer gives the operator's reply to the question of a work item. It triggers the wait, stays in the\n" +
			"item, and is handed to the agent, who decides what to do with it. A TEXT of - is standard input.",
	}
	var m mutation
	m.register(c)
	ready := c.Flags().Bool("plan-ready", false, "a plan that needed input is ready with it")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		text, err := a.message(args[1:])
		if err != nil {
			return answer{}, err
		}
		x := model.Answer{Text: text, PlanReady: *ready, SeenRevision: m.ifRevision}
		if strings.HasPrefix(args[0], "wt-") {
			x.WaitID = model.WaitID(args[0])
		} else if x.WorkItemID, err = a.resolve(ctx, args[0]); err != nil {
			return answer{}, err
		}
		in, err := a.apply(ctx, m, "", x)
		return receiptAnswer(in, "answered %s; %s will hear it", in.WorkItemID, in.AgentID), err
	})
}

func (a *app) delegateVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "delegate ID [OBJECTIVE…] (--to AGENT | --child ID)", Short: "Have another agent's work item serve this one",
		Long: "delegate ties another agent's work item to this one: a new one made for --to, or one that is there.\n" +
			"Its completion closes the delegation and triggers the waits on it. It blocks nothing by itself; with\n" +
			"--blocking this work item cannot be completed before.",
	}
	var m mutation
	m.keyed(c)
	to := c.Flags().String("to", "", "the agent that a new work item is made for")
	child := c.Flags().String("child", "", "a work item that is there")
	blocking := c.Flags().Bool("blocking", false, "refuse this work item's completion while the delegation is open")
	c.MarkFlagsOneRequired("to", "child")
	c.MarkFlagsMutuallyExclusive("to", "child")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		d := model.OpenDelegation{To: model.AgentID(*to), Objective: model.Text(strings.Join(args[1:], " ")), Blocking: *blocking}
		var err error
		if d.WorkItemID, err = a.resolve(ctx, args[0]); err != nil {
			return answer{}, err
		}
		if *child != "" {
			if len(args) > 1 {
				return answer{}, misuse("objective", "the child has its objective").WithHint("leave the words out, or use --to")
			}
			if d.ChildWorkItemID, err = a.resolve(ctx, *child); err != nil {
				return answer{}, err
			}
		}
		in, err := a.apply(ctx, m, "", d)
		return receiptAnswer(in, "delegation %s: %s serves %s", in.DelegationID, in.ChildWorkItemID, in.WorkItemID), err
	})
}
