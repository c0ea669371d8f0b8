package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/ui/reply"
)

// todoDecisions say what becomes of the open file todos of an item that is completed.
type todoDecisions struct {
	all string
	one []string
}

func (t *todoDecisions) register(c *cobra.Command) {
	c.Flags().StringVar(&t.all, "todos", "", "what becomes of every open linked file todo: "+decisionForms)
	c.Flags().StringArrayVar(&t.one, "todo", nil, "what becomes of one, as review/003=finished; may be repeated")
}

const decisionForms = "finished, wont_fix:REASON, out_of_scope:REASON, superseded:REASON, moved:ITEM or keep"

// todoDecision is what becomes of one linked todo.
type todoDecision struct {
	Todo     file.Ref   `json:"todo"`
	Decision string     `json:"decision"`
	Reason   model.Text `json:"reason,omitempty"`
	// To is the item that a moved todo is linked to.
	To   model.Handle `json:"moved_to,omitempty"`
	link model.TodoRef
	toID model.ItemID
}

// completionWithTodos is complete's answer.
type completionWithTodos struct {
	reply.Completion
	Todos []todoDecision `json:"linked_todos,omitempty"`
}

// decideTodos holds the decisions against the open todos that an item links to: each needs
// one, and each must be possible. It changes nothing.
func (a *app) decideTodos(ctx context.Context, files *fileTodos, v model.View, t todoDecisions) ([]todoDecision, error) {
	open := file.Undecided(v.Links.TodoRefs, files.find)
	words, err := t.words(open)
	if err != nil {
		return nil, err
	}
	var out []todoDecision
	var left []string
	for _, l := range v.Links.TodoRefs {
		x, ok := files.find(l)
		if !ok || x.Status.Final() {
			continue
		}
		word, decided := words[x.Ref()]
		if !decided {
			left = append(left, fmt.Sprintf("%s (%s, %s)", x.Ref(), x.Status, x.Title))
			continue
		}
		d, err := a.decision(ctx, v, l, word)
		if err == nil {
			err = a.foretell(files, x, d)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if len(left) > 0 && v.State == model.Open {
		return nil, model.Refuse(model.CodeRefused, "linked todos of %s are open: %s", v.Handle, strings.Join(left, "; ")).At("todos").
			WithHint("say what becomes of each: --todos or --todo REF=, with %s", decisionForms)
	}
	return out, nil
}

// words are the decisions by todo. One on a todo that is not open and linked is an error.
func (t todoDecisions) words(open []file.Todo) (map[file.Ref]string, error) {
	out := map[file.Ref]string{}
	for _, x := range open {
		if t.all != "" {
			out[x.Ref()] = t.all
		}
	}
	for _, one := range t.one {
		ref, word, ok := strings.Cut(one, "=")
		if !ok {
			return nil, misuse("todo", "%q decides nothing", model.Text(one)).WithHint("give REF=DECISION, with %s", decisionForms)
		}
		if !slices.ContainsFunc(open, func(x file.Todo) bool { return x.Ref() == file.Ref(ref) }) {
			return nil, misuse("todo", "%s is no open linked todo", model.Text(ref)).WithHint("vise show names the links")
		}
		out[file.Ref(ref)] = word
	}
	return out, nil
}

func (a *app) decision(ctx context.Context, v model.View, l model.TodoRef, word string) (todoDecision, error) {
	kind, rest, _ := strings.Cut(word, ":")
	rest = strings.TrimSpace(rest)
	d := todoDecision{Todo: file.Linked(l), Decision: kind, link: l}
	switch kind {
	case "finished", "keep":
		d.Reason = model.Text(rest)
		return d, nil
	case "wont_fix", "out_of_scope", "superseded":
		if rest == "" {
			return d, misuse("todos", "%s of %s needs a reason", kind, d.Todo).WithHint("give %s:REASON", kind)
		}
		d.Reason = model.Text(rest)
		return d, nil
	case "moved":
		id, err := a.resolve(ctx, rest)
		if err != nil {
			return d, err
		}
		to, err := a.view(ctx, id)
		if err != nil {
			return d, err
		}
		if to.ID == v.ID || to.State != model.Open {
			return d, model.Refuse(model.CodeRefused, "%s cannot take %s over", to.Handle, d.Todo).At("todos").WithHint("name another work item that is open")
		}
		d.To, d.toID = to.Handle, to.ID
		return d, nil
	}
	return d, misuse("todos", "unknown decision %q on %s", model.Text(kind), d.Todo).WithHint("give %s", decisionForms)
}

// foretell judges a decision without carrying it out, so that a completion is not followed
// by a refusal.
func (a *app) foretell(files *fileTodos, x file.Todo, d todoDecision) error {
	m, changes, err := a.moveOf(d, "")
	if err != nil || !changes {
		return err
	}
	index := files.session(d.link.TodosBase).index
	if m.To == file.Complete {
		_, err = file.Finish(x, m, index)
	} else {
		_, err = file.Judge(x, m, index)
	}
	return err
}

// moveOf is a decision as a move of the file; keep and moved change no file.
func (a *app) moveOf(d todoDecision, handle model.Handle) (m file.Move, changes bool, err error) {
	actor, err := a.fileActor()
	m = file.Move{Actor: actor, At: a.now().UTC(), Reason: d.Reason}
	switch d.Decision {
	case "finished":
		m.To = file.Complete
		if m.Reason == "" {
			m.Reason = model.Text("Finished with " + string(handle))
		}
	case "wont_fix", "out_of_scope", "superseded":
		m.To, m.Resolution = file.WontFix, file.Resolution(d.Decision)
	default:
		return m, false, err
	}
	return m, true, err
}

// warnTodoOpen is the kind of the warning that a decision could not be carried out.
const warnTodoOpen model.WarningKind = "linked_todo_still_open"

// settleTodos carries the decisions out, after the completion. What fails stays open and
// is a warning: complete with the same decisions tries it again.
func (a *app) settleTodos(ctx context.Context, files *fileTodos, v model.View, decisions []todoDecision) []model.Warning {
	var out []model.Warning
	for _, d := range decisions {
		if err := a.settle(ctx, files, v, d); err != nil {
			out = append(out, model.Warning{Kind: warnTodoOpen, Message: fmt.Sprintf("%s is still open: %s", d.Todo, fault(err).Message)})
		}
	}
	return out
}

func (a *app) settle(ctx context.Context, files *fileTodos, v model.View, d todoDecision) error {
	if d.toID != "" {
		links := model.Links{TodoRefs: []model.TodoRef{d.link}}
		if _, err := a.apply(ctx, mutation{}, "", model.LinkWorkItem{WorkItemID: d.toID, Add: links}); err != nil {
			return err
		}
		_, err := a.apply(ctx, mutation{}, "", model.LinkWorkItem{WorkItemID: v.ID, Remove: links})
		return err
	}
	m, changes, err := a.moveOf(d, v.Handle)
	if err != nil || !changes {
		return err
	}
	s := files.session(d.link.TodosBase)
	if m.To == file.Complete {
		_, err = s.Finish(string(d.Todo), m)
	} else {
		_, err = s.Move(string(d.Todo), m)
	}
	return err
}
