package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/text"
)

// inboxOf is the data of inbox.
type inboxOf struct {
	Inbox []model.Inboxed `json:"inbox"`
}

// inboxListed is how many entries are listed unless another limit is asked for.
const inboxListed = 50

func (a *app) inboxVerb() *cobra.Command {
	limit := inboxListed
	c := &cobra.Command{
		Use: "inbox", Short: "What needs you, across all agents",
		Long: "inbox lists what needs the operator: questions, stalled work, answers that no turn took, triggers of\n" +
			"idle agents, and work of the last week that was finished without a report. vise ack ID quiets an entry.",
	}
	c.Flags().IntVar(&limit, "limit", limit, "how many entries at most")
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) {
		return readAnswer(ctx, a, (*page).inbox, func(r model.Reader) (inboxOf, error) {
			return inboxOf{append([]model.Inboxed{}, model.Inbox(r, a.now(), limit)...)}, nil
		})
	})
}

func (p *page) inbox(x inboxOf) {
	if len(x.Inbox) == 0 {
		p.line("nothing needs you")
	}
	for _, x := range x.Inbox {
		what := x.Objective
		if x.Need == model.NeedAnswer && x.Wait.Question != "" {
			what = x.Wait.Question
		}
		seen := ""
		if x.Seen {
			seen = ", seen"
		}
		p.line("%s  %s  %s %s%s  %s", x.Handle, model.Text(x.AgentID), x.Need, text.Age(p.now.Sub(x.Since).Round(time.Second)), seen, what)
	}
}

type ackOptions struct {
	mutation
	withdraw bool
}

func (a *app) ackVerb() *cobra.Command {
	var o ackOptions
	c := &cobra.Command{
		Use: "ack ID", Short: "Acknowledge what a work item needs: quiet until something new happens", ValidArgsFunction: a.openItems,
	}
	o.register(c)
	c.Flags().BoolVar(&o.withdraw, "withdraw", false, "take the acknowledgement back")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		in, err := a.act(ctx, args[0], o.mutation, func(id model.ItemID) model.Command {
			return model.Acknowledge{WorkItemID: id, Withdraw: o.withdraw, SeenRevision: o.ifRevision}
		})
		word := "acknowledged"
		if o.withdraw {
			word = "not acknowledged any more"
		}
		return answer{data: in, warnings: in.Warnings, text: func(p *page) { p.line("%s %s", word, in.WorkItemID) }}, err
	})
}
