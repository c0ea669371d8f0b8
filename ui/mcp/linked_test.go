package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// session makes a session of findings and links them to an item.
func (c *client) session(id model.ItemID, titles ...string) *todos.Session {
	c.t.Helper()
	repo := c.t.TempDir()
	if err := os.Mkdir(filepath.Join(repo, ".git"), 0o755); err != nil {
		c.t.Fatal(err)
	}
	s, err := todos.OpenNew(repo, "tmp/reviews/abc123/todos")
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { s.Close() })
	operator := file.Move{Actor: file.Actor{Name: file.User, Operator: true}, At: time.Now()}
	var links model.Links
	for i, title := range titles {
		draft := file.Draft{Source: "review", Status: file.Ready, Priority: file.P2, Title: model.Text(title), Files: []model.Text{"db.go:2"}}
		if _, err := s.Create([]file.Draft{draft}, operator); err != nil {
			c.t.Fatal(err)
		}
		links.TodoRefs = append(links.TodoRefs, model.TodoRef{TodosBase: model.Text(s.Path()), QualifiedID: model.Text(fmt.Sprintf("review/%03d", i+1))})
	}
	if _, err := c.ledger.Apply(c.t.Context(), model.Envelope{Key: "link", Actor: model.Operator, Agent: "ann",
		Command: model.LinkWorkItem{WorkItemID: id, Add: links}}); err != nil {
		c.t.Fatal(err)
	}
	return s
}

func statuses(t *testing.T, s *todos.Session) string {
	t.Helper()
	snap, err := s.Load(false)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range snap.Todos {
		out = append(out, x.Ref().String()+" "+string(x.Status))
	}
	return strings.Join(out, ", ")
}

// An agent that completes an item is told which linked todos stay open, and closes them by a decision for each.
func TestAgentsDecideOnLinkedTodos(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	w := c.create("Harden the search")
	s := c.session(w.ID, "Quote the name", "Bound the buffer", "Close the handle")
	c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"todo_list":[{"text":"review/001: quote","state":"completed"},{"text":"tell ann","state":"pending"}]}`, w.ID))
	if got := c.call("GetWorkItem", fmt.Sprintf(`{"work_item_id":%q,"include_todo_list":true}`, w.ID)).item(t); got.TodoList[0].State != model.TodoPending {
		t.Errorf("the row says %s, its file is ready", got.TodoList[0].State)
	}
	if got := c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q,"linked_todos":{"review/001":"juggled"}}`, w.ID)); got.code() != model.CodeInvalid {
		t.Errorf("an unknown decision: %s", got.Structured)
	}
	if got := c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q,"linked_todos":{"review/009":"finished"}}`, w.ID)); got.code() != model.CodeInvalid {
		t.Errorf("a decision on a stranger: %s", got.Structured)
	}
	done := c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q,"linked_todos":{"review/001":"finished","review/002":"wont_fix: the caller bounds it"}}`, w.ID))
	if said := string(done.Structured); !strings.Contains(said, `"completed_transition":true`) || !strings.Contains(said, "linked_todos_undecided") || !strings.Contains(said, "review/003") {
		t.Errorf("completed %s", said)
	}
	if got, want := statuses(t, s), "review/001 complete, review/002 wont_fix, review/003 ready"; got != want {
		t.Errorf("the files are %s, want %s", got, want)
	}
	again := c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q,"linked_todos":{"review/003":"finished"}}`, w.ID))
	if strings.Contains(string(again.Structured), "undecided") || statuses(t, s) != "review/001 complete, review/002 wont_fix, review/003 complete" {
		t.Errorf("again: %s, the files are %s", again.Structured, statuses(t, s))
	}
}
