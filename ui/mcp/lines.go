package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
)

const (
	// maxLine bounds one message in bytes. The longest valid input of a tool is a tenth of it.
	maxLine = 1 << 20
	// maxRead bounds how much of a longer message is read to find its id.
	maxRead = 16 << 20
	// maxDepth bounds the nesting of a message.
	maxDepth = 64
	// drainLimit is how long to wait for running calls after the input has ended.
	drainLimit = 10 * time.Second
	// drainCheck is how often to check whether a call is still running.
	drainCheck = 5 * time.Millisecond
)

// lines is a transport over lines. A line that is not a valid message is answered with a JSON-RPC error, and reading continues. The library
// gets the valid ones: its own transport ends the process at the first bad line.
type lines struct {
	in *bufio.Reader
	// rest is what the library has not read yet of a message.
	rest []byte

	writing sync.Mutex // guards out
	out     io.Writer

	// running counts the calls without an answer.
	running atomic.Int64
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Connect is part of sdk.Transport.
func (l *lines) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := (&sdk.IOTransport{Reader: l, Writer: l}).Connect(ctx)
	return connection{c, l}, err
}

// Read gives the library valid messages. At the end it waits for running calls so that their answers are not lost.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if err := l.next(); err != nil {
			for limit := time.Now().Add(drainLimit); l.running.Load() > 0 && time.Now().Before(limit); {
				time.Sleep(drainCheck)
			}
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line. It answers an invalid one with an error.
func (l *lines) next() error {
	line, err := l.line()
	if err != nil && len(line) == 0 {
		return err
	}
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")))
	if len(line) == 0 {
		return nil
	}
	message, refusal := messageOf(line)
	if refusal != nil {
		return json.NewEncoder(l).Encode(refusal)
	}
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
		l.running.Add(1)
	}
	if message != nil {
		l.rest = append(line, '\n')
	}
	return nil
}

// line reads up to a line break. Of a line longer than maxRead it drops the rest.
func (l *lines) line() (out []byte, err error) {
	for {
		part, isPart, err := l.in.ReadLine()
		out = append(out, part[:min(len(part), maxRead-len(out))]...)
		if err != nil || !isPart {
			return out, err
		}
	}
}

// refusal is the JSON-RPC error for a line that is no message.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   jsonrpc.Error   `json:"error"`
}

// messageOf checks a line and decodes it. It drops answers, because the server asks nothing.
func messageOf(line []byte) (jsonrpc.Message, *refusal) {
	var head map[string]json.RawMessage
	isObject := json.Unmarshal(line, &head) == nil && line[0] == '{'
	id, isID := usableID(head["id"])
	_, asks := head["method"]
	refused := func(code int64, why string) (jsonrpc.Message, *refusal) {
		return nil, &refusal{"2.0", id, jsonrpc.Error{Code: code, Message: why}}
	}
	invalid := func(why string) (jsonrpc.Message, *refusal) { return refused(jsonrpc.CodeInvalidRequest, why) }
	switch {
	case len(line) > maxLine:
		return refused(jsonrpc.CodeParseError, fmt.Sprintf("a message has at most %d bytes", maxLine))
	case !utf8.Valid(line) || !json.Valid(line):
		id = nil
		return refused(jsonrpc.CodeParseError, "not JSON")
	case line[0] == '[':
		return invalid("batches are not taken: send one message a line")
	case !isObject:
		return invalid("not an object")
	case !isID:
		return invalid("an id is a string or a whole number")
	case string(head["jsonrpc"]) != `"2.0"`:
		return invalid(`jsonrpc must be "2.0"`)
	}
	why := model.Unclear(line, maxDepth)
	switch {
	case why != "":
		return invalid(why)
	case !asks && (head["result"] != nil || head["error"] != nil):
		return nil, nil
	case !asks:
		return invalid("method is missing")
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return invalid("not a JSON-RPC message")
	}
	return message, nil
}

// usableID returns an id that can be answered. A message without an id is a notification.
func usableID(raw json.RawMessage) (json.RawMessage, bool) {
	if raw == nil {
		return nil, true
	}
	var text string
	var number int64
	isText := json.Unmarshal(raw, &text) == nil && raw[0] == '"' && len(raw) <= 256
	if isText || raw[0] != 'n' && json.Unmarshal(raw, &number) == nil {
		return raw, true
	}
	return nil, false
}

// Write writes one line. The reader of the input never waits for it: a client may send all its calls before it reads an answer.
func (l *lines) Write(line []byte) (int, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.out.Write(line)
}

// Close does nothing: input and output are the process's.
func (l *lines) Close() error { return nil }

// connection is the library's connection over lines.
type connection struct {
	sdk.Connection
	lines *lines
}

// Write is part of sdk.Connection.
func (c connection) Write(ctx context.Context, m jsonrpc.Message) error {
	x, isAnswer := m.(*jsonrpc.Response)
	if wire := (*jsonrpc.Error)(nil); isAnswer && x.Error != nil && !errors.As(x.Error, &wire) { // of the library, which gives it no code
		x.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: x.Error.Error()}
	}
	err := c.Connection.Write(ctx, m)
	if isAnswer {
		c.lines.running.Add(-1)
	}
	return err
}
