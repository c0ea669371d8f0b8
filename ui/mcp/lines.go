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

// lines is a transport over lines. A line that is not a valid message is answered with a JSON-RPC error, and reading continues. (The
// library's own transport ends the process at the first bad line.)
type lines struct {
	in *bufio.Reader

	writing sync.Mutex // guards out
	out     io.Writer

	// running counts the calls without an answer.
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

// run reads until the input or the connection ends. It outlives Close only while a read of standard input blocks, which cannot be
// interrupted.
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

// drain waits for running calls so that their answers are not lost.
func (l *lines) drain() {
	for limit := time.Now().Add(drainLimit); l.running.Load() > 0 && time.Now().Before(limit); {
		select {
		case <-time.After(drainCheck):
		case <-l.closed:
			return
		}
	}
}

// next returns the next message. It answers invalid lines before it with errors.
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

// refusal says why a line is not a message.
type refusal struct {
	code int
	why  string
	id   json.RawMessage
}

// messageOf checks a line and decodes it. It drops answers, because the server asks nothing.
func messageOf(line []byte) (jsonrpc.Message, *refusal) {
	var head map[string]json.RawMessage
	if len(line) > maxLine {
		_ = json.Unmarshal(line, &head) // its answer needs the id alone
		id, ok := usableID(head["id"])
		if !ok {
			id = nil
		}
		return nil, &refusal{jsonrpc.CodeParseError, fmt.Sprintf("a message has at most %d bytes", maxLine), id}
	}
	if !utf8.Valid(line) || !json.Valid(line) {
		return nil, &refusal{jsonrpc.CodeParseError, "not JSON", nil}
	}
	if line[0] == '[' {
		return nil, &refusal{jsonrpc.CodeInvalidRequest, "batches are not taken: send one message a line", nil}
	}
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
	if why := model.Unclear(line, maxDepth); why != "" {
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

// usableID returns an id that can be answered. A message without an id is a notification.
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

func (l *lines) refuse(r *refusal) error { return l.put(append(r.answer(), '\n')) }

// answer returns the JSON-RPC error with the reason.
func (r *refusal) answer() []byte {
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	raw, _ := json.Marshal(struct { // the id was already parsed as JSON
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
	if x, ok := m.(*jsonrpc.Response); ok {
		if wire := (*jsonrpc.Error)(nil); x.Error != nil && !errors.As(x.Error, &wire) { // of the library, which gives it no code
			x.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: x.Error.Error()}
		}
	}
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

// put writes one line. The reader of the input never waits for it: a client may send all its calls before it reads an answer.
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
