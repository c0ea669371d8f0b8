package todos

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/model/todo"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

const review = "tmp/reviews/abc/todos"

func newSession(t testing.TB, rel string) *Session {
	t.Helper()
	return openIn(t, t.TempDir(), rel)
}

func openIn(t testing.TB, repo, rel string) *Session {
	t.Helper()
	s, err := OpenNew(repo, rel)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func agent(name string) todo.Move {
	return todo.Move{Actor: todo.Actor{Name: model.Text(name)}, Owner: model.Text(name), At: noon, Reason: "because",
		Lease: todo.Lease{ID: name + "-lease", Until: todo.Stamp(noon.Add(time.Hour))}}
}

func operator() todo.Move {
	return todo.Move{Actor: todo.Actor{Name: todo.User, Operator: true}, At: noon}
}

// nextDay is the operator when every lease has ended.
func nextDay() todo.Move {
	m := operator()
	m.At = noon.Add(24 * time.Hour)
	return m
}

func draft(title string, s todo.Status) todo.Draft {
	return todo.Draft{Source: "review", Status: s, Priority: todo.P2, Title: model.Text(title)}
}

func mustCreate(t testing.TB, s *Session, drafts ...todo.Draft) []todo.Todo {
	t.Helper()
	made, err := s.Create(drafts, operator())
	if err != nil {
		t.Fatal(err)
	}
	return made.Created
}

// put writes a file below a session's directory, like any program.
func put(t testing.TB, s *Session, name, content string) string {
	t.Helper()
	file := filepath.Join(s.Path(), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := saveEarlier(file, content); err != nil {
		t.Fatal(err)
	}
	return file
}

// saveEarlier writes a file as an editor did that ended some time ago: for the end of one that was just written a reader waits.
func saveEarlier(file, content string) error {
	return errors.Join(os.WriteFile(file, []byte(content), 0o644), os.Chtimes(file, time.Time{}, time.Now().Add(-2*unfinished)))
}

func read(t testing.TB, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func mustStart(t testing.TB, s *Session, id string, m todo.Move) {
	t.Helper()
	_, _, err := s.Start(id, m, nil)
	must(t, err)
}

// mustCleanUp interrupts what is in progress when every lease has ended.
func mustCleanUp(t testing.TB, s *Session) {
	t.Helper()
	_, _, err := s.Cleanup(nextDay(), nil)
	must(t, err)
}

func mustLoad(t testing.TB, s *Session) Snapshot {
	t.Helper()
	snap, err := s.Load(false)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func refusedBy(t testing.TB, err error, rule todo.Rule) {
	t.Helper()
	if r := model.AsError(err); r == nil || r.Rule != string(rule) {
		t.Fatalf("got %v, want a refusal by %s", err, rule)
	}
}

// shared is the directory of reference fixtures beside the checkout.
func shared(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("VISE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "fixtures", "rune")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no fixtures at %s", dir)
	}
	return dir
}

// fixtureFiles are the Markdown files of todos directories below a part of the fixtures.
func fixtureFiles(t testing.TB, part string) []string {
	t.Helper()
	var files []string
	root := filepath.Join(shared(t), part)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") && todo.IsTodoFile(d.Name()) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
