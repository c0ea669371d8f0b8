package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

func undoVerb(e *Env) *cobra.Command {
	return undoing(e, "undo [ID]", "Undo the operator's last act, in all or on one work item", false)
}

func redoVerb(e *Env) *cobra.Command {
	return undoing(e, "redo [ID]", "Redo what was undone last, in all or on one work item", true)
}

// undone is the data of undo and redo.
type undone struct {
	What       model.Text    `json:"what"`
	WorkItemID model.ItemID  `json:"work_item_id,omitempty"`
	AgentID    model.AgentID `json:"agent_id"`
	Revision   uint64        `json:"revision"`
}

func undoing(e *Env, use, short string, again bool) *cobra.Command {
	var m mutation
	name, _, _ := strings.Cut(use, " ")
	c := &cobra.Command{Use: use, Short: short, ValidArgsFunction: items(e, model.FilterAll),
		Long: "undo takes back the operator's last pick, change, blocker, wait or acknowledgement, and redo does it\n" +
			"again, whether it came from the console or the command line. Both refuse if the work item has changed\n" +
			"since. Completions, reports, answers and messages cannot be undone.",
		Example: "vise " + name + "\nvise " + name + " wi-7f3k",
	}
	m.keyed(c)
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		var id model.ItemID
		if len(args) > 0 {
			var err error
			if id, err = resolve(e, args[0]); err != nil {
				return answer{}, err
			}
		}
		return undo(e, m, id, again)
	})
}

func undo(e *Env, m mutation, id model.ItemID, again bool) (answer, error) {
	h, err := open(e)
	if err != nil {
		return answer{}, err
	}
	m = m.requesting("undo", id, again)
	in, before, err := replayed(e, m)
	if err != nil || before {
		out := undone{"what its key was used for", in.WorkItemID, in.AgentID, in.Revision}
		return answer{data: out, warnings: in.Warnings, lines: []string{"done before"}}, err
	}
	last, ok, err := h.LastUndo(e, id, again)
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
		u.What = actWords(e, last)
	}
	in, err = send(e, m, last.AgentID, u)
	out := undone{u.What, in.WorkItemID, in.AgentID, in.Revision}
	return answer{data: out, warnings: in.Warnings, lines: []string{model.Text(u.Said()).String()}}, err
}

// actWords returns a description of an act from the journal.
func actWords(e *Env, in model.Receipt) model.Text {
	what := model.Text(in.Command)
	_ = read(e, func(r model.Reader) error {
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
