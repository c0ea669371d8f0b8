// Package acp runs agents' programs over the Agent Client Protocol (JSON-RPC 2.0 on standard input and output; agentclientprotocol.com,
// version 1). It has no part in what is decided: it carries prompts to a program, and the program's words, calls and questions back, in
// the order in which the program sent them.
//
// What it promises:
//
//   - One order. Updates, permission requests and answers reach the Listener in the order of the program's lines, one at a time. The SDK
//     handles requests in goroutines of their own, and closes the connection if 1,024 notifications wait; gate.go keeps order and holds
//     the program back before that.
//   - Nothing is lost at the end. An answer and the updates before it are handled even if the program exits right after them.
//   - Bounds. A line over 10 MiB ends the session; lines that are no JSON are counted and skipped; unknown updates are ignored.
//
// Reading order: client.go (a connection), gate.go (its lines), program.go (the programs that were tried, and how they differ), calls.go
// (a tool call as its updates tell it), replies.go (which words belong to which completion), usage.go (tokens and cost), log.go (the file
// that keeps what a session said).
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

// Listener gets what a program sends. Its methods are called one at a time, in the order of the program's lines.
type Listener interface {
	// Update must return soon: the program is held back while it runs.
	Update(acp.SessionUpdate)
	// Ask gets a request for a permission. The answer, an option's id or "" for cancelled, is sent when the returned function returns. That
	// function runs beside all others, and its ctx ends with the request.
	Ask(acp.RequestPermissionRequest) func(ctx context.Context) acp.PermissionOptionId
	// Question gets a form to fill in, in the same way. Nil content declines.
	Question(acp.UnstableCreateElicitationForm) func(ctx context.Context) map[string]any
}

// Client is the connection to one program.
type Client struct {
	conn     *acp.Connection
	lines    *gate
	listener Listener
	can      acp.AgentCapabilities

	session atomic.Value // its id, an acp.SessionId
}

// answerTime is how long a program may take to answer anything but a prompt (npx downloads at the first start).
const answerTime = 60 * time.Second

// Connect greets a program.
func Connect(ctx context.Context, to io.Writer, from io.Reader, l Listener) (*Client, error) {
	c := &Client{listener: l, lines: newGate(from)}
	c.conn = acp.NewConnection(c.handle, to, c.lines)
	c.conn.SetLogger(slog.New(slog.DiscardHandler)) // the gate counts what is wrong
	in, err := call[acp.InitializeResponse](ctx, c, acp.AgentMethodInitialize, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber,
		ClientInfo:      &acp.Implementation{Name: "vise", Version: "1"},
		ClientCapabilities: acp.ClientCapabilities{
			Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}},
	})
	if err != nil {
		return nil, err
	}
	if in.ProtocolVersion != acp.ProtocolVersionNumber {
		return nil, fmt.Errorf("the program speaks version %d of the Agent Client Protocol, vise speaks %d",
			in.ProtocolVersion, acp.ProtocolVersionNumber)
	}
	c.can = in.AgentCapabilities
	return c, nil
}

// call sends a request other than a prompt and waits for its answer.
func call[T any](ctx context.Context, c *Client, method string, params any) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, fmt.Errorf("no answer to %s within %s", method, answerTime))
	defer cancel()
	out, err := acp.SendRequest[T](c.conn, ctx, method, params)
	c.lines.answered()
	return out, c.explain(err)
}

// explain adds why the connection ended, if it did. It shortens the SDK's words, which are JSON.
func (c *Client) explain(err error) error {
	if why := c.lines.failed(); err != nil && why != nil {
		return why
	}
	var e *acp.RequestError
	if !errors.As(err, &e) {
		return err
	}
	said := e.Message
	if data, ok := e.Data.(map[string]any); ok {
		for _, name := range []string{"details", "error", "message"} {
			if more, ok := data[name].(string); ok && more != "" && !strings.Contains(said, more) {
				said += ": " + more
			}
		}
	}
	if e.Code == needsLogin {
		return fmt.Errorf("%w: %s", ErrLogin, said)
	}
	return errors.New(said)
}

// needsLogin is the protocol's code for auth_required.
const needsLogin = -32000

// ErrLogin says that a program wants its user to log in first.
var ErrLogin = errors.New("the program wants a login")

// Session goes on with the session id, or begins one: resume where the program can, else load, else new. Servers are the MCP servers of
// the session. loaded means that the program may repeat the old session; why says why an old session could not be continued.
func (c *Client) Session(ctx context.Context, dir, id string, servers []acp.McpServer) (session string, loaded bool, why error) {
	old := acp.SessionId(id)
	switch {
	case id == "":
	case c.can.SessionCapabilities.Resume != nil:
		_, why = call[acp.ResumeSessionResponse](ctx, c, acp.AgentMethodSessionResume,
			acp.ResumeSessionRequest{SessionId: old, Cwd: dir, McpServers: servers})
	case c.can.LoadSession:
		_, why = call[acp.LoadSessionResponse](ctx, c, acp.AgentMethodSessionLoad,
			acp.LoadSessionRequest{SessionId: old, Cwd: dir, McpServers: servers})
		loaded = true
	default:
		why = errors.New("the program cannot go on with a session")
	}
	if id != "" && why == nil {
		c.session.Store(old)
		return id, loaded, nil
	}
	in, err := call[acp.NewSessionResponse](ctx, c, acp.AgentMethodSessionNew, acp.NewSessionRequest{Cwd: dir, McpServers: servers})
	if err != nil {
		return "", false, err
	}
	c.session.Store(in.SessionId)
	return string(in.SessionId), false, why
}

func (c *Client) id() acp.SessionId {
	id, _ := c.session.Load().(acp.SessionId)
	return id
}

// SetMode switches the session to a mode. A program that has no such mode stays in its own.
func (c *Client) SetMode(ctx context.Context, mode string) error {
	_, err := call[acp.SetSessionModeResponse](ctx, c, acp.AgentMethodSessionSetMode,
		acp.SetSessionModeRequest{SessionId: c.id(), ModeId: acp.SessionModeId(mode)})
	return err
}

// Prompt sends words and returns when the program's turn for them is over. A ctx that ends loses the answer: use Cancel, and wait.
func (c *Client) Prompt(ctx context.Context, words string) (acp.PromptResponse, error) {
	out, err := acp.SendRequest[acp.PromptResponse](c.conn, ctx, acp.AgentMethodSessionPrompt,
		acp.PromptRequest{SessionId: c.id(), Prompt: []acp.ContentBlock{acp.TextBlock(words)}})
	c.lines.answered()
	return out, c.explain(err)
}

// Cancel asks the program to end its turn now.
func (c *Client) Cancel(ctx context.Context) {
	_ = c.conn.SendNotification(ctx, acp.AgentMethodSessionCancel, acp.CancelNotification{SessionId: c.id()}) // the program may be gone
}

// Done is closed when the program says nothing more.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// handle gets notifications and requests from the SDK.
func (c *Client) handle(ctx context.Context, method string, params json.RawMessage) (any, *acp.RequestError) {
	switch method {
	case acp.ClientMethodSessionUpdate:
		defer c.lines.handled()
		var n acp.SessionNotification
		if json.Unmarshal(params, &n) == nil && c.isOurs(n.SessionId) {
			c.listener.Update(n.Update)
		}
		return nil, nil
	case acp.ClientMethodSessionRequestPermission:
		return c.ask(ctx, params)
	case acp.ClientMethodElicitationCreate:
		return c.question(ctx, params)
	}
	c.lines.handled()
	return nil, acp.NewMethodNotFound(method)
}

// isOurs reports whether an update belongs to the session, or comes before its id is known. A subagent's session is another one.
func (c *Client) isOurs(id acp.SessionId) bool {
	own := c.id()
	return own == "" || id == own
}

func (c *Client) ask(ctx context.Context, params json.RawMessage) (any, *acp.RequestError) {
	var r acp.RequestPermissionRequest
	if err := json.Unmarshal(params, &r); err != nil {
		c.lines.handled()
		return nil, acp.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	answer := c.listener.Ask(r)
	c.lines.handled()
	id := answer(ctx)
	if !slices.ContainsFunc(r.Options, func(o acp.PermissionOption) bool { return o.OptionId == id }) {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(id)}, nil
}

func (c *Client) question(ctx context.Context, params json.RawMessage) (any, *acp.RequestError) {
	var r acp.UnstableCreateElicitationRequest
	if err := json.Unmarshal(params, &r); err != nil || r.Form == nil {
		c.lines.handled()
		return nil, acp.NewInvalidParams(map[string]any{"error": "vise takes forms only"})
	}
	answer := c.listener.Question(*r.Form)
	c.lines.handled()
	if content := answer(ctx); content != nil {
		return acp.UnstableCreateElicitationResponse{Accept: &acp.UnstableCreateElicitationAccept{Action: "accept", Content: content}}, nil
	}
	return acp.UnstableCreateElicitationResponse{Decline: &acp.UnstableCreateElicitationDecline{Action: "decline"}}, nil
}
