package accessible

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/ui/action"
)

// signs are how a checklist spells its states.
var signs = map[model.TodoState]string{model.TodoPending: " ", model.TodoInProgress: "~", model.TodoCompleted: "x"}

// todos changes the checklist one thing at a time, and saves it as one snapshot each time.
func (s *session) todos(ctx context.Context, l itemView) error {
	list := slices.Clone(l.detail.TodoList)
	options := []option{{"Add a todo at the end", func(ctx context.Context) error {
		words, err := s.ask(ctx, "The todo, for the end of the list:")
		if err != nil || words == "" {
			return err
		}
		return s.saveTodos(ctx, l, append(list, model.Todo{Text: model.Text(words), State: model.TodoPending}))
	}, action.TodoAdd}}
	for i, t := range list {
		options = append(options, option{fmt.Sprintf("%s, %s", t.Text, strings.ReplaceAll(string(t.State), "_", " ")),
			func(ctx context.Context) error { return s.todo(ctx, l, list, i) }, ""})
	}
	_, err := s.choose(ctx, "The checklist; a todo's number changes it", options)
	return err
}

func (s *session) saveTodos(ctx context.Context, l itemView, list []model.Todo) error {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "- [%s] %s\n", signs[t.State], t.Text.Raw()) // raw: back into the ledger
	}
	return s.runUndoable(ctx, "changed the todos of", l, b.String(), append(append([]string{"update"}, l.seen()...), "--todos", "-")...)
}

// todo is the menu of one todo.
func (s *session) todo(ctx context.Context, l itemView, list []model.Todo, i int) error {
	_, err := s.choose(ctx, list[i].Text.String(), s.todoOptions(l, list, i))
	return err
}

func (s *session) todoOptions(l itemView, list []model.Todo, i int) []option {
	saving := func(change func([]model.Todo) []model.Todo) func(context.Context) error {
		return func(ctx context.Context) error { return s.saveTodos(ctx, l, change(slices.Clone(list))) }
	}
	to := func(words string, state model.TodoState) option {
		return option{words, saving(func(list []model.Todo) []model.Todo { list[i].State = state; return list }), action.TodoState}
	}
	swapped := func(j int) func(context.Context) error {
		return saving(func(list []model.Todo) []model.Todo { list[i], list[j] = list[j], list[i]; return list })
	}
	out := []option{
		to("Pending", model.TodoPending), to("In progress", model.TodoInProgress), to("Completed", model.TodoCompleted),
		{"Say it in other words", func(ctx context.Context) error {
			words, err := s.ask(ctx, "What it says:")
			if err != nil || words == "" {
				return err
			}
			return saving(func(list []model.Todo) []model.Todo { list[i].Text = model.Text(words); return list })(ctx)
		}, action.TodoEdit},
	}
	if i > 0 {
		out = append(out, option{"Move it up", swapped(i - 1), action.TodoRowUp})
	}
	if i < len(list)-1 {
		out = append(out, option{"Move it down", swapped(i + 1), action.TodoRowDown})
	}
	return append(out, option{"Drop it", saving(func(list []model.Todo) []model.Todo { return slices.Delete(list, i, i+1) }), action.TodoDrop})
}
