package home

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vise/model"
	"vise/model/prompt"
	file "vise/model/todo"
	"vise/store/files"
	"vise/store/todos"
)

// DecisionForms names the possible decisions on an open linked file todo, in the form that users type.
const DecisionForms = "finished, wont_fix:REASON, out_of_scope:REASON, superseded:REASON, moved:ITEM or keep"

// IsDecision reports whether a word is one of DecisionForms, or the beginning of one up to its colon.
func IsDecision(word string) bool {
	kind, _, _ := strings.Cut(word, ":")
	return decisionArguments[kind] != ""
}

// decisionArguments are the decisions, and what each has after its colon.
var decisionArguments = map[string]string{
	"finished": "nothing", "keep": "nothing", "wont_fix": "reason", "out_of_scope": "reason", "superseded": "reason", "moved": "item",
}

// TodoDecision is the decision on one linked file todo.
type TodoDecision struct {
	Todo     file.Ref   `json:"todo"`
	Decision string     `json:"decision"`
	Reason   model.Text `json:"reason,omitempty"`
	// To is the item that a moved todo is linked to.
	To   model.Handle `json:"moved_to,omitempty"`
	link model.TodoRef
	toID model.ItemID
}

// TodoDecisions are the decisions on an item's open linked file todos, and the file todos without one.
type TodoDecisions struct {
	Decisions []TodoDecision
	Undecided []file.Todo
}

// Ask refuses while a file todo is undecided. The error names each.
func (d TodoDecisions) Ask(item model.Handle) error {
	if len(d.Undecided) == 0 {
		return nil
	}
	var left []string
	for _, x := range d.Undecided {
		left = append(left, fmt.Sprintf("%s (%s, %s)", x.Full(), x.Status, x.Title))
	}
	return model.Refused("linked todos of %s are open: %s", item, strings.Join(left, "; ")).At("todos",
		"say what becomes of each, with %s", DecisionForms)
}

// DecideTodos checks decisions, by id, against the open file todos that an item links to. Each must name one todo and be possible for the
// actor. It changes nothing.
func (h *Home) DecideTodos(
	ctx context.Context, files *todoFiles, actor model.Actor, item model.WorkItem, words map[string]model.Text,
) (TodoDecisions, error) {
	var out TodoDecisions
	of := map[model.TodoRef]model.Text{}
	for id, word := range words {
		l, err := OneLinked(item, id)
		if err != nil {
			return out, err
		}
		if _, twice := of[l]; twice {
			return out, badDecision("two decisions name %s", file.LinkedFull(l))
		}
		of[l] = word
	}
	for _, l := range item.Links.TodoRefs {
		x, ok := files.Find(l)
		if !ok || x.Status.Final() {
			continue
		}
		word, decided := of[l]
		if !decided {
			out.Undecided = append(out.Undecided, x)
			continue
		}
		decision, err := h.readDecision(ctx, item, l, word)
		if err == nil {
			err = h.possible(files, actor, x, decision)
		}
		if err != nil {
			return TodoDecisions{}, err
		}
		out.Decisions = append(out.Decisions, decision)
	}
	return out, nil
}

// OneLinked returns the link of an item that an id names. An id that means none or several is refused.
func OneLinked(item model.WorkItem, id string) (model.TodoRef, error) {
	named := file.Named(item.Links.TodoRefs, id)
	if len(named) == 1 {
		return named[0], nil
	}
	if named == nil {
		return model.TodoRef{}, badDecision("%s is not linked to %s", model.Text(id), item.Handle)
	}
	var full []string
	for _, l := range named {
		full = append(full, file.LinkedFull(l).String())
	}
	err := model.Refuse(model.CodeAmbiguous, "%d linked todos are called %s", len(named), model.Text(id))
	return model.TodoRef{}, err.At("linked_todos", "say which: %s", strings.Join(full, ", "))
}

func badDecision(format string, args ...any) *model.Error {
	return model.Invalid(format, args...).At("linked_todos", "say REF=DECISION, with %s", DecisionForms)
}

func (h *Home) readDecision(ctx context.Context, item model.WorkItem, l model.TodoRef, word model.Text) (TodoDecision, error) {
	kind, rest, _ := strings.Cut(word.Raw(), ":") // raw: read as a decision, not shown
	rest = strings.TrimSpace(rest)
	out := TodoDecision{Todo: file.LinkedFull(l), Decision: kind, Reason: model.Text(rest), link: l}
	switch decisionArguments[kind] {
	case "nothing":
		return out, nil
	case "reason":
		if rest == "" {
			return out, badDecision("%s of %s needs a reason", kind, out.Todo)
		}
		return out, nil
	case "item":
		to, err := h.otherItem(ctx, item, rest)
		out.Reason, out.To, out.toID = "", to.Handle, to.ID
		return out, err
	}
	return out, badDecision("unknown decision %q on %s", model.Text(kind), out.Todo)
}

// otherItem finds the item to which a file todo is moved.
func (h *Home) otherItem(ctx context.Context, item model.WorkItem, ref string) (to model.WorkItem, err error) {
	id, err := h.Resolve(ctx, ref)
	if err != nil {
		return to, err
	}
	to, err = h.item(ctx, id)
	if err == nil && (to.ID == item.ID || to.State != model.Open) {
		err = model.Refused("%s cannot take a todo of %s over", to.Handle, item.Handle).At("linked_todos",
			"name another work item that is open")
	}
	return to, err
}

// possible checks a decision without carrying it out, so that it is not refused after the completion.
func (h *Home) possible(files *todoFiles, actor model.Actor, x file.Todo, d TodoDecision) error {
	m, changes := h.moveOf(d, actor, "")
	if !changes {
		return nil
	}
	index := files.session(d.link.TodosBase).index
	var err error
	if m.To == file.Complete {
		_, err = file.Finish(x, m, index)
	} else {
		_, err = file.Judge(x, m, index)
	}
	return err
}

// moveOf turns a decision into a change of the file. keep and moved change no file.
func (h *Home) moveOf(d TodoDecision, actor model.Actor, handle model.Handle) (m file.Move, changes bool) {
	m = file.Move{Actor: FileActor(actor), At: h.o.Now().UTC(), Reason: d.Reason}
	switch {
	case d.Decision == "finished":
		m.To = file.Complete
		if m.Reason == "" {
			m.Reason = model.Text("Finished with " + string(handle))
		}
	case decisionArguments[d.Decision] == "reason":
		m.To, m.Resolution = file.WontFix, file.Resolution(d.Decision)
	default:
		return m, false
	}
	return m, true
}

// FileActor is the actor's name in files. The operator is called the user there.
func FileActor(a model.Actor) file.Actor {
	if agent, ok := a.Agent(); ok {
		return file.Actor{Name: model.Text(agent)}
	}
	if a == model.Operator {
		return file.Actor{Name: file.User, Operator: true}
	}
	return file.Actor{Name: model.Text(a)}
}

// settleTodos carries out decisions after the completion. A file todo whose decision fails stays open and gives a warning. The same
// completion with the same decisions tries it again.
func (h *Home) settleTodos(
	ctx context.Context, files *todoFiles, by model.Envelope, item model.WorkItem, all TodoDecisions,
) []model.Warning {
	var out []model.Warning
	for _, d := range all.Decisions {
		unticked, err := h.settleTodo(ctx, files, by, item, d)
		if err != nil {
			out = append(out, failed(model.WarnTodoStillOpen, fmt.Sprintf("%s is still open", d.Todo), err))
		}
		out = append(out, unticked...)
	}
	if open := all.Undecided; len(open) > 0 {
		first, others, whose := open[0], "stays", "it"
		if n := len(open) - 1; n > 0 {
			others, whose = fmt.Sprintf("and %d more stay", n), "them"
		}
		out = append(out, model.Warning{Kind: model.WarnTodosUndecided, Message: fmt.Sprintf(
			"linked todo %s (%s) %s open, nobody said what becomes of %s; complete again with linked_todos, such as {%q: \"finished\"}: %s",
			first.Full(), first.Status, others, whose, first.Full(), DecisionForms)})
	}
	return out
}

func messageOf(err error) string {
	if known := model.AsError(err); known != nil {
		return known.Message
	}
	return model.Text(err.Error()).String()
}

// settleTodo carries out one decision. For a finished file todo it warns about acceptance criteria that are not ticked.
func (h *Home) settleTodo(ctx context.Context, files *todoFiles, by model.Envelope, item model.WorkItem, d TodoDecision) ([]model.Warning,
	error) {
	if d.toID != "" {
		return nil, h.relinkTodo(ctx, by, item, d)
	}
	m, changes := h.moveOf(d, by.Actor, item.Handle)
	if !changes {
		return nil, nil
	}
	s := files.session(d.link.TodosBase)
	if m.To != file.Complete {
		_, err := s.Change(string(file.Linked(d.link)), m, file.Judge)
		return nil, err
	}
	t, err := s.Change(string(file.Linked(d.link)), m, file.Finish)
	if err != nil {
		return nil, err
	}
	return Unticked(s.Session, t), nil
}

// Unticked warns about acceptance criteria of a completed file todo that are not ticked.
func Unticked(s *todos.Session, t file.Todo) []model.Warning {
	body, err := s.Body(t)
	left := file.Unticked(body)
	said := fmt.Sprintf("%s is complete; not ticked of its acceptance criteria: %s", t.Ref(), model.Join(left, "; "))
	switch {
	case err != nil:
		said = "saved; the acceptance criteria of " + string(t.Ref()) + " could not be read: " + messageOf(err)
	case len(left) == 0:
		return nil
	}
	return []model.Warning{{Kind: model.WarnFileTodos, Message: said}}
}

// relinkTodo links a file todo to the other item before it unlinks it here, so that a link always exists.
func (h *Home) relinkTodo(ctx context.Context, by model.Envelope, item model.WorkItem, d TodoDecision) error {
	links := model.Links{TodoRefs: []model.TodoRef{d.link}}
	for _, c := range []model.Command{
		model.LinkWorkItem{WorkItemID: d.toID, Add: links}, model.LinkWorkItem{WorkItemID: item.ID, Remove: links},
	} {
		if _, err := h.send(ctx, by, c); err != nil {
			return err
		}
	}
	return nil
}

// todoFiles finds the file todos that links name. It opens and reads each session once.
type todoFiles struct {
	read map[model.Text]todoSession
}

type todoSession struct {
	*todos.Session
	index *file.Index
	err   error
}

// NewTodoFiles returns an empty set. The caller must call Close.
func NewTodoFiles() *todoFiles { return &todoFiles{map[model.Text]todoSession{}} }

// Close closes the sessions that were opened.
func (f *todoFiles) Close() {
	for _, s := range f.read {
		if s.Session != nil {
			s.Close()
		}
	}
}

func (f *todoFiles) session(base model.Text) todoSession {
	s, known := f.read[base]
	if known {
		return s
	}
	if s.Session, s.err = todos.OpenAt(base.Raw()); s.err == nil { // raw: a path to open, not shown
		var snap todos.Snapshot
		snap, s.err = s.Load(false)
		s.index = snap.Index
	}
	f.read[base] = s
	return s
}

// Find returns the file todo that a link names.
func (f *todoFiles) Find(l model.TodoRef) (file.Todo, bool) {
	s := f.session(l.TodosBase)
	if s.err != nil {
		return file.Todo{}, false
	}
	return s.index.Find(file.Linked(l))
}

// missing says why Find found nothing.
func (f *todoFiles) missing(l model.TodoRef) string { return MissingTodo(f.session(l.TodosBase).err) }

// MissingTodo says why the file of a link cannot be shown. err is the error of its session.
func MissingTodo(err error) string {
	switch {
	case err == nil:
		return "its file is gone"
	case errors.Is(err, todos.ErrGone), files.IsGone(err):
		return "its session was removed"
	}
	return "it cannot be read: " + model.Text(err.Error()).String()
}

// Todos returns the file todos that links name.
func (f *todoFiles) Todos(refs []model.TodoRef) []prompt.LinkedTodo {
	var out []prompt.LinkedTodo
	for _, l := range refs {
		x := prompt.LinkedTodo{Todo: file.LinkedFull(l), Base: l.TodosBase}
		if t, ok := f.Find(l); ok {
			x.Status, x.Title = t.Status, t.Title
		} else {
			x.Missing = f.missing(l)
		}
		out = append(out, x)
	}
	return out
}

// Derive returns a todo list. Its rows for linked file todos have the state of the files now.
func (f *todoFiles) Derive(list []model.Todo, links []model.TodoRef) []model.Todo {
	if len(links) == 0 {
		return list
	}
	return file.DeriveRows(list, links, f.Find)
}

// RefreshTodos writes the state of the rows for linked file todos of an open item to the ledger. by names the caller. If the ledger cannot
// be written now, the next caller writes the state.
func (h *Home) RefreshTodos(ctx context.Context, by model.Envelope, id model.ItemID) error {
	item, err := h.item(ctx, id)
	if err != nil || len(item.Links.TodoRefs) == 0 {
		return err
	}
	files := NewTodoFiles()
	defer files.Close()
	return h.refreshTodos(ctx, files, by, item)
}

func (h *Home) refreshTodos(ctx context.Context, files *todoFiles, by model.Envelope, item model.WorkItem) error {
	if item.State != model.Open || len(item.Links.TodoRefs) == 0 {
		return nil
	}
	rows := file.ChangedRows(item.TodoList, files.Derive(item.TodoList, item.Links.TodoRefs))
	if len(rows) == 0 {
		return nil
	}
	_, err := h.send(ctx, by, model.RefreshTodos{WorkItemID: item.ID, Rows: rows})
	return err
}

// item returns an item as it is now, or a zero one if there is none: the rules refuse that.
func (h *Home) item(ctx context.Context, id model.ItemID) (w model.WorkItem, err error) {
	err = h.Ledger.View(ctx, func(r model.Reader) error {
		w, _ = r.Item(id)
		return nil
	})
	return w, err
}
