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
)

const (
	// maxLine bounds one message; the longest that a tool takes has a tenth of it.
	maxLine = 1 << 20
	// maxDepth bounds how deep a message nests.
	maxDepth = 64
	// drainLimit is how long calls that run are awaited after the input has ended.
	drainLimit = 10 * time.Second
	// drainCheck is how often it is looked whether any still runs.
	drainCheck = 5 * time.Millisecond
)

// lines is a transport over lines that no line can end: what is no message is answered with
// a JSON-RPC error, and reading goes on. (The library's own ends the process on the first
// bad line.)
type lines struct {
	in *bufio.Reader

	writing sync.Mutex // guards out
	out     io.Writer

	// running counts the calls that have no answer yet.
	running atomic.Int64

	read   chan read
	closed chan struct{}
	once   sync.Once
}

type read struct {
	message jsonrpc.Message
	err     error
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), out: out, read: make(chan read), closed: make(chan struct{})}
}

// Connect is part of sdk.Transport.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go l.run()
	return l, nil
}

// run reads until the input or the connection ends. It outlives Close only while a read of
// standard input blocks, which nothing can end.
func (l *lines) run() {
	for {
		message, err := l.next()
		if errors.Is(err, io.EOF) {
			l.drain()
		}
		if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
			l.running.Add(1)
		}
		select {
		case l.read <- read{message, err}:
		case <-l.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// drain waits for the calls that still run, so that their answers are not lost.
func (l *lines) drain() {
	for limit := time.Now().Add(drainLimit); l.running.Load() > 0 && time.Now().Before(limit); {
		select {
		case <-time.After(drainCheck):
		case <-l.closed:
			return
		}
	}
}

// next is the next message; lines that are none were answered on the way.
func (l *lines) next() (jsonrpc.Message, error) {
	for {
		line, err := l.line()
		if err != nil && len(line) == 0 {
			return nil, err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")))
		if len(line) == 0 {
			continue
		}
		message, refusal := messageOf(line)
		if refusal != nil {
			if err := l.refuse(refusal); err != nil {
				return nil, err
			}
			continue
		}
		if message != nil {
			return message, nil
		}
	}
}

// line reads up to a line break. What is longer than maxLine is skipped, and stands as a
// line that is no JSON.
func (l *lines) line() (out []byte, err error) {
	isLong := false
	for {
		part, isPart, err := l.in.ReadLine()
		if isLong = isLong || len(out)+len(part) > maxLine; !isLong {
			out = append(out, part...)
		}
		switch {
		case err == nil && isPart:
		case isLong:
			return []byte(tooLong), nil
		default:
			return out, err
		}
	}
}

// tooLong stands for a line that is longer than maxLine.
const tooLong = "too long"

// refusal is why a line is no message.
type refusal struct {
	code int
	why  string
	id   json.RawMessage
}

// messageOf checks a line and reads it. Answers are dropped: nothing is ever asked.
func messageOf(line []byte) (jsonrpc.Message, *refusal) {
	if string(line) == tooLong {
		return nil, &refusal{jsonrpc.CodeParseError, fmt.Sprintf("a message has at most %d bytes", maxLine), nil}
	}
	if !utf8.Valid(line) || !json.Valid(line) {
		return nil, &refusal{jsonrpc.CodeParseError, "not JSON", nil}
	}
	if line[0] == '[' {
		return nil, &refusal{jsonrpc.CodeInvalidRequest, "batches are not taken: send one message a line", nil}
	}
	var head map[string]json.RawMessage
	if line[0] != '{' || json.Unmarshal(line, &head) != nil {
		return nil, &refusal{jsonrpc.CodeInvalidRequest, "not an object", nil}
	}
	id, ok := usableID(head["id"])
	switch {
	case !ok:
		return nil, &refusal{jsonrpc.CodeInvalidRequest, "an id is a string or a whole number", nil}
	case string(head["jsonrpc"]) != `"2.0"`:
		return nil, &refusal{jsonrpc.CodeInvalidRequest, `jsonrpc must be "2.0"`, id}
	}
	if why := unclear(line); why != "" {
		return nil, &refusal{jsonrpc.CodeInvalidRequest, why, id}
	}
	if _, asks := head["method"]; !asks {
		if head["result"] != nil || head["error"] != nil {
			return nil, nil
		}
		return nil, &refusal{jsonrpc.CodeInvalidRequest, "method is missing", id}
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, &refusal{jsonrpc.CodeInvalidRequest, "not a JSON-RPC message", id}
	}
	return message, nil
}

// usableID takes an id that can be answered; absence means a notification.
func usableID(raw json.RawMessage) (json.RawMessage, bool) {
	if raw == nil {
		return nil, true
	}
	var text string
	var number int64
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' && len(raw) <= 256 {
		return raw, true
	}
	return raw, raw[0] != 'n' && json.Unmarshal(raw, &number) == nil
}

// unclear says why a message could be read in two ways: it names a key twice, or nests so
// deep that readers differ.
func unclear(line []byte) string {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	return unclearValue(d, 0)
}

// unclearValue is unclear for the next value of what is JSON.
func unclearValue(d *json.Decoder, depth int) string {
	begin, _ := d.Token()
	if _, nests := begin.(json.Delim); !nests {
		return ""
	}
	if depth == maxDepth {
		return fmt.Sprintf("a message nests at most %d deep", maxDepth)
	}
	keys := map[json.Token]bool{}
	for d.More() {
		if begin == json.Delim('{') {
			key, _ := d.Token()
			if keys[key] {
				return "a key is named twice"
			}
			keys[key] = true
		}
		if why := unclearValue(d, depth+1); why != "" {
			return why
		}
	}
	_, _ = d.Token() // the end
	return ""
}

func (l *lines) refuse(r *refusal) error { return l.put(append(r.answer(), '\n')) }

// answer is the JSON-RPC error that says why.
func (r *refusal) answer() []byte {
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	raw, _ := json.Marshal(struct { // its id was read as JSON
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", id, fault{r.code, r.why}})
	return raw
}

// Read is part of sdk.Connection.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case r := <-l.read:
		return r.message, r.err
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write is part of sdk.Connection.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	err = l.put(append(raw, '\n'))
	if _, answer := m.(*jsonrpc.Response); answer {
		l.running.Add(-1)
	}
	return err
}

// put writes one line. Nobody who reads waits for it: a client may send all its calls before
// it reads an answer.
func (l *lines) put(line []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(line)
	return err
}

// Close is part of sdk.Connection.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID is part of sdk.Connection.
func (l *lines) SessionID() string { return "" }
