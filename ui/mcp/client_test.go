package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"vise/model"
	"vise/store"
	"vise/store/home"
	"vise/ui/mcp"
)

// client talks to a server line by line, as any program can.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	ledger *store.Ledger
	dir    string
	n      int
	ended  chan error
}

// serve starts a server on a new home, for agent ann unless env says otherwise.
func serve(t *testing.T, pin string, env map[string]string, tune ...func(*mcp.Options)) *client {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	h, _, err := home.OpenOrCreate(dir, home.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	c := &client{t: t, in: inWrite, out: bufio.NewReaderSize(outRead, 4<<20), ledger: h.Ledger, dir: dir, ended: make(chan error, 1)}
	o := mcp.Options{
		Open:  func() (*home.Home, error) { return h, nil },
		Agent: pin, Getenv: func(k string) string { return env[k] }, In: inRead, Out: outWrite, Version: "test",
	}
	for _, f := range tune {
		f(&o)
	}
	go func() {
		err := mcp.Serve(context.Background(), o)
		outWrite.Close()
		inRead.Close() // nobody reads it any more, as after a process's end
		c.ended <- err
	}()
	t.Cleanup(func() {
		inWrite.Close()
		outRead.Close() // a failed test leaves unread answers
		<-c.ended
	})
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("the server does not read any more: %v", err)
	}
}

// answer is one message of the server.
type answer struct {
	ID     json.RawMessage     `json:"id"`
	Error  *struct{ Code int } `json:"error"`
	Result json.RawMessage     `json:"result"`
}

func (c *client) read() answer {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	var a answer
	if err != nil || json.Unmarshal(line, &a) != nil {
		c.t.Fatalf("no JSON-RPC from the server: %q %v", line, err)
	}
	return a
}

func (c *client) initialize() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	c.read()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// result is a tool's answer.
type result struct {
	IsError    bool            `json:"isError"`
	Structured json.RawMessage `json:"structuredContent"`
	Content    []struct{ Text string }
}

// call calls a tool; a JSON-RPC error fails the test.
func (c *client) call(tool, args string) result {
	c.t.Helper()
	return c.callWith(tool, args, "")
}

func (c *client) callWith(tool, args, meta string) result {
	c.t.Helper()
	c.n++
	if meta != "" {
		meta = `,"_meta":` + meta
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, c.n, tool, args, meta))
	a := c.read()
	var r result
	if a.Error != nil || json.Unmarshal(a.Result, &r) != nil {
		c.t.Fatalf("%s: error %+v", tool, a.Error)
	}
	var said any
	if schema := answers()[tool]; schema != nil && !r.IsError {
		err := json.Unmarshal(r.Structured, &said)
		if err == nil {
			err = schema.Validate(said)
		}
		if err != nil {
			c.t.Errorf("%s answers against its schema: %v", tool, err)
		}
	}
	return r
}

// answers are the schemas of the tools' answers.
var answers = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	raw, err := os.ReadFile("tools.json")
	var list []struct {
		Name   string             `json:"name"`
		Answer *jsonschema.Schema `json:"outputSchema"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	out := map[string]*jsonschema.Resolved{}
	for _, t := range list {
		if err == nil {
			out[t.Name], err = t.Answer.Resolve(nil)
		}
	}
	if err != nil {
		panic(err)
	}
	return out
})

// code returns the code of a refusal, or nothing.
func (r result) code() model.Code {
	var x struct{ Error model.Error }
	if !r.IsError || json.Unmarshal(r.Structured, &x) != nil {
		return ""
	}
	return x.Error.Code
}

// item returns the view in an answer.
func (r result) item(t *testing.T) model.View {
	t.Helper()
	var x struct {
		Item    model.View `json:"work_item"`
		Current model.View `json:"current_work_item"`
	}
	if err := json.Unmarshal(r.Structured, &x); err != nil || r.IsError {
		t.Fatalf("no item: %v in %s", err, r.Structured)
	}
	if x.Item.ID == "" {
		return x.Current
	}
	return x.Item
}

func (c *client) revision() uint64 {
	c.t.Helper()
	var n uint64
	if err := c.ledger.View(context.Background(), func(r model.Reader) error { n = r.Revision(); return nil }); err != nil {
		c.t.Fatal(err)
	}
	return n
}

func (c *client) create(objective string) model.View {
	c.t.Helper()
	raw, _ := json.Marshal(map[string]string{"objective": objective})
	return c.call("CreateWorkItem", string(raw)).item(c.t)
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }
