package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
)

// reasons are the data of why.
type reasons struct {
	WorkItemID model.ItemID `json:"work_item_id"`
	Handle     model.Handle `json:"handle"`
	Objective  model.Text   `json:"objective"`
	model.Why
	// Order is the beginning of the agent's candidate order.
	Order []model.Row `json:"order"`
}

func (a *app) whyVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "why ID", Short: "Say why a work item is where it is, and what would make it runnable", ValidArgsFunction: a.allItems,
	}
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		return readItem(ctx, a, args[0], (*page).why, func(r model.Reader, w model.WorkItem) reasons {
			out := reasons{WorkItemID: w.ID, Handle: w.Handle, Objective: w.Objective, Why: model.Explain(r, w, a.now())}
			out.Order = append([]model.Row{}, out.Why.Order...)
			return out
		})
	})
}

func (p *page) why(y reasons) {
	p.line("%s  %s", p.strong(string(y.Handle)), y.Objective)
	for _, l := range y.Lines {
		p.block(l.Label, l.Text)
	}
	if len(y.Order) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.strong("order"))
	rows := make([][]cell, len(y.Order))
	for i, r := range y.Order {
		mark, name := className(r.Class)
		here := " "
		if r.ID == y.WorkItemID {
			here = ">"
		}
		rows[i] = []cell{{text: here}, {text: mark + " " + name, paint: func(s string) string { return p.class(r.Class, s) }},
			{text: string(r.Handle)}, {text: r.Objective.String()}}
	}
	p.table(3, rows)
}
