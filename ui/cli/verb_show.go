package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

// shown is the data of show: GetWorkItem's answer and the item's waits, ended ones too.
type shown struct {
	home.GetResult
	Waits []model.Wait `json:"wait_conditions"`
	// Linked are the file todos that the item links to, as their files stand.
	Linked []home.LinkedTodo `json:"linked_todos,omitempty"`
}

// shownWaits bounds how many waits show tells of.
const shownWaits = 50

func (a *app) showVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "show ID", Short: "Show all that is known of a work item", ValidArgsFunction: a.allItems,
	}
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) { return a.show(ctx, args[0]) })
}

func (a *app) show(ctx context.Context, ref string) (answer, error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return answer{}, err
	}
	out := shown{Waits: []model.Wait{}}
	err = a.read(ctx, func(r model.Reader) error {
		out.GetResult = home.GetResultOf(r, id, true)
		out.Waits = append(out.Waits, r.Waits(out.WorkItem.AgentID, id, shownWaits)...)
		return nil
	})
	if refs := out.WorkItem.Links.TodoRefs; err == nil && len(refs) > 0 {
		files := home.NewTodoFiles()
		defer files.Close()
		out.WorkItem.TodoList = files.Derive(out.WorkItem.TodoList, refs)
		out.Linked = files.Todos(refs)
		_ = a.home.RefreshTodos(ctx, model.Envelope{Actor: model.Watcher}, id) // noted by the next who looks, if not now
	}
	return answer{data: out, text: func(p *page) {
		p.item(out.WorkItem, out.Waits)
		p.linked(out.Linked)
	}}, err
}
