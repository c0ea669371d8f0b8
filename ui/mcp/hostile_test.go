package mcp_test

import (
	"fmt"
	"testing"
)

// hostile are lines that a faulty or malicious client can send. Each is answered, or ignored if no answer is possible.
// None changes the ledger, and none ends the server.
var hostile = []struct {
	name, line string
	// code is the expected JSON-RPC error; 0: a tool's refusal; silent: no answer at all.
	code int
}{
	{"garbage", "garbage", -32700},
	{"half an object", `{"jsonrpc":"2.0","id":1,"method":"ping"`, -32700},
	{"two objects on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, -32700},
	{"bytes that are no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", -32700},
	{"a NUL byte", "\x00", -32700},
	{"too long a line", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + repeat("x", 2<<20) + `"}}`, -32700},
	{"an objective of 10 MB", tooled("CreateWorkItem", `{"objective":"`+repeat("x", 10<<20)+`"}`), -32700},
	{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
	{"an empty batch", `[]`, -32600},
	{"a string", `"ping"`, -32600},
	{"a number", `42`, -32600},
	{"null", `null`, -32600},
	{"no version", `{"id":1,"method":"ping"}`, -32600},
	{"another version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600},
	{"an object as id", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, -32600},
	{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600},
	{"a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600},
	{"true as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600},
	{"neither method nor result", `{"jsonrpc":"2.0","id":1}`, -32600},
	{"a method that is no string", `{"jsonrpc":"2.0","id":1,"method":7}`, -32600},
	{"deeper than anybody reads", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + repeat(`{"a":`, 5000) + `1` + repeat(`}`, 5000) + `}`, -32600},
	{"a key twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, -32600},
	{"an argument twice", tooled("CreateWorkItem", `{"objective":"one","objective":"two"}`), -32600},
	{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"rm -rf"}`, -32601},
	{"an unknown tool", tooled("DropAllWorkItems", `{}`), -32602},
	{"params that are a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, -32602},
	{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, -32600},
	{"arguments that are a list", tooled("CreateWorkItem", `[1]`), 0},
	{"arguments that are a string", tooled("CreateWorkItem", `"objective"`), 0},
	{"no arguments", tooled("CreateWorkItem", `{}`), 0},
	{"null where words are due", tooled("CreateWorkItem", `{"objective":null}`), 0},
	{"a number where words are due", tooled("CreateWorkItem", `{"objective":7}`), 0},
	{"an unknown field", tooled("CreateWorkItem", `{"objective":"x","owner":"bob"}`), 0},
	{"a field in other case", tooled("CreateWorkItem", `{"OBJECTIVE":"x"}`), 0},
	{"another field in other case", tooled("CreateWorkItem", `{"objective":"x","PLAN_STATUS":"draft"}`), 0},
	{"a field with a NUL", tooled("CreateWorkItem", `{"objective":"x","objective\u0000":"y"}`), 0},
	{"an unknown todo key", tooled("CreateWorkItem", `{"objective":"x","todo_list":[{"text":"a","status":"pending"}]}`), 0},
	{"an unknown todo state", tooled("CreateWorkItem", `{"objective":"x","todo_list":[{"text":"a","state":"done"}]}`), 0},
	{"too many todos", tooled("CreateWorkItem", `{"objective":"x","todo_list":[`+repeat(`{"text":"a","state":"pending"},`, 500)+`{"text":"a","state":"pending"}]}`), 0},
	{"force, which is the operator's", tooled("CompleteWorkItem", `{"work_item_id":"wi-x","force":true}`), 0},
	{"include_plan, which is gone", tooled("GetWorkItem", `{"work_item_id":"wi-x","include_plan":true}`), 0},
	{"a filter outside the eight", tooled("ListWorkItems", `{"filter":"mine"}`), 0},
	{"a cursor that no list gave", tooled("ListWorkItems", `{"cursor":"AAAA"}`), 0},
	{"an id that is a path", tooled("PickWorkItem", `{"work_item_id":"../../etc/passwd"}`), 0},
	{"an empty blocker", tooled("UpdateWorkItem", `{"work_item_id":"wi-x","blocked_by":""}`), 0},
	{"an agent's name that is a path", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"CreateWorkItem","arguments":{"objective":"x"},"_meta":{"vise/agent":"../x"}}}`, 0},
}

// ignored are lines without an answer.
var ignored = []string{
	"", "   ", "\xEF\xBB\xBF",
	`{"jsonrpc":"2.0","method":"notifications/unheard_of"}`,
	`{"jsonrpc":"2.0","id":99,"result":{}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}`,
}

func tooled(tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
}

func TestHostileLinesNeitherEndNorChangeAnything(t *testing.T) {
	c := serve(t, "", nil)
	c.send(tooled("ListWorkItems", `{}`))
	if a := c.read(); a.Error == nil || a.Error.Code != -32600 {
		t.Errorf("a call before initialize: error %+v", a.Error)
	}
	c.initialize()
	c.create("what is there must stay")
	before := c.revision()
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			c.t = t
			c.send(h.line)
			a := c.read()
			switch {
			case h.code != 0 && (a.Error == nil || a.Error.Code != h.code):
				t.Errorf("got error %+v and result %.200s, want code %d", a.Error, a.Result, h.code)
			case h.code == 0 && a.Error != nil:
				t.Errorf("got error %+v, want a refusal of the tool", a.Error)
			case h.code == 0 && refusalOf(t, a) == "":
				t.Errorf("not refused: %.300s", a.Result)
			}
			c.alive()
			if got := c.revision(); got != before {
				t.Errorf("the ledger went from revision %d to %d", before, got)
			}
		})
	}
	c.t = t
	for _, line := range ignored {
		c.send(line)
		c.alive()
	}
	if len(hostile) < 39 {
		t.Errorf("only %d cases", len(hostile))
	}
}

// alive expects an answer to a ping, and none to anything before it.
func (c *client) alive() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	if a := c.read(); string(a.ID) != `"alive"` {
		c.t.Fatalf("after it the server says %s %.200s", a.ID, a.Result)
	}
}

func TestLineWithABOMIsRead(t *testing.T) {
	c := serve(t, "ann", nil)
	c.send("\xEF\xBB\xBF" + `{"jsonrpc":"2.0","id":"bom","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\r")
	if a := c.read(); a.Error != nil || string(a.ID) != `"bom"` {
		t.Errorf("got %+v", a)
	}
}

func TestAnswersComeAlthoughTheInputEnds(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	for i := range 20 {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"CreateWorkItem","arguments":{"objective":"o%d"}}}`, i, i))
	}
	c.in.Close()
	for range 20 {
		if a := c.read(); a.Error != nil {
			t.Errorf("got %+v", a.Error)
		}
	}
}

// A client can send everything before it reads the first answer.
func TestCallsAreReadThoughNobodyReadsAnswers(t *testing.T) {
	c := serve(t, "ann", nil)
	c.initialize()
	const calls = 300
	for i := range calls {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	for range calls {
		if a := c.read(); a.Error != nil {
			t.Errorf("got %+v", a.Error)
		}
	}
}
