package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
)

func linkVerb() verb {
	var c model.LinkWorkItem
	var o linkOptions
	var removes bool
	return verb{
		use: "link ID", short: "Link a work item to threads, file todos, issues and other things",
		long: `A link says where the work on an item is: in a thread, a file todo, an issue. It changes neither the
item's order nor what anybody has seen of it. Completed items take links, too.`,
		example: "vise link wi-7f3k --thread fix-login-token-refresh\n" +
			"vise link wi-7f3k --todo tmp/review/7/todos:review/003 --ref issue:862",
		args: to(&c.WorkItemID), keyed: true,
		flags: flags{
			{"thread", &o.threads, "a thread's id; its repository is the one around the working directory, or --repo"},
			{"todo", &o.todos, "DIRECTORY:SOURCE/ID, a file todo of a session"},
			{"ref", &o.refs, "KIND:TEXT, anything else: issue:862, file:docs/limits.md"},
			{"repo", &o.repo, "the repository that --thread means"},
			{"remove", &removes, "remove these links"},
		},
		needs: "thread todo ref",
		run: func(e *Env) (answer, error) {
			links, err := o.links(threadsOf(e, "").Dir)
			if err == nil && !removes {
				err = threadsThere(links.Threads)
			}
			if err != nil {
				return nil, err
			}
			did := "linked"
			if removes {
				did, c.Remove = "unlinked", links
			} else {
				c.Add = links
			}
			return itemAnswer(e, e.agent, c, did)
		},
	}
}

// linkOptions name the things that a work item links to.
type linkOptions struct {
	threads, todos, refs []string
	repo                 string
}

// threadsThere refuses links to threads that do not exist.
func threadsThere(links []model.ThreadLink) error {
	for _, l := range links {
		there, err := home.HasThread(l.Repo.Raw(), thread.ID(l.TaskID)) // raw: looked up, not shown
		if err != nil {
			return err
		}
		if !there {
			return notFound("there is no thread %s in %s", l.TaskID, l.Repo).At("thread",
				"vise thread list shows those of a repository; --repo names another one")
		}
	}
	return nil
}

// links reads the flags. Paths are relative to dir unless they are absolute.
func (o linkOptions) links(dir string) (model.Links, error) {
	var l model.Links
	root := threads.FindRoot(dir)
	if o.repo != "" {
		root = absolute(dir, o.repo)
	}
	for _, id := range o.threads {
		l.Threads = append(l.Threads, model.ThreadLink{Repo: model.Text(root), TaskID: model.Text(thread.Slug(id))})
	}
	for _, t := range o.todos {
		i := strings.LastIndexByte(t, ':') // a directory can contain one, a todo's id cannot
		if i < 0 {
			return l, misuse("todo", "%q is not a file todo", t).
				WithHint("name it as DIRECTORY:SOURCE/ID: tmp/review/7/todos:review/003")
		}
		l.TodoRefs = append(l.TodoRefs, model.TodoRef{TodosBase: model.Text(absolute(dir, t[:i])), QualifiedID: model.Text(t[i+1:])})
	}
	for _, r := range o.refs {
		kind, ref, ok := strings.Cut(r, ":")
		if !ok {
			return l, misuse("ref", "%q has no kind", r).WithHint("name it as KIND:TEXT: issue:862")
		}
		l.Refs = append(l.Refs, model.Ref{Kind: model.Text(kind), Ref: model.Text(ref)})
	}
	return l, nil
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// resumed is the data of where.
type resumed struct {
	WorkItemID model.ItemID    `json:"work_item_id,omitempty"`
	Handle     model.Handle    `json:"handle,omitempty"`
	Objective  model.Text      `json:"objective,omitempty"`
	Card       json.RawMessage `json:"card"`
}

func (v *threadVerbs) where() verb {
	return verb{
		use: "where [ID]", short: "Show where the work was left",
		example: "vise thread where wi-7f3k",
		long: `where shows where the work on an item was left in this repository, on its branch: objective, next
action, reason, unverified entries, the strongest gap, dead ends, files, and whether its thread can be
used here. Without ID it shows the agent's current item, else the active thread, else the suspended
threads and how to go on with them. It changes nothing; picking an item goes on with its thread.`,
		run: func(e *Env) (_ answer, err error) {
			var item model.WorkItem
			if len(e.words) > 0 {
				item, err = itemOf(e, e.words[0])
			} else if item, err = focusOf(e, agentOf); home.NoHome(err) {
				err = nil
			}
			if err != nil {
				return nil, err
			}
			in := threadsOf(e, "")
			if v.repo != "" {
				in.Dir = absolute(e.dir, v.repo)
			}
			card := in.Resume(e, item.Links.Threads)
			raw, err := json.Marshal(card.View())
			out := resumed{WorkItemID: item.ID, Handle: item.Handle, Objective: item.Objective, Card: raw}
			return answered(out, func(p *page) { p.card(item, card) }), err
		},
	}
}

// focusOf returns the current item of the agent that agent means, if there is one.
func focusOf(e *Env, agent func(*Env, model.Reader) (model.AgentID, error)) (model.WorkItem, error) {
	return readOne(e, func(r model.Reader) (model.WorkItem, error) {
		id, err := agent(e, r)
		w, _ := model.Focus(r, id)
		return w, err
	})
}

func (p *page) card(item model.WorkItem, card thread.Card) {
	if item.ID != "" {
		p.lines(p.strong(string(item.Handle)))
	}
	label := ""
	for _, row := range card.Rows(item.Objective) {
		shown := row.Label
		if shown == label {
			shown = ""
		}
		label = row.Label
		p.line("%s %v", p.muted(fmt.Sprintf("%-11s", shown)), row.Text)
	}
	if card.Empty() {
		p.line("No thread yet: vise thread start GOAL begins one, once there is something to keep.")
	}
}

// parseTodos reads a whole checklist: a JSON array of todos, or Markdown with one todo on each line. An empty text is an empty checklist.
func parseTodos(source string) ([]model.Todo, error) {
	source = strings.TrimSpace(strings.TrimPrefix(source, "\ufeff"))
	if _, box := stateOf(source); strings.HasPrefix(source, "[") && !box {
		return jsonTodos(source)
	}
	if strings.HasPrefix(source, "{") {
		return nil, misuse("todos", "the checklist is a JSON object, not an array").WithHint("%s", todosHint)
	}
	return markdownTodos(source)
}

const todosHint = `give [{"text":"…","state":"pending"}] with state pending, in_progress or completed, ` +
	"or lines like - [ ] pending, - [~] in progress, - [x] completed"

func jsonTodos(source string) ([]model.Todo, error) {
	todos := []model.Todo{}
	if err := model.DecodeStrict([]byte(source), &todos); err != nil {
		return nil, misuse("todos", "the checklist is not JSON as expected: %s", jsonError(source, err)).
			WithHint("%s", todosHint)
	}
	return todos, nil
}

// jsonError adds the line number to an error that has a position.
func jsonError(source string, err error) string {
	if at, ok := err.(*json.SyntaxError); ok && int(at.Offset) <= len(source) {
		line := 1 + bytes.Count([]byte(source[:at.Offset]), []byte("\n"))
		return "line " + strconv.Itoa(line) + ": " + err.Error()
	}
	if kind, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		wanted := "an object"
		if kind.Type.Kind() == reflect.String {
			wanted = "a text"
		}
		return cmp.Or(kind.Field, "a todo") + " is a " + kind.Value + ", not " + wanted
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// boxes map the marks of a Markdown task to a state.
var boxes = map[string]model.TodoState{
	"[ ]": model.TodoPending, "[x]": model.TodoCompleted, "[X]": model.TodoCompleted,
	"[~]": model.TodoInProgress, "[/]": model.TodoInProgress, "[-]": model.TodoInProgress,
}

// stateOf returns the state that a line's box shows.
func stateOf(line string) (model.TodoState, bool) {
	if len(line) < 3 {
		return "", false
	}
	state, ok := boxes[line[:3]]
	return state, ok
}

func markdownTodos(source string) ([]model.Todo, error) {
	todos := []model.Todo{}
	for i, line := range strings.Split(source, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		for _, bullet := range []string{"- ", "* ", "+ "} {
			line = strings.TrimPrefix(line, bullet)
		}
		state, ok := stateOf(line)
		if !ok {
			return nil, misuse("todos", "line %d of the checklist is not a todo: %q", i+1, line).WithHint("%s", todosHint)
		}
		todos = append(todos, model.Todo{Text: model.Text(strings.TrimSpace(line[3:])), State: state})
	}
	return todos, nil
}
