package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/store/home"
)

// call is one call of a tool of its server.
type call struct {
	*server
	tool  tool
	agent model.AgentID
	key   string
	input json.RawMessage
	// queued is how many queued messages fit the answer; show sets it.
	queued int
	// reminders are advice about the item in the answer.
	reminders []model.Advice
	// unreported means that it completed an item without a report, which nothing will bring.
	unreported bool
}

// remind adds the advice about an open item to the answer, if the item belongs to the agent.
func (c *call) remind(r model.Reader, id model.ItemID) {
	if w, ok := r.Item(id); ok && w.AgentID == c.agent {
		c.reminders = model.Advise(r, w, time.Now())
	}
}

// handler carries out a tool. A refusal is also an answer: it says what to do.
func (s *server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c, out, err := s.call(ctx, t, r)
		if err != nil {
			return refused(t, err), nil
		}
		return c.answered(out, c.messages(ctx))
	}
}

func (s *server) call(ctx context.Context, t tool, r *sdk.CallToolRequest) (*call, any, error) {
	c := &call{server: s, tool: t, input: r.Params.Arguments}
	if len(c.input) == 0 {
		c.input = json.RawMessage("{}")
	}
	err := t.fields(c.input)
	if err == nil {
		_, c.agent, err = s.openFor(r.Params.Meta)
	}
	if err != nil {
		return nil, nil, err
	}
	if c.key, err = keyOf(c.agent, t.Name, r.Params.Meta); err != nil {
		return nil, nil, err
	}
	if c.resumed(ctx) && t.proves {
		_ = c.handed(ctx, model.SeeMessages{AgentID: c.agent}) // if it fails, the next call does it
	}
	out, err := t.run(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	return c, out, nil
}

// resumed reports whether the caller's session goes on. In its first call, the messages wait again that an earlier session got and did not
// prove to have read; that session can have been killed. An agent with hooks gets them from the hook of its session's start.
func (c *call) resumed(ctx context.Context) bool {
	if !c.wordless(c.agent) {
		return true
	}
	c.resuming.Lock()
	defer c.resuming.Unlock()
	if c.known[c.agent] {
		return true
	}
	if c.handed(ctx, model.SeeMessages{AgentID: c.agent, Lost: true}) == nil {
		if c.known == nil {
			c.known = map[model.AgentID]bool{}
		}
		c.known[c.agent] = true
	}
	return false
}

// handed records what became of the messages that the agent got before this call.
func (c *call) handed(ctx context.Context, now model.SeeMessages) error {
	some := false
	err := c.home.View(ctx, func(r model.Reader) error {
		a, _ := r.Agent(c.agent)
		some = len(a.Handed) > 0
		return nil
	})
	if err == nil && some {
		_, err = c.home.Apply(ctx, c.envelope("-seen", now))
	}
	return err
}

// The keys in a call's _meta that belong to vise.
const (
	metaAgent = "vise/agent"
	metaKey   = "vise/idempotency_key"
	metaUse   = "claudecode/toolUseId"
)

// programs are the environment variables that identify an agent's program to its servers.
var programs = []struct{ variable, agent string }{
	{"CLAUDECODE", "claude"}, {"CLAUDE_CODE_SESSION_ID", "claude"}, {"CODEX_THREAD_ID", "codex"},
	{"OPENCODE_SESSION_ID", "opencode"}, {"OPENCODE", "opencode"}, {"CRUSH", "crush"},
}

// caller returns the calling agent. A server that was started for one agent serves only that agent: the one in the environment, else the
// one in its settings. Any other server serves the agent that _meta names, else the environment.
func (s *server) caller(meta sdk.Meta) (model.AgentID, error) {
	named, isText := meta[metaAgent].(string)
	if meta[metaAgent] != nil && !isText {
		return "", model.Invalid("_meta %s is no text", metaAgent).At("_meta", "it is the name of an agent")
	}
	agent := s.Getenv("VISE_AGENT")
	if s.Agent != "" {
		agent = cmp.Or(agent, s.Agent)
		if named != "" && named != agent {
			return "", model.Refuse(model.CodeNotOwner, "this server acts for agent %s alone", model.Text(agent)).At("_meta")
		}
	}
	agent = cmp.Or(named, agent)
	for _, p := range programs {
		if agent == "" && s.Getenv(p.variable) != "" {
			agent = p.agent
		}
	}
	agent = cmp.Or(agent, "default")
	if !model.ValidID(agent) {
		field := "_meta"
		if named == "" {
			field = "agent" // as --agent or VISE_AGENT names it
		}
		return "", model.Invalid("agent %q is not usable", short(agent)).At(field,
			"a name is 1 to 64 of a-z, 0-9, - and _; start the server with --agent NAME")
	}
	return model.AgentID(agent), nil
}

// keyOf returns the call's idempotency key: the client's key for a call that it may repeat, else a new one. A key that vise gave in an
// earlier answer is used unchanged.
func keyOf(agent model.AgentID, tool string, meta sdk.Meta) (string, error) {
	if given, ok := meta[metaKey].(string); meta[metaKey] != nil && (!ok || given == "") {
		return "", model.Invalid("_meta %s is no text, or empty", metaKey).At("_meta",
			"a key is text that the client makes for one call, and sends again when it repeats that call")
	}
	for _, name := range []string{metaKey, metaUse} {
		if given, ok := meta[name].(string); ok && given != "" {
			if name == metaKey && strings.HasPrefix(given, ownKeys) {
				return given, nil
			}
			return ownKeys + model.Hash(string(agent), tool, name, given)[:32], nil
		}
	}
	return ownKeys + home.NewKey(), nil
}

// ownKeys is the prefix of the keys that are made here.
const ownKeys = "mcp-"

// envelope wraps a command of this call. suffix distinguishes commands that are not the tool's own.
func (c *call) envelope(suffix string, cmd model.Command) model.Envelope {
	return model.Envelope{Key: c.key + suffix, Actor: model.AgentActor(c.agent), Agent: c.agent, Command: cmd}
}

// act is a tool that sends the command in its input. of makes the answer.
func act[C model.Command, R any](of func(*call, model.Reader, C, model.Receipt) R) func(context.Context, *call) (any, error) {
	return func(ctx context.Context, c *call) (any, error) {
		var cmd C
		if err := query(c, &cmd); err != nil {
			return nil, err
		}
		item := reflect.ValueOf(&cmd).Elem().FieldByName("WorkItemID") // an id or a handle; CreateWorkItem has none
		if item.IsValid() && item.String() != "" && !isWhole(item.String()) {
			whole, err := c.home.Resolve(ctx, item.String())
			if err != nil {
				return nil, err
			}
			item.SetString(string(whole))
		}
		out, _, err := home.Answer(ctx, c.home, c.envelope("", cmd), home.Ending{}, func(r model.Reader, in model.Receipt) R {
			c.queued = fitting(c.unheld(r.QueuedMessages(c.agent, peeked)))
			c.remind(r, in.WorkItemID)
			return of(c, r, cmd, in)
		})
		return &out, err
	}
}

// actOf is act with an answer that is made of the receipt alone.
func actOf[C model.Command, R any](of func(model.Reader, model.Receipt) R) func(context.Context, *call) (any, error) {
	return act(func(_ *call, r model.Reader, _ C, in model.Receipt) R { return of(r, in) })
}

// isWhole recognises a full id as vise makes them. It needs no resolving; the command itself fails if there is no such item.
func isWhole(id string) bool {
	ulid, ok := strings.CutPrefix(id, "wi-")
	return ok && len(ulid) == 26 && model.ValidID(id)
}

// show reads the content of the answer and, in the same view, how many messages fit into the answer. One view is cheaper than two, because
// each waits for other users of the ledger.
func (c *call) show(ctx context.Context, fn func(model.Reader) error) error {
	return c.home.View(ctx, func(r model.Reader) error {
		c.queued = fitting(c.unheld(r.QueuedMessages(c.agent, peeked)))
		return fn(r)
	})
}

// The tools that change something.
var (
	create     = actOf[model.CreateWorkItem](home.ItemResultOf)
	update     = actOf[model.UpdateWorkItem](home.ItemResultOf)
	completing = act(func(c *call, r model.Reader, _ model.CompleteWorkItem, in model.Receipt) home.CompletionResult {
		out := home.CompletionResultOf(r, in)
		a, _ := r.Agent(c.agent) // neither a hook nor a driver brings its text
		c.unreported = c.wordless(c.agent) && out.CompletedTransition && out.WorkItem.Report == nil && a.Turn == nil
		return out
	})
	pick = act(func(c *call, r model.Reader, _ model.PickWorkItem, in model.Receipt) home.PickResult {
		c.picked.Store(c.agent, in.WorkItemID)
		return home.PickResultOf(r, in)
	})
	wait = act(func(_ *call, r model.Reader, x model.WaitFor, in model.Receipt) home.WaitResult {
		return home.WaitResultOf(r, x.Wake, in)
	})
)
