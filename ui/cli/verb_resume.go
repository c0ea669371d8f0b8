package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
)

// resumed is the data of resume.
type resumed struct {
	WorkItemID model.ItemID    `json:"work_item_id,omitempty"`
	Handle     model.Handle    `json:"handle,omitempty"`
	Objective  model.Text      `json:"objective,omitempty"`
	Card       json.RawMessage `json:"card"`
}

func (a *app) resumeVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "resume [ID]", Short: "Show where the work was left: the resume card",
		Long: "resume shows where the work on an item was left, in the repository around the working directory and\n" +
			"on its branch: objective, next action, why, what is unverified, the strongest gap, dead ends, files, and\n" +
			"whether it may be loaded here. Without ID it is about the agent's focus, or else the active thread. It\n" +
			"changes nothing; picking an item goes on with its thread.", ValidArgsFunction: a.allItems,
	}
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) { return a.resume(ctx, first(args)) })
}

func (a *app) resume(ctx context.Context, ref string) (answer, error) {
	item, err := a.resumedItem(ctx, ref)
	if err != nil {
		return answer{}, err
	}
	card := a.threads("").Card(ctx, item.Links.Threads)
	raw, err := json.Marshal(card.View())
	if err != nil {
		return answer{}, err
	}
	out := resumed{WorkItemID: item.ID, Handle: item.Handle, Objective: item.Objective, Card: raw}
	return answer{data: out, text: func(p *page) { p.card(item, card) }}, nil
}

// resumedItem is the item that ref names, else the focus; none without a home or a focus.
func (a *app) resumedItem(ctx context.Context, ref string) (item model.WorkItem, err error) {
	if ref != "" {
		id, err := a.resolve(ctx, ref)
		if err != nil {
			return item, err
		}
		err = a.read(ctx, func(r model.Reader) error {
			item, _ = r.Item(id)
			return nil
		})
		return item, err
	}
	err = a.read(ctx, func(r model.Reader) error {
		agent, err := a.agentOf(r)
		if err == nil {
			item, _ = model.Focus(r, agent)
		}
		return err
	})
	if home.NoHome(err) {
		return item, nil
	}
	return item, err
}

// cardLabel is the width of the card's labels.
const cardLabel = 11

func (p *page) card(item model.WorkItem, card thread.Card) {
	if item.ID != "" {
		p.line("%s", p.strong(string(item.Handle)))
	}
	label := ""
	for _, row := range card.Rows(item.Objective) {
		shown := row.Label
		if shown == label {
			shown = ""
		}
		label = row.Label
		p.line("%s %v", p.muted(padded(shown)), row.Text)
	}
	if card.Empty() {
		p.line("No thread yet: vise thread start GOAL begins one, once there is something to keep.")
	}
}

func padded(label string) string {
	for len(label) < cardLabel {
		label += " "
	}
	return label
}
