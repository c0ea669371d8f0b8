package home

import (
	"context"

	"vise/model"
	"vise/store/threads"
)

// pickedItems returns the items that a command made the focus, as they are after it. A turn that begins counts as picking its focus.
func pickedItems(r model.Reader, c model.Command, in model.Receipt) (items []model.WorkItem) {
	for _, act := range threadActs(c, in) {
		id := act.item
		if id == "" {
			agent, _ := r.Agent(act.focusOf)
			id = agent.CurrentWorkItemID
		}
		if w, ok := r.Item(id); ok && act.picked && w.State == model.Open {
			items = append(items, w)
		}
	}
	return items
}

// noteBegan links items to the commits at which the work on them begins: the commit of the item's own work tree, else that of the
// repository around dir. The first commit for a work tree stays. A failure gives no warning: the view of what the work changed says that
// the commit is not known.
func (h *Home) noteBegan(ctx context.Context, by model.Envelope, dir string, items []model.WorkItem) {
	for _, w := range items {
		at := w.Links.OwnWorktree()
		if at == "" {
			at = threads.FindRoot(dir)
		}
		if dir == "" || threads.GitDir(at) == "" || w.Links.Began(at) != "" {
			continue
		}
		if commit := (threads.Reader{}).Head(ctx, at); commit != "" {
			by.Agent = w.AgentID
			_, _ = h.send(ctx, by, model.LinkWorkItem{WorkItemID: w.ID, Add: model.Links{Refs: []model.Ref{model.BeganAt(at, commit)}}})
		}
	}
}
