package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/ui/linked"
	"vise/ui/reply"
)

// todoDecisions say what becomes of the open file todos of an item that is completed.
type todoDecisions struct {
	all string
	one []string
}

func (t *todoDecisions) register(c *cobra.Command) {
	c.Flags().StringVar(&t.all, "todos", "", "what becomes of every open linked file todo: "+linked.Forms)
	c.Flags().StringArrayVar(&t.one, "todo", nil, "what becomes of one, as review/003=finished; may be repeated")
}

// completionWithTodos is complete's answer.
type completionWithTodos struct {
	reply.Completion
	Todos []linked.Decision `json:"linked_todos,omitempty"`
}

// desk is where this run decides on linked todos.
func (a *app) desk(l linked.Ledger, actor model.Actor, agent model.AgentID) linked.Desk {
	return linked.Desk{Ledger: l, Actor: actor, Agent: agent, Now: a.now, NewKey: newKey}
}

// decideTodos holds the decisions against the open todos that an item links to: each needs
// one. It changes nothing.
func (a *app) decideTodos(ctx context.Context, id model.ItemID, agent model.AgentID, t todoDecisions) (map[string]model.Text, linked.Plan, error) {
	var item model.WorkItem
	if err := a.read(ctx, func(r model.Reader) error {
		item, _ = r.Item(id)
		return nil
	}); err != nil || len(item.Links.TodoRefs) == 0 && t.all == "" && len(t.one) == 0 {
		return nil, linked.Plan{}, err
	}
	actor, err := a.actor()
	if err != nil {
		return nil, linked.Plan{}, err
	}
	files := linked.NewFiles()
	defer files.Close()
	words, err := t.words(file.Undecided(item.Links.TodoRefs, files.Find))
	if err != nil {
		return nil, linked.Plan{}, err
	}
	p, err := a.desk(a.door.ledger, actor, agent).Judge(ctx, files, item, words)
	if err == nil && item.State == model.Open {
		err = p.Ask(item.Handle)
	}
	return words, p, err
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
			return nil, misuse("todo", "%q decides nothing", model.Text(one)).WithHint("give REF=DECISION, with %s", linked.Forms)
		}
		if !slices.ContainsFunc(open, func(x file.Todo) bool { return x.Ref() == file.Ref(ref) }) {
			return nil, misuse("todo", "%s is no open linked todo", model.Text(ref)).WithHint("vise show names the links")
		}
		out[ref] = model.Text(word)
	}
	return out, nil
}

// linked writes the file todos that an item links to.
func (p *page) linked(list []linked.Todo) {
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
