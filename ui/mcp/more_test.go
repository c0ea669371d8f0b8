package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store/home"
	"vise/ui/mcp"
)

// listed returns the names of the tools that a client is given.
func (c *client) listed() (names []string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":99,"method":"tools/list"}`)
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(c.read().Result, &list); err != nil {
		c.t.Fatal(err)
	}
	for _, x := range list.Tools {
		names = append(names, x.Name)
	}
	return names
}

// hooksSeen serves an agent whose hooks were seen or not.
func hooksSeen(seen bool) func(*mcp.Options) {
	return func(o *mcp.Options) { o.HooksSeen = func(model.AgentID) bool { return seen } }
}

// TestAnAgentWithoutHooksGivesItsReportByATool: it is warned that its words reach nobody, and gives its report once. An
// agent with hooks gets no warning.
func TestAnAgentWithoutHooksGivesItsReportByATool(t *testing.T) {
	c := serve(t, "ann", nil, hooksSeen(false))
	c.initialize()
	if !slices.Contains(c.listed(), "ReportWorkItem") {
		t.Errorf("the tools are %v", c.listed())
	}
	w := c.create("Split the limiter")
	done := string(c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID)).Structured)
	if !strings.Contains(done, `"kind":"missing_completion_report"`) || !strings.Contains(done, `"next_hint":"ReportWorkItem gives`) {
		t.Errorf("got %s", done)
	}
	v := c.call("ReportWorkItem", fmt.Sprintf(`{"work_item_id":%q,"text":"It is a package of its own."}`, w.Handle)).item(t)
	if v.Report == nil || v.Report.Text != "It is a package of its own." {
		t.Errorf("the report is %+v", v.Report)
	}
	if got := c.call("ReportWorkItem", fmt.Sprintf(`{"work_item_id":%q,"text":"Other."}`, w.ID)).code(); got != model.CodeRefused {
		t.Errorf("a second report: code %q", got)
	}
	if got := c.call("ReportWorkItem", fmt.Sprintf(`{"work_item_id":%q,"text":"x","provenance":"operator"}`, w.ID)).code(); got != model.CodeInvalid {
		t.Errorf("a provenance of its own: code %q", got)
	}
	if again := string(c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID)).Structured); strings.Contains(again, "missing_completion_report") {
		t.Errorf("completed again: %s", again)
	}

	c = serve(t, "ann", nil, hooksSeen(true))
	c.initialize()
	w = c.create("Another")
	if done := string(c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID)).Structured); strings.Contains(done, "missing_completion_report") {
		t.Errorf("got %s", done)
	}
	if slices.Contains(c.listed(), "ReportWorkItem") {
		t.Errorf("the tools are %v", c.listed())
	}
}

// TestADrivenAgentIsNotWarned: the driver of its turn brings its words.
func TestADrivenAgentIsNotWarned(t *testing.T) {
	c := serve(t, "ann", nil, hooksSeen(false))
	c.initialize()
	w := c.create("Split the limiter")
	if _, err := c.ledger.Apply(t.Context(), model.Envelope{Key: "t", Actor: model.Scheduler, Command: model.ClaimTurn{AgentID: "ann", Holder: "drive"}}); err != nil {
		t.Fatal(err)
	}
	if done := string(c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID)).Structured); strings.Contains(done, "missing_completion_report") {
		t.Errorf("got %s", done)
	}
}

// TestHooksOfAnAgentAreRemembered in the home.
func TestHooksOfAnAgentAreRemembered(t *testing.T) {
	dir := t.TempDir() + "/home"
	h, _, err := home.OpenOrCreate(dir, home.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if home.HooksSeen(dir, "ann") {
		t.Error("seen before any was")
	}
	h.NoteHook("ann")
	h.NoteHook("ann")
	if !home.HooksSeen(dir, "ann") || home.HooksSeen(dir, "bob") {
		t.Error("not remembered, or of another agent")
	}
}

// TestMoreToolsAreOffUnlessAskedFor, and do the same as the command line.
func TestMoreToolsAreOffUnlessAskedFor(t *testing.T) {
	c := serve(t, "ann", nil, hooksSeen(true))
	c.initialize()
	if got := c.listed(); len(got) != 7 {
		t.Errorf("the tools are %v", got)
	}
	var asked []mcp.TaskRequest
	c = serve(t, "ann", nil, hooksSeen(true), func(o *mcp.Options) {
		o.All = true
		o.StartTask = func(_ context.Context, r mcp.TaskRequest) (model.TaskID, error) {
			asked = append(asked, r)
			return model.TaskID(fmt.Sprint("tk-", len(asked))), nil
		}
	})
	c.initialize()
	if got := c.listed(); len(got) != 12 || slices.Contains(got, "ReportWorkItem") {
		t.Errorf("the tools are %v", got)
	}
	w := c.create("Split the limiter")
	c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID))
	if got := string(c.call("NotifyOperator", `{"text":"CI is red."}`).Structured); !strings.Contains(got, `"work_item_id":"`+string(w.ID)) {
		t.Errorf("got %s", got)
	}
	var d struct {
		ID    model.DelegationID `json:"delegation_id"`
		Child model.ItemID       `json:"child_work_item_id"`
	}
	got := c.call("OpenDelegation", fmt.Sprintf(`{"work_item_id":%q,"to":"bob","objective":"Check the proxy","blocking":true}`, w.Handle))
	if err := json.Unmarshal(got.Structured, &d); err != nil || d.ID == "" || d.Child == "" {
		t.Errorf("got %s", got.Structured)
	}
	got = c.call("SpawnAgent", `{"initial_message":"Find the cause"}`)
	if s := string(got.Structured); !strings.Contains(s, `"to":"ann-1"`) || !strings.Contains(s, `"delegation_id":"dg-`) ||
		!strings.Contains(s, string(w.ID)) {
		t.Errorf("got %s", s)
	}
	if got := c.call("SpawnAgent", `{"initial_message":"Find the cause","agent_id":"bob"}`).code(); got != model.CodeConflict {
		t.Errorf("a name that is taken: code %q", got)
	}
	got = c.call("SpawnAgent", `{"preset":"public_named","template":"nobody"}`)
	if got.code() != model.CodeInvalid || !strings.Contains(string(got.Structured), "ann, ann-1, bob") {
		t.Errorf("an unknown template: %s", got.Structured)
	}
	got = c.call("SpawnAgent", `{"preset":"public_named"}`)
	if s := string(got.Structured); !strings.Contains(s, `"to":"ann-2"`) || strings.Contains(s, "delegation_id") || strings.Contains(s, "work_item") {
		t.Errorf("an agent that serves none: %s", s)
	}
	for range 2 { // a call that its client repeats starts one task
		got := c.callWith("StartTask", fmt.Sprintf(`{"command":["go","test"],"work_item_id":%q}`, w.Handle), `{"claudecode/toolUseId":"toolu_1"}`)
		if !strings.Contains(string(got.Structured), `"task_id":"tk-1"`) {
			t.Errorf("got %s", got.Structured)
		}
	}
	if len(asked) != 1 || asked[0].WorkItemID != w.ID || asked[0].Agent != "ann" || len(asked[0].Command) != 2 {
		t.Errorf("asked for %+v", asked)
	}
	for args, code := range map[string]model.Code{`{"command":[]}`: model.CodeInvalid, `{"command":["x"],"shell":true}`: model.CodeInvalid,
		`{"command":["x"],"work_item_id":"wi-none"}`: model.CodeNotFound} {
		if got := c.call("StartTask", args).code(); got != code {
			t.Errorf("%s: code %q", args, got)
		}
	}
}

// TestRemindersComeWithAnswers about the shown item, or the focus.
func TestRemindersComeWithAnswers(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	w := c.create("Split the limiter")
	id := fmt.Sprintf(`{"work_item_id":%q}`, w.ID)
	if got := string(c.call("PickWorkItem", id).Structured); strings.Contains(got, "reminders") {
		t.Errorf("nothing to remind of: %s", got)
	}
	c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"todo_list":[{"text":"a","state":"completed"},{"text":"b","state":"pending"}]}`, w.ID))
	for tool, args := range map[string]string{"PickWorkItem": id, "GetWorkItem": id, "ListWorkItems": `{}`} {
		if got := string(c.call(tool, args).Structured); !strings.Contains(got, `"reminders":[{"kind":"draft_plan_with_completed_todos"`) {
			t.Errorf("%s answers %s", tool, got)
		}
	}
}
