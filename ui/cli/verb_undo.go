package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

func (a *app) undoVerb() *cobra.Command {
	return a.undoing("undo [ID]", "Undo the operator's last act, in all or on one work item", false)
}

func (a *app) redoVerb() *cobra.Command {
	return a.undoing("redo [ID]", "Redo what was undone last, in all or on one work item", true)
}

// undone is the data of undo and redo.
type undone struct {
	What       model.Text    `json:"what"`
	WorkItemID model.ItemID  `json:"work_item_id,omitempty"`
	AgentID    model.AgentID `json:"agent_id"`
	Revision   uint64        `json:"revision"`
}

func (a *app) undoing(use, short string, again bool) *cobra.Command {
	var m mutation
	name, _, _ := strings.Cut(use, " ")
	c := &cobra.Command{Use: use, Short: short, ValidArgsFunction: a.items(model.FilterAll),
		Long: "undo takes back the operator's last pick, change, blocker, wait or acknowledgement, and redo does it\n" +
			"again, whether it came from the console or the command line. Both refuse if the work item has changed\n" +
			"since. Completions, reports, answers and messages cannot be undone.",
		Example: "vise " + name + "\nvise " + name + " wi-7f3k",
	}
	m.keyed(c)
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		var id model.ItemID
		if len(args) > 0 {
			var err error
			if id, err = a.resolve(ctx, args[0]); err != nil {
				return answer{}, err
			}
		}
		return a.undo(ctx, m, id, again)
	})
}

func (a *app) undo(ctx context.Context, m mutation, id model.ItemID, again bool) (answer, error) {
	h, err := a.open()
	if err != nil {
		return answer{}, err
	}
	m = m.requesting("undo", id, again)
	in, before, err := a.replay(ctx, m)
	if err != nil || before {
		out := undone{"what its key was used for", in.WorkItemID, in.AgentID, in.Revision}
		return answer{data: out, warnings: in.Warnings, lines: []string{"done before"}}, err
	}
	last, ok, err := h.LastUndo(ctx, id, again)
	if err != nil {
		return answer{}, err
	}
	if !ok && again {
		return answer{}, model.Refuse(model.CodeNotFound, "nothing was undone that could be done again").
			WithHint("after a new act only that can be undone; vise events says what happened")
	}
	if !ok {
		return answer{}, model.Refuse(model.CodeNotFound, "no act of the operator is left to undo").
			WithHint("vise events says what happened; completions, reports, answers and messages have no undo")
	}
	u := *last.Inverse
	if u.What == "" {
		u.What = a.actWords(ctx, last)
	}
	in, err = a.apply(ctx, m, last.AgentID, u)
	out := undone{u.What, in.WorkItemID, in.AgentID, in.Revision}
	return answer{data: out, warnings: in.Warnings, lines: []string{model.Text(u.Said()).String()}}, err
}

// actWords returns a description of an act from the journal.
func (a *app) actWords(ctx context.Context, in model.Receipt) model.Text {
	what := model.Text(in.Command)
	_ = a.read(ctx, func(r model.Reader) error {
		for _, e := range r.History(in.AgentID, model.Position{Revision: in.Revision}, 1) {
			what = e.Describe()
		}
		if w, ok := r.Item(in.Inverse.Item()); ok {
			what = model.Text(w.Handle) + " " + what
		}
		return nil
	})
	return what
}
