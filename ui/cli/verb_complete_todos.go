package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
)

// todoDecisions say what becomes of the open file todos of an item that is completed.
type todoDecisions struct {
	all string
	one []string
}

func (t *todoDecisions) register(c *cobra.Command) {
	c.Flags().StringVar(&t.all, "todos", "", "what becomes of every open linked file todo: "+home.DecisionForms)
	c.Flags().StringArrayVar(&t.one, "todo", nil, "what becomes of one, as review/003=finished; may be repeated")
}

// completionWithTodos is complete's answer.
type completionWithTodos struct {
	home.CompletionResult
	Todos []home.TodoDecision `json:"linked_todos,omitempty"`
}

// decideTodos holds the decisions against the open todos that an item links to: each needs
// one. It changes nothing.
func (a *app) decideTodos(ctx context.Context, v model.View, t todoDecisions) (map[string]model.Text, home.TodoDecisions, error) {
	if len(v.Links.TodoRefs) == 0 && t.all == "" && len(t.one) == 0 {
		return nil, home.TodoDecisions{}, nil
	}
	actor, err := a.actor()
	if err != nil {
		return nil, home.TodoDecisions{}, err
	}
	files := home.NewTodoFiles()
	defer files.Close()
	words, err := t.words(file.Undecided(v.Links.TodoRefs, files.Find))
	if err != nil {
		return nil, home.TodoDecisions{}, err
	}
	item := model.WorkItem{ID: v.ID, Handle: v.Handle, Links: v.Links}
	decided, err := a.home.DecideTodos(ctx, files, actor, item, words)
	if err == nil && v.State == model.Open {
		err = decided.Ask(v.Handle)
	}
	return words, decided, err
}

// words are the decisions by todo. One on a todo that is not open and linked is an error.
func (t todoDecisions) words(open []file.Todo) (map[string]model.Text, error) {
	out := map[string]model.Text{}
	for _, x := range open {
		if t.all != "" {
			out[string(x.Ref())] = model.Text(t.all)
		}
	}
	for _, one := range t.one {
		ref, word, ok := strings.Cut(one, "=")
		if !ok {
			return nil, misuse("todo", "%q decides nothing", model.Text(one)).WithHint("give REF=DECISION, with %s", home.DecisionForms)
		}
		if !slices.ContainsFunc(open, func(x file.Todo) bool { return x.Ref() == file.Ref(ref) }) {
			return nil, misuse("todo", "%s is no open linked todo", model.Text(ref)).WithHint("vise show names the links")
		}
		out[ref] = model.Text(word)
	}
	return out, nil
}

// linked writes the file todos that an item links to.
func (p *page) linked(list []home.LinkedTodo) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.muted("file todos"))
	for _, x := range list {
		if x.Missing != "" {
			p.line("  %s  %s", x.Todo, x.Missing)
			continue
		}
		p.line("  %s  %s  %s", x.Todo, model.Text(x.Status), x.Title)
	}
}
