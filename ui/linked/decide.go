package linked

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
	file "vise/model/todo"
)

// Forms are the decisions that there are on an open linked todo, as they are spelt.
const Forms = "finished, wont_fix:REASON, out_of_scope:REASON, superseded:REASON, moved:ITEM or keep"

// Desk is where the linked todos of completed items are decided on.
type Desk struct {
	Ledger Ledger
	// Actor acts on the ledger, for Agent where that is named.
	Actor model.Actor
	Agent model.AgentID
	Now   func() time.Time
	// NewKey makes an idempotency key.
	NewKey func() string
}

// Decision is what becomes of one linked todo.
type Decision struct {
	Todo     file.Ref   `json:"todo"`
	Decision string     `json:"decision"`
	Reason   model.Text `json:"reason,omitempty"`
	// To is the item that a moved todo is linked to.
	To   model.Handle `json:"moved_to,omitempty"`
	link model.TodoRef
	toID model.ItemID
}

// Plan is the decisions on an item's open linked todos, and those that nobody decided on.
type Plan struct {
	Decisions []Decision
	Undecided []file.Todo
}

// Ask refuses as long as a todo is undecided: the error names each.
func (p Plan) Ask(item model.Handle) error {
	if len(p.Undecided) == 0 {
		return nil
	}
	var left []string
	for _, x := range p.Undecided {
		left = append(left, fmt.Sprintf("%s (%s, %s)", x.Ref(), x.Status, x.Title))
	}
	return model.Refuse(model.CodeRefused, "linked todos of %s are open: %s", item, strings.Join(left, "; ")).At("todos").
		WithHint("say what becomes of each, with %s", Forms)
}

// Judge holds decisions, by qualified id, against the open todos that an item links to:
// each must be possible. It changes nothing.
func (d Desk) Judge(ctx context.Context, files *Files, item model.WorkItem, words map[string]model.Text) (Plan, error) {
	var p Plan
	known := map[string]bool{}
	for _, l := range item.Links.TodoRefs {
		x, ok := files.Find(l)
		known[string(l.QualifiedID)] = true // raw: a key to compare, not shown
		if !ok || x.Status.Final() {
			continue
		}
		word, decided := words[string(l.QualifiedID)] // raw: a key to compare, not shown
		if !decided {
			p.Undecided = append(p.Undecided, x)
			continue
		}
		decision, err := d.read(ctx, item, l, word)
		if err == nil {
			err = d.foretell(files, x, decision)
		}
		if err != nil {
			return Plan{}, err
		}
		p.Decisions = append(p.Decisions, decision)
	}
	for ref := range words {
		if !known[ref] {
			return Plan{}, misuse("%s is no linked todo of %s", model.Text(ref), item.Handle)
		}
	}
	return p, nil
}

func misuse(format string, args ...any) *model.Error {
	return model.Refuse(model.CodeInvalid, format, args...).At("linked_todos").WithHint("say REF=DECISION, with %s", Forms)
}

// read understands a decision.
func (d Desk) read(ctx context.Context, item model.WorkItem, l model.TodoRef, word model.Text) (Decision, error) {
	kind, rest, _ := strings.Cut(word.Raw(), ":") // raw: read as a decision, not shown
	rest = strings.TrimSpace(rest)
	out := Decision{Todo: file.Linked(l), Decision: kind, Reason: model.Text(rest), link: l}
	switch kind {
	case "finished", "keep":
		return out, nil
	case "wont_fix", "out_of_scope", "superseded":
		if rest == "" {
			return out, misuse("%s of %s needs a reason", kind, out.Todo)
		}
		return out, nil
	case "moved":
		to, err := d.other(ctx, item, rest)
		out.Reason, out.To, out.toID = "", to.Handle, to.ID
		return out, err
	}
	return out, misuse("unknown decision %q on %s", model.Text(kind), out.Todo)
}

// other is the item that a todo is moved to.
func (d Desk) other(ctx context.Context, item model.WorkItem, ref string) (to model.WorkItem, err error) {
	id, err := d.Ledger.Resolve(ctx, ref)
	if err != nil {
		return to, err
	}
	to, err = itemOf(ctx, d.Ledger, id)
	if err == nil && (to.ID == item.ID || to.State != model.Open) {
		err = model.Refuse(model.CodeRefused, "%s cannot take a todo of %s over", to.Handle, item.Handle).At("linked_todos").
			WithHint("name another work item that is open")
	}
	return to, err
}

// foretell judges a decision without carrying it out, so that a completion is not followed
// by a refusal.
func (d Desk) foretell(files *Files, x file.Todo, decision Decision) error {
	m, changes := d.move(decision, "")
	if !changes {
		return nil
	}
	index := files.session(decision.link.TodosBase).index
	var err error
	if m.To == file.Complete {
		_, err = file.Finish(x, m, index)
	} else {
		_, err = file.Judge(x, m, index)
	}
	return err
}

// move is a decision as a move of the file; keep and moved change no file.
func (d Desk) move(decision Decision, handle model.Handle) (m file.Move, changes bool) {
	m = file.Move{Actor: FileActor(d.Actor), At: d.Now().UTC(), Reason: decision.Reason}
	switch {
	case decision.Decision == "finished":
		m.To = file.Complete
		if m.Reason == "" {
			m.Reason = model.Text("Finished with " + string(handle))
		}
	case slices.Contains([]string{"wont_fix", "out_of_scope", "superseded"}, decision.Decision):
		m.To, m.Resolution = file.WontFix, file.Resolution(decision.Decision)
	default:
		return m, false
	}
	return m, true
}

// FileActor is who acts, as files name them: the operator is the user.
func FileActor(a model.Actor) file.Actor {
	if agent, ok := a.Agent(); ok {
		return file.Actor{Name: model.Text(agent)}
	}
	if a == model.Operator {
		return file.Actor{Name: file.User, Operator: true}
	}
	return file.Actor{Name: model.Text(a)}
}
