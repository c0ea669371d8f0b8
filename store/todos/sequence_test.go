package todos

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vise/model"
	"vise/model/todo"
	"vise/store/storetest"
)

// machine is a session under random acts of agents, an operator and an editor.
type machine struct {
	*Session
	now time.Time
	// history is every history so far, typed what editors wrote: neither may ever lose an entry.
	history map[todo.Ref][]todo.Row
	typed   map[todo.Ref][]string
}

func (m *machine) tick() time.Time { m.now = m.now.Add(20 * time.Minute); return m.now }

func (m *machine) by(rt *rapid.T) todo.Move {
	mv := agent(rapid.SampledFrom([]string{"smith-1", "smith-2", todo.User}).Draw(rt, "who"))
	mv.At = m.tick()
	mv.Actor.Operator = mv.Actor.Name == todo.User
	mv.Lease = todo.Lease{ID: fmt.Sprint(mv.At.Unix()), Until: todo.Stamp(mv.At.Add(time.Hour))}
	return mv
}

func (m *machine) any(rt *rapid.T) (todo.Todo, bool) {
	snap, err := m.Load(false)
	if err != nil || len(snap.Todos) == 0 {
		return todo.Todo{}, false
	}
	return snap.Todos[rapid.IntRange(0, len(snap.Todos)-1).Draw(rt, "todo")], true
}

func (m *machine) Create(rt *rapid.T) {
	d := draft(rapid.StringMatching(`[a-z]{1,5}`).Draw(rt, "title"), rapid.SampledFrom([]todo.Status{todo.Pending,
		todo.Ready}).Draw(rt, "status"))
	if t, ok := m.any(rt); ok && rapid.Bool().Draw(rt, "depends") {
		d.Dependencies = []todo.Ref{t.Ref()}
	}
	mv := m.by(rt)
	if _, err := m.Session.Create([]todo.Draft{d}, mv); err != nil {
		rt.Fatal(err)
	}
}

func (m *machine) Claim(rt *rapid.T) {
	if _, _, _, err := m.Session.Claim(nil, m.by(rt), nil); err != nil {
		rt.Fatal(err)
	}
}

// Move asks for any move: it can be refused, but must not fail otherwise.
func (m *machine) Move(rt *rapid.T) {
	t, ok := m.any(rt)
	if !ok {
		return
	}
	mv := m.by(rt)
	mv.To = rapid.SampledFrom(todo.Statuses()).Draw(rt, "to")
	mv.Resolution = rapid.SampledFrom(append(todo.Rejections(), todo.Fixed, "")).Draw(rt, "resolution")
	if other, ok := m.any(rt); ok {
		mv.DuplicateOf, mv.Dependencies = other.Ref(), []todo.Ref{other.Ref()}
	}
	_, err := m.Session.Change(string(t.Ref()), mv, todo.Judge)
	onlyRefused(rt, err)
}

func (m *machine) Reopen(rt *rapid.T) {
	if t, ok := m.any(rt); ok {
		_, err := m.Session.Change(string(t.Ref()), m.by(rt), todo.Reopen)
		onlyRefused(rt, err)
	}
}

func (m *machine) EndAndResume(rt *rapid.T) {
	_, _, err := m.Cleanup(m.by(rt), nil)
	onlyRefused(rt, err)
	_, err = m.ResumeAll(m.by(rt))
	onlyRefused(rt, err)
}

// Edit is a person's edit: a comment in the front matter, a line in the text, other line breaks.
func (m *machine) Edit(rt *rapid.T) {
	t, ok := m.any(rt)
	if !ok {
		return
	}
	file := filepath.Join(m.Path(), "review", t.File)
	raw, err := os.ReadFile(file)
	if err != nil {
		rt.Fatal(err)
	}
	text, mark := string(raw), fmt.Sprintf("mark%d", m.tick().Unix())
	switch rapid.IntRange(0, 3).Draw(rt, "edit") {
	case 0:
		text = strings.Replace(text, "\nstatus: ", "\n# "+mark+"\nstatus: ", 1)
	case 1:
		text = strings.Replace(text, "\n## Findings", "\n"+mark+"\n## Findings", 1)
	case 2:
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
		mark = "\r\n"
	case 3:
		text = strings.TrimRight(text, "\r\n")
		mark = ""
	}
	if err := saveEarlier(file, text); err != nil {
		rt.Fatal(err)
	}
	if strings.Contains(text, mark) {
		m.typed[t.Ref()] = append(m.typed[t.Ref()], mark)
	}
}

func onlyRefused(rt *rapid.T, err error) {
	if r := model.AsError(err); err != nil && (r == nil || r.Rule == "") {
		rt.Fatalf("%v is no refusal", err)
	}
}

// Check is called after every act.
func (m *machine) Check(rt *rapid.T) {
	snap, err := m.Load(false)
	if err != nil || len(snap.Damaged) > 0 {
		rt.Fatalf("%v, damaged %+v", err, snap.Damaged)
	}
	if len(snap.Todos) < len(m.history) {
		rt.Fatalf("%d todos of %d are left", len(snap.Todos), len(m.history))
	}
	for _, t := range snap.Todos {
		was := m.history[t.Ref()]
		if len(t.History) < len(was) || len(was) > 0 && fmt.Sprint(t.History[:len(was)]) != fmt.Sprint(was) {
			rt.Fatalf("%s: history %+v was %+v", t.Ref(), t.History, was)
		}
		m.history[t.Ref()] = t.History
		raw, err := os.ReadFile(filepath.Join(m.Path(), "review", t.File))
		if err != nil {
			rt.Fatal(err)
		}
		for _, mark := range m.typed[t.Ref()] {
			if !strings.Contains(string(raw), mark) {
				rt.Fatalf("%s lost %q:\n%s", t.Ref(), mark, raw)
			}
		}
	}
	for _, p := range todo.CheckAll(snap.Index) {
		if p.Severity == todo.Error || p.Rule == todo.RuleHistory || p.Rule == todo.RuleRelated {
			rt.Fatalf("%+v", p)
		}
	}
}

func TestNoSequenceOfActsLosesAnything(t *testing.T) {
	storetest.Slow(t)
	rapid.Check(t, func(rt *rapid.T) {
		repo, err := os.MkdirTemp(t.TempDir(), "repo")
		if err != nil {
			rt.Fatal(err)
		}
		s, err := OpenNew(repo, review)
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		s.sync = func(*os.File) error { return nil }
		m := &machine{Session: s, now: noon, history: map[todo.Ref][]todo.Row{}, typed: map[todo.Ref][]string{}}
		rt.Repeat(map[string]func(*rapid.T){
			"": m.Check, "create": m.Create, "claim": m.Claim, "move": m.Move, "again": m.Move,
			"reopen": m.Reopen, "end": m.EndAndResume, "edit": m.Edit,
		})
	})
}
