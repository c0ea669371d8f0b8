package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

// delegations is the data of delegate list.
type delegations struct {
	Delegations []delegationRow `json:"delegations"`
}

// delegationRow is a delegation with the handles of its items.
type delegationRow struct {
	model.Delegation
	ParentHandle model.Handle `json:"parent_handle"`
	ChildHandle  model.Handle `json:"child_handle"`
}

// maxDelegations is the most delegations of an agent that are listed.
const maxDelegations = 1000

func delegateListVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the open delegations of the agent, or of all agents", Example: "vise delegate list"}
	return e.verb(c, func(_ context.Context, _ []string) (answer, error) {
		return readAnswer(e, (*page).delegations, func(r model.Reader) (out delegations, err error) {
			out.Delegations = []delegationRow{}
			agents := []model.AgentID{e.agent}
			if e.agent == "" {
				agents = nil
				for _, x := range r.Agents("", maxAgents) {
					agents = append(agents, x.ID)
				}
			}
			for _, id := range agents {
				for _, d := range r.OpenDelegations(id, maxDelegations) {
					parent, _ := r.Item(d.ParentWorkItemID)
					child, _ := r.Item(d.ChildWorkItemID)
					out.Delegations = append(out.Delegations, delegationRow{d, parent.Handle, child.Handle})
				}
			}
			return out, nil
		})
	})
}

func (p *page) delegations(d delegations) {
	if len(d.Delegations) == 0 {
		p.line("no delegation is open; vise delegate ID --to AGENT opens one")
	}
	for _, x := range d.Delegations {
		blocking := ""
		if x.Blocking {
			blocking = ", blocking"
		}
		p.line("%s  %s of %s serves %s of %s%s", p.strong(string(x.ID)), cmp.Or(string(x.ChildHandle), "no item yet"), x.ChildAgentID,
			x.ParentHandle, x.ParentAgentID, blocking)
	}
}

func delegateVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "delegate ID [OBJECTIVE…] (--to AGENT | --child ID)", Short: "Have another agent's work item serve this one",
		Example: "vise delegate wi-7f3k 'Write the contract tests' --to ben",
		Long: "delegate has another agent's work item serve this one: a new item for --to, or an existing one\n" +
			"(--child). Its completion closes the delegation and triggers the waits on it. A delegation blocks\n" +
			"nothing by itself. With --blocking this work item cannot be completed before it.",
	}
	c.AddCommand(delegateListVerb(e), delegateCancelVerb(e))
	var m mutation
	m.keyed(c)
	to := c.Flags().String("to", "", "the agent that a new work item is made for")
	child := c.Flags().String("child", "", "an existing work item")
	blocking := c.Flags().Bool("blocking", false, "refuse this work item's completion while the delegation is open")
	needsOne(c, "to", "child")
	oneOnly(c, "to", "child")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		d := model.OpenDelegation{To: model.AgentID(*to), Objective: model.Text(strings.Join(args[1:], " ")), Blocking: *blocking}
		var err error
		if d.WorkItemID, err = resolve(e, args[0]); err != nil {
			return answer{}, err
		}
		if *child != "" {
			if len(args) > 1 {
				return answer{}, misuse("objective", "the child has its objective").WithHint("leave the words out, or use --to")
			}
			if d.ChildWorkItemID, err = resolve(e, *child); err != nil {
				return answer{}, err
			}
		}
		names, in, err := carryOut(e, order{mutation: m, command: d}, namesOf)
		return receiptAnswer(in, "delegation %s: %s serves %s", in.DelegationID, names.child, names.item), err
	})
}

func delegateCancelVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "cancel DELEGATION [REASON]", Short: "End a delegation; what waits for it is triggered",
		Example: "vise delegate cancel dg-7f3k 'done by hand'",
		Long:    "The other agent's work item stays as it is."}
	var m mutation
	m.keyed(c)
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		d := model.CancelDelegation{DelegationID: model.DelegationID(args[0])}
		if len(args) > 1 {
			d.Reason = model.Text(args[1])
		}
		names, in, err := carryOut(e, order{mutation: m, command: d}, namesOf)
		if in.Unchanged {
			return receiptAnswer(in, "delegation %s had ended before", in.DelegationID), err
		}
		return receiptAnswer(in, "delegation %s cancelled; %s stays as it is", in.DelegationID,
			cmp.Or(names.child, "what the agent does")), err
	})
}
