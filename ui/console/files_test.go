package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/todo"
)

// fakeFiles keep file todos in memory and apply the rules to them.
type fakeFiles struct {
	promoted []string
	mu       sync.Mutex // protects the fields below
	todos    []todo.Todo
	bodies   map[todo.Ref]string
	code     map[string]string
	damaged  []DamagedTodo
	edited   []string
	trouble  string
	news     chan struct{}
}

const fakeBase model.Text = "/src/shop/tmp/reviews/abc123/todos"

func newFakeFiles() *fakeFiles {
	return &fakeFiles{bodies: map[todo.Ref]string{}, code: map[string]string{}, news: make(chan struct{}, 100)}
}

func (f *fakeFiles) Read(_ context.Context, links []model.TodoRef) FilesRead {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out FilesRead
	index := todo.NewIndex(f.todos)
	for _, l := range links {
		t, ok := index.Find(todo.Ref(l.QualifiedID))
		x := LinkedTodo{Link: l, Todo: t}
		if !ok || l.TodosBase != fakeBase {
			x.Missing = "its file is gone"
		}
		out.Linked = append(out.Linked, x)
	}
	if len(f.todos) == 0 && f.trouble == "" {
		return out
	}
	all := slices.Clone(f.todos)
	todo.Sort(all)
	byName := map[string][]todo.Todo{}
	names := []string{fakeSession}
	for _, t := range all {
		if t.Session = cmp.Or(t.Session, fakeSession); !slices.Contains(names, t.Session) {
			names = append(names, t.Session)
		}
		byName[t.Session] = append(byName[t.Session], t)
	}
	var sessions []FileSession
	for _, n := range names {
		base := model.Text(strings.Replace(string(fakeBase), fakeSession, n, 1))
		sessions = append(sessions, FileSession{Name: model.Text(n), Base: base, Index: todo.NewIndex(byName[n])})
	}
	linked := out.Linked
	out = FilesOf(sessions...)
	out.Linked, out.Damaged, out.Trouble = linked, slices.Clone(f.damaged), f.trouble
	return out
}

// find returns the todo that a full ref names; those of fakeSession are stored without its name.
func (f *fakeFiles) find(full todo.Ref) (todo.Todo, *todo.Index, bool) {
	name, within := full.Split()
	var all []todo.Todo
	for _, t := range f.todos {
		if cmp.Or(t.Session, fakeSession) == name {
			all = append(all, t)
		}
	}
	index := todo.NewIndex(all)
	t, ok := index.Find(within)
	return t, index, ok
}

// Editor records what would be opened.
func (f *fakeFiles) Editor(_ context.Context, ref todo.Ref) (*exec.Cmd, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, _, _ := f.find(ref)
	f.edited = append(f.edited, string(model.Join(t.Files, " ")))
	return exec.Command("true"), nil
}

const fakeSession = "reviews/abc123"

func (f *fakeFiles) Next(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-f.news:
		return nil
	}
}

func (f *fakeFiles) Finding(_ context.Context, ref todo.Ref) Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, index, ok := f.find(ref)
	if !ok {
		return Finding{Ref: ref, Trouble: "its file is gone"}
	}
	x := Finding{Ref: ref, Parts: todo.PartsOf(t, f.bodies[t.Full()])}
	if twin, how, ok := todo.Twin(index.All(), t); ok {
		x.Twin, x.How = &twin, how
	}
	x.Before = todo.DismissedBefore(t, index.All())
	code, ok := f.code[x.File.Raw()]
	if !ok {
		x.Trouble = "the file is gone"
		return x
	}
	x.Excerpt = todo.ExcerptOf(x.Parts, code)
	return x
}

func (f *fakeFiles) Act(_ context.Context, a FileAct) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, index, ok := f.find(a.Ref)
	if !ok {
		return errors.New("it is gone")
	}
	m := a.Move
	m.Actor, m.At, m.Owner = todo.Actor{Name: todo.User, Operator: true}, time.Now().UTC(), todo.User
	var c todo.Change
	var err error
	switch a.Kind {
	case FilePromote:
		f.promoted = append(f.promoted, string(a.Agent)+" "+t.Ref().String())
		return nil
	case FileMove:
		c, err = todo.Judge(t, m, index)
	case FileStart:
		m.To = todo.InProgress
		c, err = todo.Judge(t, m, index)
	case FileComplete:
		m.To, m.Resolution = todo.Complete, todo.Fixed
		c, err = todo.Judge(t, m, index)
	case FileInterrupt:
		m.To = todo.Interrupted
		c, err = todo.Judge(t, m, index)
	case FileResume:
		c, err = todo.Resume(t, m, index)
	case FileRank:
		c, err = todo.Reprioritise(t, todo.Move{Priority: a.Priority, At: m.At}, nil)
	case FileReopen:
		c, err = todo.Reopen(t, m, nil)
	case FileUnapprove:
		c, err = todo.Unapprove(t, m, nil)
	}
	if err == nil {
		f.put(c.After)
	}
	return err
}

// settling is a ledger whose completions carry out the decisions on linked todos.
type settling struct {
	Ledger
	files *fakeFiles
}

func (s settling) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	in, err := s.Ledger.Apply(ctx, e)
	r, ok := e.Command.(model.Round)
	if err != nil || !ok {
		return in, err
	}
	for _, call := range r.Calls {
		if c, ok := call.Command.(model.CompleteWorkItem); ok {
			s.files.settle(c.LinkedTodos)
		}
	}
	return in, nil
}

func (f *fakeFiles) settle(words map[string]model.Text) {
	for ref, word := range words {
		t, _ := todo.NewIndex(f.todos).Find(todo.Ref(ref))
		m := todo.Move{Actor: todo.Actor{Name: todo.User, Operator: true}, At: time.Now().UTC()}
		kind, why, _ := strings.Cut(string(word), ": ")
		var c todo.Change
		var err error
		switch kind {
		case "finished":
			m.Reason = "Finished"
			c, err = todo.Finish(t, m, todo.NewIndex(f.todos))
		case "wont_fix":
			m.To, m.Resolution, m.Reason = todo.WontFix, todo.NotFixed, model.Text(why)
			c, err = todo.Judge(t, m, todo.NewIndex(f.todos))
		default:
			continue
		}
		if err != nil {
			f.write(t, "") // refused: it stays as it is
			continue
		}
		f.write(c.After, "")
	}
}

func (f *fakeFiles) put(t todo.Todo) {
	f.todos = slices.DeleteFunc(slices.Clone(f.todos), func(o todo.Todo) bool { return o.Full() == t.Full() })
	f.todos = append(f.todos, t)
}

// write is an editor or another process: it makes or changes a todo, and the console is notified.
func (f *fakeFiles) write(t todo.Todo, body string) {
	f.mu.Lock()
	f.put(t)
	if body != "" {
		f.bodies[t.Full()] = body
	}
	f.mu.Unlock()
	f.news <- struct{}{}
}

// changeFile carries out a line of a script about file todos, and reports whether the line is one.
//
//	finding 003 p1 src/db.go:3 SQL injection in the search | q := "SELECT" + name
//	finding reviews/old/001 p1 …           in another session
//	move 003 ready                       as another process would
//	code src/db.go package db\n…
//	todo-link a 003                       item a links to review/003
//	spoilt review/009-x.md is damaged    a file that cannot be read
func (wd *world) changeFile(verb, name, rest string) bool {
	wd.t.Helper()
	switch verb {
	case "finding":
		priority, rest, _ := strings.Cut(rest, " ")
		place, rest, _ := strings.Cut(rest, " ")
		title, snippet, _ := strings.Cut(rest, " | ")
		session := ""
		if at := strings.LastIndexByte(name, '/'); at >= 0 {
			session, name = name[:at], name[at+1:]
		}
		t := todo.Todo{Session: session, Source: "review", IssueID: name, Schema: 2, Status: todo.Pending, Priority: todo.Priority(priority),
			Title: model.Text(unescaped(title)), Files: []model.Text{model.Text(place)}, File: name + "-pending-p1-x.md",
			Origin: todo.Origin{FindingID: model.Text("SEC-" + name), SourceRef: "tmp/reviews/abc123/TOME.md"}}
		wd.files.write(t, fmt.Sprintf("# %s\n\n## Problem Statement\n\n%s must not be.\n\n## Findings\n\n```\n%s\n```\n", title, unescaped(title), unescaped(snippet)))
	case "move":
		t, _ := todo.NewIndex(wd.files.todos).Find(todo.Ref("review/" + name))
		t.Status = todo.Status(rest)
		if t.Status == todo.InProgress {
			t.AssignedTo = "mender"
		}
		wd.files.write(t, "")
	case "code":
		wd.files.mu.Lock()
		wd.files.code[name] = unescaped(rest)
		wd.files.mu.Unlock()
		wd.files.news <- struct{}{}
	case "todo-link":
		wd.do(model.LinkWorkItem{WorkItemID: wd.names[name], Add: model.Links{TodoRefs: []model.TodoRef{{TodosBase: fakeBase, QualifiedID: model.Text("review/" + rest)}}}})
	case "spoilt":
		wd.files.mu.Lock()
		source, file, _ := strings.Cut(name, "/")
		ref := todo.NewRef(fakeSession, source+"/"+todo.IDOfFile(file))
		wd.files.todos = slices.DeleteFunc(wd.files.todos, func(t todo.Todo) bool { return todo.NewRef(fakeSession, string(t.Ref())) == ref })
		wd.files.damaged = append(wd.files.damaged, DamagedTodo{Ref: ref, Said: name + " " + rest})
		wd.files.mu.Unlock()
		wd.files.news <- struct{}{}
	default:
		return false
	}
	return true
}

// standing returns the status of each file todo, and its reason.
func (wd *world) standing() string {
	var b strings.Builder
	all := wd.files.Read(wd.t.Context(), nil).Todos
	for _, t := range all {
		fmt.Fprintf(&b, "%s %s", t.Ref(), t.Status)
		if n := len(t.History); n > 0 {
			fmt.Fprintf(&b, "  %s → %s, %s: %s", t.History[n-1].From, t.History[n-1].To, t.History[n-1].Actor, t.History[n-1].Reason)
		}
		b.WriteByte('\n')
	}
	for _, e := range wd.files.edited {
		fmt.Fprintf(&b, "opened %s\n", e)
	}
	for _, p := range wd.files.promoted {
		fmt.Fprintf(&b, "promoted for %s\n", p)
	}
	return b.String()
}

func TestAPrimedConsoleReadsTheFilesOnceItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.create("cur", "Harden the search")
		wd.changeFile("finding", "001", "p1 src/db.go:3 SQL injection | q := name")
		wd.console = New(wd.fx().ctx, wd.console.(console).opt).Primed()
		wd.pending = []tea.Cmd{wd.console.Init()}
		wd.send(tea.WindowSizeMsg{Width: wd.w, Height: wd.h})
		wd.settle()
		if got := len(wd.console.(console).files.Todos); got != 1 {
			t.Errorf("got %d todos, want 1", got)
		}
	})
}

func (wd *world) fx() *effects { return wd.console.(console).fx }
