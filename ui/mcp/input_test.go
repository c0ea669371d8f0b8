package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vise/model"
	"vise/ui/mcp"
)

// refusal returns the error of an answer.
func (r result) refusal() (x struct{ Error model.Error }) {
	if r.IsError {
		_ = json.Unmarshal(r.Structured, &x)
	}
	return x
}

// TestInputThatIsNotAsExpectedIsRefused, with the field and what to do.
func TestInputThatIsNotAsExpectedIsRefused(t *testing.T) {
	c := serve(t, "ann", nil, hooksSeen(false), func(o *mcp.Options) {
		o.All = true
		o.StartTask = func(context.Context, mcp.TaskRequest) (model.TaskID, error) { return "tk-1", nil }
	})
	c.initialize()
	w := c.create("One")
	c.call("PickWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID))
	long := strings.Repeat("x", 2001)
	for _, x := range []struct{ tool, args, field, says string }{
		{"SpawnAgent", `{}`, "initial_message", "needs an initial message"},
		{"SpawnAgent", `{"preset":"other"}`, "preset", "unknown preset"},
		{"SpawnAgent", `{"initial_message":" "}`, "initial_message", "must not be empty"},
		{"SpawnAgent", `{"initial_message":5}`, "initial_message", "takes text, not a number"},
		{"SpawnAgent", `[]`, "", "not an object"},
		{"ReportWorkItem", `{"work_item_id":"ID","text":["x"]}`, "text", "takes text, not a list"},
		{"NotifyOperator", `{"text":true}`, "text", "takes text, not true or false"},
		{"NotifyOperator", `{"text":"` + long + `"}`, "text", "2001 characters"},
		{"OpenDelegation", `{"work_item_id":"ID","to":"BAD NAME","objective":"x"}`, "to", "BAD NAME"},
		{"OpenDelegation", `{"work_item_id":"ID","to":"bob","objective":"x","blocking":"yes"}`, "blocking", "takes true or false, not text"},
		{"GetWorkItem", `{}`, "work_item_id", "is missing"},
		{"GetWorkItem", `{"work_item_id":"ID","todo_offset":-1}`, "todo_offset", "is -1"},
		{"ListWorkItems", `{"limit":-1}`, "limit", "is -1"},
		{"ListWorkItems", `{"limit":1.5}`, "limit", "takes a whole number, not 1.5"},
		{"UpdateWorkItem", `{"work_item_id":"ID"}`, "", "nothing to update"},
		{"UpdateWorkItem", `{"work_item_id":"ID","objective":"x","seen_revision":0}`, "seen_revision", "is 0"},
		{"UpdateWorkItem", `{"work_item_id":"ID","blocked_by":"` + strings.Repeat("x", 4001) + `"}`, "blocked_by", "4001 characters"},
		{"WaitFor", `{"reason":"r","wake":"timer","wake_at":"soon"}`, "wake_at", "RFC 3339"},
		{"WaitFor", `{"reason":"r","wake":"timer","wake_at":"2020-01-01T00:00:00Z","resource":"30m"}`, "wake_at", "not both"},
		{"WaitFor", `{"reason":"r","wake":"operator_input","question":"?","choices":["a","b","a "]}`, "choices", "equal"},
		{"StartTask", `{"command":["x"],"dir":"."}`, "dir", "absolute"},
		{"StartTask", `{"command":["x"],"dir":"/no/such"}`, "dir", "absolute"},
		{"StartTask", `{"command":["x"],"summary":"` + long + `"}`, "summary", "2001 characters"},
		{"StartTask", `{"command":["x","` + strings.Repeat("x", 128<<10) + `"]}`, "command", "command[1]"},
		{"StartTask", `{"command":"go test"}`, "command", "takes a list, not text"},
	} {
		before := c.revision()
		got := c.call(x.tool, strings.ReplaceAll(x.args, `"ID"`, `"`+string(w.ID)+`"`)).refusal().Error
		if got.Code != model.CodeInvalid || got.Field != x.field || !strings.Contains(got.Message, x.says) || got.Hint == "" || c.revision() != before {
			t.Errorf("%s %.80s: %+v", x.tool, x.args, got)
		}
	}
	if got := c.call("UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"blocked_by":%q}`, w.ID, strings.Repeat("x", 4001))).refusal().Error; !strings.Contains(got.Hint, "shorten") {
		t.Errorf("a long blocker: %+v", got)
	}
	got := c.call("WaitFor", `{"reason":"r","wake":"task_result","resource":"tk-none"}`).refusal().Error
	if got.Code != model.CodeNotFound || strings.Contains(got.Hint, "ListWorkItems") || got.Hint == "" {
		t.Errorf("an unknown task: %+v", got)
	}
}

// TestAKeyIsForOneCall: a second call with other arguments is refused, and so is a key that is no text.
func TestAKeyIsForOneCall(t *testing.T) {
	started := 0
	c := serve(t, "ann", nil, func(o *mcp.Options) {
		o.All = true
		o.StartTask = func(context.Context, mcp.TaskRequest) (model.TaskID, error) {
			started++
			return model.TaskID(fmt.Sprint("tk-", started)), nil
		}
	})
	c.initialize()
	key := `{"vise/idempotency_key":"k"}`
	c.callWith("StartTask", `{"command":["true"]}`, key)
	if got := string(c.callWith("StartTask", `{"command":["true"]}`, key).Structured); !strings.Contains(got, `"replayed":true`) {
		t.Errorf("repeated: %s", got)
	}
	if got := c.callWith("StartTask", `{"command":["false"]}`, key).refusal().Error; got.Code != model.CodeInvalid || got.Field != "key" || started != 1 {
		t.Errorf("another command: %+v, %d started", got, started)
	}
	for _, meta := range []string{`{"vise/idempotency_key":5}`, `{"vise/idempotency_key":""}`, `{"vise/agent":5}`} {
		if got := c.callWith("CreateWorkItem", `{"objective":"x"}`, meta).refusal().Error; got.Code != model.CodeInvalid || got.Field != "_meta" {
			t.Errorf("%s: %+v", meta, got)
		}
	}
	bad := serve(t, "BAD NAME", nil)
	bad.initialize()
	if got := bad.call("ListWorkItems", `{}`).refusal().Error; got.Field != "agent" {
		t.Errorf("a server for BAD NAME: %+v", got)
	}
}

// TestAnAgentIsNotToldToPoseAsTheOperator: its hint is what an agent can do.
func TestAnAgentIsNotToldToPoseAsTheOperator(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	w := c.create("One")
	block := model.UpdateWorkItem{WorkItemID: w.ID, BlockedBy: model.SetTo("ops")}
	if _, err := c.ledger.Apply(t.Context(), model.Envelope{Key: "b", Actor: model.Operator, Command: block}); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"CompleteWorkItem", "UpdateWorkItem"} {
		args := map[string]any{"work_item_id": w.ID}
		if tool == "UpdateWorkItem" {
			args["blocked_by"] = nil
		}
		raw, _ := json.Marshal(args)
		got := c.call(tool, string(raw)).refusal().Error
		if got.Code != model.CodeRefused || strings.Contains(got.Hint, "--actor") || !strings.Contains(got.Hint, "NotifyOperator") {
			t.Errorf("%s: %+v", tool, got)
		}
	}
}

// TestALineThatIsTooLongIsAnsweredByItsID, so that its client does not wait for ever.
func TestALineThatIsTooLongIsAnsweredByItsID(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	long := repeat("x", 5<<20)
	for line, id := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"m","params":{"x":"` + long + `"}}`:                        `7`,
		`{"method": "m", "jsonrpc": "2.0", "id": "a-1", "params": {"x": "` + long + `"}}`:            `"a-1"`,
		`{"jsonrpc":"2.0","method":"m","params":{"id":5,"x":"` + long + `"},"id":8}`:                 `8`,
		`{"jsonrpc":"2.0","method":"m","params":{"x":"` + long + `","id":9}}`:                        `null`,
		`{"jsonrpc":"2.0","method":"m","params":{"x":"` + long + `,\"id\":9}"}}`:                     `null`,
		`{"method":"m","params":{"x":"` + long + `"},"id":10,"jsonrpc":"2.0"}`:                       `10`,
		`{"jsonrpc":"2.0","id":7.5,"method":"m","params":{"x":"` + long + `"}}`:                      `null`,
		`{"jsonrpc":"2.0","method":"m","id":` + repeat("1", 400) + `,"params":{"x":"` + long + `"}}`: `null`,
	} {
		c.send(line)
		if a := c.read(); a.Error == nil || a.Error.Code != -32700 || string(a.ID) != id {
			t.Errorf("%.60s … %s: id %s, error %+v, want id %s", line, line[len(line)-20:], a.ID, a.Error, id)
		}
	}
	c.alive()
}

// TestInstructionsSayWhereTheReportIsGiven: in the reply's text only if a hook brings that text.
func TestInstructionsSayWhereTheReportIsGiven(t *testing.T) {
	for seen, want := range map[bool]string{true: "in the same reply", false: "with ReportWorkItem"} {
		c := serve(t, "ann", nil, hooksSeen(seen))
		c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		var x struct{ Instructions string }
		if err := json.Unmarshal(c.read().Result, &x); err != nil || !strings.Contains(x.Instructions, want) {
			t.Errorf("hooks seen %v: %v %s", seen, err, x.Instructions)
		}
	}
}
