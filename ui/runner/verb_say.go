package runner

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

// maxInput bounds what is read from standard input, one byte more than is kept.
const maxInput = model.MaxMessage + 1

// text is the words of a command line; a single - is standard input.
func (e VerbEnv) text(c *cobra.Command, words []string) (model.Text, error) {
	if len(words) != 1 || words[0] != "-" {
		return spoken(words), nil
	}
	raw, err := io.ReadAll(io.LimitReader(c.InOrStdin(), maxInput))
	return model.Text(raw), err
}

func (e VerbEnv) say() *cobra.Command {
	c := &cobra.Command{
		Use: "say AGENT TEXT…", Short: "Say something to an agent",
		Long: "say queues words for an agent's next turn. They never become a work item by themselves, and wait\n" +
			"for a running turn unless the operator says them with --priority interject. A TEXT of - is standard input.",
		Args: cobra.MinimumNArgs(2),
	}
	key := keyed(c)
	priority := c.Flags().String("priority", "normal", "interject, next, normal or background")
	item := c.Flags().String("item", "", "the work item that it is about")
	return e.Verb(c, func(ctx context.Context, args []string) (Answer, error) {
		text, err := e.text(c, args[1:])
		if err != nil {
			return Answer{}, err
		}
		s := model.Say{AgentID: model.AgentID(args[0]), Text: text, Priority: model.Priority(*priority)}
		if *item != "" {
			if s.WorkItemID, err = e.resolve(ctx, *item); err != nil {
				return Answer{}, err
			}
		}
		in, err := e.apply(ctx, *key, "", s)
		return receipt(in, "queued for %s", s.AgentID), err
	})
}

func (e VerbEnv) answer() *cobra.Command {
	c := &cobra.Command{
		Use: "answer ID|WAIT TEXT…", Short: "Answer a work item's question",
		Long: "answer gives the operator's reply to the question of a work item. It triggers the wait, stays in the\n" +
			"item, and is handed to the agent, who decides what to do with it. A TEXT of - is standard input.",
		Args: cobra.MinimumNArgs(2),
	}
	key := keyed(c)
	ready := c.Flags().Bool("plan-ready", false, "a plan that needed input is ready with it")
	seen := c.Flags().Uint64("if-revision", 0, "refuse if the work item is not at this revision any more")
	return e.Verb(c, func(ctx context.Context, args []string) (Answer, error) {
		text, err := e.text(c, args[1:])
		if err != nil {
			return Answer{}, err
		}
		a := model.Answer{Text: text, PlanReady: *ready, SeenRevision: *seen}
		if strings.HasPrefix(args[0], "wt-") {
			a.WaitID = model.WaitID(args[0])
		} else if a.WorkItemID, err = e.resolve(ctx, args[0]); err != nil {
			return Answer{}, err
		}
		in, err := e.apply(ctx, *key, "", a)
		return receipt(in, "answered %s; %s will hear it", in.WorkItemID, in.AgentID), err
	})
}

func (e VerbEnv) delegate() *cobra.Command {
	c := &cobra.Command{
		Use: "delegate ID (--to AGENT OBJECTIVE… | --child ID)", Short: "Have another agent's work item serve this one",
		Long: "delegate ties another agent's work item to this one: a new one made for --to, or one that is there.\n" +
			"Its completion closes the delegation and triggers the waits on it. It blocks nothing by itself; with\n" +
			"--blocking this work item cannot be completed before.",
		Args: cobra.MinimumNArgs(1),
	}
	key := keyed(c)
	to := c.Flags().String("to", "", "the agent that a new work item is made for")
	child := c.Flags().String("child", "", "a work item that is there")
	blocking := c.Flags().Bool("blocking", false, "refuse this work item's completion while the delegation is open")
	c.MarkFlagsOneRequired("to", "child")
	c.MarkFlagsMutuallyExclusive("to", "child")
	return e.Verb(c, func(ctx context.Context, args []string) (Answer, error) {
		d := model.OpenDelegation{To: model.AgentID(*to), Objective: spoken(args[1:]), Blocking: *blocking}
		var err error
		if d.WorkItemID, err = e.resolve(ctx, args[0]); err != nil {
			return Answer{}, err
		}
		if *child != "" {
			if len(args) > 1 {
				return Answer{}, Misuse("objective", "the child has its objective").WithHint("leave the words out, or use --to")
			}
			if d.ChildWorkItemID, err = e.resolve(ctx, *child); err != nil {
				return Answer{}, err
			}
		}
		in, err := e.apply(ctx, *key, "", d)
		return receipt(in, "delegation %s: %s serves %s", in.DelegationID, in.ChildWorkItemID, in.WorkItemID), err
	})
}
