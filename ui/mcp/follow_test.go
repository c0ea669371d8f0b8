package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/storetest"
	"vise/store/threads"
)

// following is a server whose acts a repository's thread follows, with an item that is linked to the thread. The server
// runs in another directory.
func following(t *testing.T) (c *client, repo string, item model.View) {
	t.Helper()
	r := storetest.RepoWithCommit(t)
	desk, done := home.Threads{Dir: r.Dir, Now: time.Now, Actor: "operator"}.At(t.Context(), "", "test")
	defer done()
	for _, x := range []thread.Command{thread.Start{Goal: "Fix login"}, thread.Close{Status: thread.Paused}} {
		if _, err := desk.Apply(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	c = serve(t, "ann", nil)
	c.initialize()
	item = c.create("Fix login")
	_, err := c.ledger.Apply(t.Context(), model.Envelope{Key: "link", Actor: model.Operator, Agent: "ann", Command: model.LinkWorkItem{
		WorkItemID: item.ID, Add: model.Links{Threads: []model.ThreadLink{{Repo: model.Text(r.Dir), TaskID: "fix-login"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return c, r.Dir, item
}

// statusOf returns the status of the repository's only thread.
func statusOf(t *testing.T, repo string) thread.Status {
	t.Helper()
	snap, err := threads.At(repo).Read()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	list, err := snap.Threads()
	if err != nil || len(list) != 1 {
		t.Fatalf("%d threads, %v", len(list), err)
	}
	return list[0].Status
}

// TestTheThreadOfAnItemFollowsTheAgentsActs, wherever the server runs.
func TestTheThreadOfAnItemFollowsTheAgentsActs(t *testing.T) {
	c, repo, item := following(t)
	other := c.create("Something else")
	for _, x := range []struct {
		tool, args string
		want       thread.Status
	}{
		{"UpdateWorkItem", `{"work_item_id":%q,"plan_status":"ready"}`, thread.Paused},
		{"PickWorkItem", `{"work_item_id":%q}`, thread.InProgress},
		{"WaitFor", `{"work_item_id":%q,"wake":"operator_input","reason":"which limit?"}`, thread.Paused},
		{"PickWorkItem", `{"work_item_id":%q,"clear_blocker":true,"reason":"answered"}`, thread.InProgress},
		{"UpdateWorkItem", `{"work_item_id":%q,"blocked_by":"no keys"}`, thread.Blocked},
		{"UpdateWorkItem", `{"work_item_id":%q,"blocked_by":null}`, thread.Paused},
		{"PickWorkItem", `{"work_item_id":%q,"reason":"next"}`, thread.InProgress},
		{"PickWorkItem", `{"work_item_id":"OTHER","unknown":%q}`, thread.InProgress},
		{"PickWorkItem", `{"work_item_id":"OTHER","reason":"instead of %s"}`, thread.Paused},
		{"CompleteWorkItem", `{"work_item_id":%q}`, thread.Resolved},
	} {
		args := strings.ReplaceAll(fmt.Sprintf(x.args, item.ID), "OTHER", string(other.ID))
		r := c.call(x.tool, args)
		if refused := strings.Contains(args, "unknown"); r.IsError != refused {
			t.Fatalf("%s %s: %s", x.tool, args, r.Structured)
		}
		if got := statusOf(t, repo); got != x.want {
			t.Errorf("%s %s: the thread is %s, want %s", x.tool, args, got, x.want)
		}
	}
}

// TestAThreadThatCannotFollowStopsNoAct: the answer has a warning.
func TestAThreadThatCannotFollowStopsNoAct(t *testing.T) {
	c, repo, item := following(t)
	if err := os.Remove(filepath.Join(repo, ".aictx", "tasks", "threads", "fix-login.json")); err != nil {
		t.Fatal(err)
	}
	r := c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, item.ID))
	if !strings.Contains(string(r.Structured), "thread fix-login is linked and not there") || !r.item(t).IsCurrent {
		t.Errorf("answered %s", r.Structured)
	}
}
