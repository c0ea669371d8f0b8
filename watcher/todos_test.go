package watcher_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model/todo"
	files "vise/store/todos"
	"vise/watcher"
)

func open(t *testing.T, repo string) *files.Session {
	t.Helper()
	s, err := files.OpenNew(repo, "tmp/work/1/todos")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func watch(t *testing.T, s *files.Session) view {
	t.Helper()
	seen, err := s.Look()
	if err != nil {
		t.Fatal(err)
	}
	e := watcher.Todos(t.Context(), s, seen)
	t.Cleanup(e.Close)
	return view{e, s}
}

// view is a watch with its session.
type view struct {
	*watcher.Changes
	session *files.Session
}

// now returns the session as it is, or why it cannot be read.
type now struct {
	Snapshot files.Snapshot
	Err      error
}

// until waits for news after which the session satisfies want. Only a failed test reaches the deadline.
func until(t *testing.T, e view, what string, want func(now) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		if err := e.Next(ctx); err != nil {
			t.Fatalf("no news that %s: %v", what, err)
		}
		snap, err := e.session.Load(false)
		if want(now{snap, err}) {
			return
		}
	}
}

func create(t *testing.T, s *files.Session, source string) todo.Todo {
	t.Helper()
	m := todo.Move{Actor: todo.Actor{Name: todo.User, Operator: true}, At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	made, err := s.Create([]todo.Draft{{Source: source, Status: todo.Ready, Priority: todo.P2, Title: "t"}}, m)
	if err != nil {
		t.Fatal(err)
	}
	return made.Created[0]
}

// Two consoles and an editor use one session: each sees what the others do.
func TestEverybodySeesWhatTheOthersDo(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	one, two := open(t, repo), open(t, repo)
	views := []view{watch(t, one), watch(t, two)}
	made := create(t, one, "review")
	for _, e := range views {
		until(t, e, "a todo in a new source is there", func(n now) bool { return len(n.Snapshot.Todos) == 1 })
	}
	m := todo.Move{Actor: todo.Actor{Name: "smith"}, Owner: "smith", At: time.Date(2026, 3, 2, 13, 0, 0, 0, time.UTC)}
	if _, _, err := two.Start("001", m, nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range views {
		until(t, e, "it is claimed", func(n now) bool { return n.Snapshot.Todos[0].Status == todo.InProgress })
	}
	file := filepath.Join(one.Path(), "review", made.File)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(raw), "# t\n", "# edited\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, e := range views {
		until(t, e, "its title was edited", func(n now) bool { return n.Snapshot.Todos[0].Title == "edited" })
	}
	if err := os.WriteFile(file, []byte("broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, e := range views {
		until(t, e, "it is damaged", func(n now) bool { return len(n.Snapshot.Damaged) == 1 })
	}
}

func TestARemovedSessionIsNews(t *testing.T) {
	s := open(t, t.TempDir())
	create(t, s, "work")
	e := watch(t, s)
	if err := os.RemoveAll(s.Path()); err != nil {
		t.Fatal(err)
	}
	until(t, e, "the session is gone", func(n now) bool { return errors.Is(n.Err, files.ErrGone) })
	e.Close()
	if err := e.Next(context.Background()); !errors.Is(err, watcher.ErrClosed) {
		t.Errorf("after its end: %v", err)
	}
}
