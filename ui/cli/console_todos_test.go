package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	file "vise/model/todo"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/todos"
	"vise/ui/console"
)

// Two consoles and an editor work on one session at once. Each sees what the others do, and the second of two decisions
// on one finding is refused.
func TestTwoConsolesAndAnEditorShareASession(t *testing.T) {
	repo := t.TempDir()
	if err := os.Mkdir(filepath.Join(repo, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	one, two := newFileTodos(ctx, repo, time.Now), newFileTodos(ctx, repo, time.Now)
	defer one.close()
	defer two.close()
	if got := one.Read(ctx, nil); len(got.Sessions) > 0 || got.Trouble != "" {
		t.Fatalf("without a session: got %+v", got)
	}
	path := seedSession(t, repo, "Quote the name", "Close the handle")
	readsLike(t, ctx, one, "review/001 pending Quote the name, review/002 pending Close the handle")
	readsLike(t, ctx, two, "review/001 pending Quote the name, review/002 pending Close the handle")

	approve := console.FileAct{Kind: console.FileMove, Ref: "reviews/abc123/review/001", Move: file.Move{To: file.Ready, Reason: "Triage approved"}}
	if err := one.Act(ctx, approve); err != nil {
		t.Fatal(err)
	}
	awaitNews(t, ctx, two)
	readsLike(t, ctx, two, "review/001 ready Quote the name, review/002 pending Close the handle")
	if err := two.Act(ctx, approve); err == nil {
		t.Error("the second console approved what the first had approved")
	}

	name := filepath.Join(path, "review", "002-pending-p2-close-the-handle.md")
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(raw), "# Close the handle", "# Close every handle", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, todos := range []*fileTodos{one, two} {
		awaitNews(t, ctx, todos)
		readsLike(t, ctx, todos, "review/001 ready Quote the name, review/002 pending Close every handle")
	}
	if err := two.Act(ctx, console.FileAct{Kind: console.FileUnapprove, Ref: "reviews/abc123/review/001"}); err != nil {
		t.Fatal(err)
	}
	readsLike(t, ctx, one, "review/001 pending Quote the name, review/002 pending Close every handle")

	link := model.TodoRef{TodosBase: model.Text(path), QualifiedID: "review/002"}
	if got := one.Read(ctx, []model.TodoRef{link}).Linked[0]; got.Missing != "" || got.Todo.Title != "Close every handle" {
		t.Errorf("the link: got %+v", got)
	}
	if err := os.RemoveAll(filepath.Join(repo, "tmp")); err != nil {
		t.Fatal(err)
	}
	readsLike(t, ctx, two, "")
	if got := two.Read(ctx, []model.TodoRef{link}).Linked[0]; got.Missing != "its session was removed" {
		t.Errorf("the link of a removed session: got %+v", got)
	}
}

func TestAFindingIsShownBesideTheCodeAsItIsNow(t *testing.T) {
	repo := t.TempDir()
	seedSession(t, repo, "Quote the name")
	todos := newFileTodos(t.Context(), repo, time.Now)
	defer todos.close()
	if x := todos.Finding(t.Context(), "reviews/abc123/review/001"); x.Trouble != "the file is not there any more" || x.Snippet != "q := name" {
		t.Errorf("without the file: got %+v", x)
	}
	if err := os.WriteFile(filepath.Join(repo, "db.go"), []byte("package db\n\nvar x = 1\n\tq := name\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if x := todos.Finding(t.Context(), "reviews/abc123/review/001"); x.Trouble != "" || x.Place.Line != 4 || x.Changed {
		t.Errorf("got %+v", x)
	}
	if x := todos.Finding(t.Context(), "reviews/abc123/review/099"); x.Trouble == "" {
		t.Errorf("a todo that is not there: got %+v", x)
	}
}

// seedSession makes a session with pending findings.
func seedSession(t *testing.T, repo string, titles ...string) (path string) {
	t.Helper()
	s, err := todos.OpenNew(repo, "tmp/reviews/abc123/todos")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, title := range titles {
		draft := file.Draft{Source: "review", Status: file.Pending, Priority: file.P2, Title: model.Text(title),
			Evidence: "q := name", Files: []model.Text{"db.go:2"}}
		if _, err := s.Create([]file.Draft{draft}, file.Move{Actor: file.Actor{Name: file.User, Operator: true}, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	return s.Path()
}

// awaitNews waits until a console is notified that its files changed.
func awaitNews(t *testing.T, ctx context.Context, todos *fileTodos) {
	t.Helper()
	if err := todos.Next(ctx); err != nil {
		t.Fatalf("no news came: %v", err)
	}
}

// readsLike waits until a console's files are as wanted.
func readsLike(t *testing.T, ctx context.Context, todos *fileTodos, want string) {
	t.Helper()
	got := ""
	for {
		var lines []string
		for _, x := range todos.Read(ctx, nil).Todos {
			lines = append(lines, x.Ref().String()+" "+string(x.Status)+" "+x.Title.String())
		}
		if got = strings.Join(lines, ", "); got == want {
			return
		}
		if err := todos.Next(ctx); err != nil {
			t.Fatalf("got %q, want %q: %v", got, want, err)
		}
	}
}

// A finding becomes one work item however often it is promoted, with its text as the plan, and stays linked to the
// item.
func TestAFindingIsPromotedOnce(t *testing.T) {
	repo := t.TempDir()
	if err := os.Mkdir(filepath.Join(repo, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	seedSession(t, repo, "Quote the name")
	todos := newFileTodos(t.Context(), repo, time.Now)
	defer todos.close()
	ledger := store.NewMem(nil)
	todos.home = home.On(ledger, files.Home{}, home.Options{})
	defer todos.home.Close()
	for range 2 {
		if err := todos.Act(t.Context(), console.FileAct{Kind: console.FilePromote, Ref: "reviews/abc123/review/001", Agent: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	err := ledger.View(t.Context(), func(r model.Reader) error {
		desk := model.DeskOf(r, "a", model.Stamp{At: time.Now()}, func(model.Class) int { return 9 })
		var made []model.Row
		for _, s := range desk.Sections {
			made = append(made, s.Rows...)
		}
		if len(made) != 1 || made[0].Objective != "Quote the name" {
			t.Fatalf("got %+v", made)
		}
		if w, _ := r.Item(made[0].ID); len(w.Links.TodoRefs) != 1 || w.Links.TodoRefs[0].QualifiedID != "review/001" {
			t.Errorf("linked to %+v", w.Links)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
