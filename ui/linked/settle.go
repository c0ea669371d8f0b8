package linked

import (
	"context"
	"errors"
	"fmt"

	"vise/model"
	"vise/model/todo"
)

// Apply sends a command with what linked todos need around it: before a completion the
// derived rows are noted, and its decisions judged, so that nothing is refused after it;
// after it they are carried out. What stays open is a warning of the receipt, never silent.
func (d Desk) Apply(ctx context.Context, e model.Envelope, apply func(context.Context, model.Envelope) (model.Receipt, error)) (model.Receipt, error) {
	done := completions(e.Command)
	if len(done) == 0 {
		return apply(ctx, e)
	}
	files := NewFiles()
	defer files.Close()
	plans := make([]Plan, len(done))
	items := make([]model.WorkItem, len(done))
	for i, c := range done {
		var err error
		if items[i], err = itemOf(ctx, d.Ledger, c.WorkItemID); err != nil {
			return model.Receipt{}, err
		}
		if len(items[i].Links.TodoRefs) == 0 && len(c.LinkedTodos) == 0 {
			continue
		}
		files.note(ctx, d.Ledger, model.Envelope{Key: e.Key, Actor: d.Actor, Agent: d.Agent}, items[i])
		if plans[i], err = d.Judge(ctx, files, items[i], c.LinkedTodos); err != nil {
			return model.Receipt{}, err
		}
	}
	in, err := apply(ctx, e)
	if err != nil {
		return in, err
	}
	for i, p := range plans {
		in.Warnings = append(in.Warnings, d.Settle(ctx, files, items[i], p)...)
	}
	return in, nil
}

// completions are the completions that a command asks for.
func completions(c model.Command) (out []model.CompleteWorkItem) {
	switch c := c.(type) {
	case model.CompleteWorkItem:
		return []model.CompleteWorkItem{c}
	case model.Round:
		for _, call := range c.Calls {
			out = append(out, completions(call.Command)...)
		}
	}
	return out
}

// Settle carries decisions out, after the completion. What fails stays open and is a
// warning: the same completion with the same decisions tries it again.
func (d Desk) Settle(ctx context.Context, files *Files, item model.WorkItem, p Plan) []model.Warning {
	var out []model.Warning
	for _, decision := range p.Decisions {
		if err := d.settle(ctx, files, item, decision); err != nil {
			out = append(out, model.Warning{Kind: model.WarnTodoStillOpen, Message: fmt.Sprintf("%s is still open: %s", decision.Todo, reason(err))})
		}
	}
	if n := len(p.Undecided); n > 0 {
		out = append(out, model.Warning{Kind: model.WarnTodosUndecided, Message: fmt.Sprintf(
			"%s, nobody said what becomes of %s; complete again with linked_todos, such as {%q: \"finished\"}: %s",
			stays(p.Undecided), them(n), p.Undecided[0].Ref(), Forms)})
	}
	return out
}

func stays(open []todo.Todo) string {
	s := string(open[0].Ref()) + " (" + string(open[0].Status) + ")"
	switch n := len(open) - 1; n {
	case 0:
		return "linked todo " + s + " stays open"
	default:
		return fmt.Sprintf("linked todo %s and %d more stay open", s, n)
	}
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func reason(err error) string {
	var known *model.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return model.Text(err.Error()).String()
}

func (d Desk) settle(ctx context.Context, files *Files, item model.WorkItem, decision Decision) error {
	if decision.toID != "" {
		return d.moveOver(ctx, item, decision)
	}
	m, changes := d.move(decision, item.Handle)
	if !changes {
		return nil
	}
	s := files.session(decision.link.TodosBase)
	var err error
	if m.To == todo.Complete {
		_, err = s.Finish(string(decision.Todo), m)
	} else {
		_, err = s.Move(string(decision.Todo), m)
	}
	return err
}

// moveOver links a todo to the other item before it is unlinked here, so that it is never
// linked to nothing.
func (d Desk) moveOver(ctx context.Context, item model.WorkItem, decision Decision) error {
	links := model.Links{TodoRefs: []model.TodoRef{decision.link}}
	for _, c := range []model.Command{
		model.LinkWorkItem{WorkItemID: decision.toID, Add: links}, model.LinkWorkItem{WorkItemID: item.ID, Remove: links},
	} {
		if _, err := d.Ledger.Apply(ctx, model.Envelope{Key: d.NewKey(), Actor: d.Actor, Agent: d.Agent, Command: c}); err != nil {
			return err
		}
	}
	return nil
}
