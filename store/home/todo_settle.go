package home

import (
	"context"
	"errors"
	"fmt"

	"vise/model"
	file "vise/model/todo"
)

// settleTodos carries decisions out, after the completion. What fails stays open and is a
// warning: the same completion with the same decisions tries it again.
func (h *Home) settleTodos(ctx context.Context, files *TodoFiles, by model.Envelope, item model.WorkItem, all TodoDecisions) []model.Warning {
	var out []model.Warning
	for _, d := range all.Decisions {
		if err := h.settleTodo(ctx, files, by, item, d); err != nil {
			out = append(out, model.Warning{Kind: model.WarnTodoStillOpen, Message: fmt.Sprintf("%s is still open: %s", d.Todo, messageOf(err))})
		}
	}
	if open := all.Undecided; len(open) > 0 {
		first, others, whose := open[0], "stays", "it"
		if n := len(open) - 1; n > 0 {
			others, whose = fmt.Sprintf("and %d more stay", n), "them"
		}
		out = append(out, model.Warning{Kind: model.WarnTodosUndecided, Message: fmt.Sprintf(
			"linked todo %s (%s) %s open, nobody said what becomes of %s; complete again with linked_todos, such as {%q: \"finished\"}: %s",
			first.Ref(), first.Status, others, whose, first.Ref(), DecisionForms)})
	}
	return out
}

func messageOf(err error) string {
	if known := (*model.Error)(nil); errors.As(err, &known) {
		return known.Message
	}
	return model.Text(err.Error()).String()
}

func (h *Home) settleTodo(ctx context.Context, files *TodoFiles, by model.Envelope, item model.WorkItem, d TodoDecision) error {
	if d.toID != "" {
		return h.relinkTodo(ctx, by, item, d)
	}
	m, changes := h.moveOf(d, by.Actor, item.Handle)
	if !changes {
		return nil
	}
	s := files.session(d.link.TodosBase)
	var err error
	if m.To == file.Complete {
		_, err = s.Finish(string(d.Todo), m)
	} else {
		_, err = s.Move(string(d.Todo), m)
	}
	return err
}

// relinkTodo links a todo to the other item before it is unlinked here, so that it is never
// linked to nothing.
func (h *Home) relinkTodo(ctx context.Context, by model.Envelope, item model.WorkItem, d TodoDecision) error {
	links := model.Links{TodoRefs: []model.TodoRef{d.link}}
	for _, c := range []model.Command{
		model.LinkWorkItem{WorkItemID: d.toID, Add: links}, model.LinkWorkItem{WorkItemID: item.ID, Remove: links},
	} {
		by.Key, by.Command = NewKey(), c
		if _, err := h.send(ctx, by); err != nil {
			return err
		}
	}
	return nil
}
