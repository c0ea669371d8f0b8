package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/store/home"
)

// call is one call of a tool.
type call struct {
	tool  tool
	agent model.AgentID
	key   string
	input json.RawMessage
	home  *home.Home
	// queued is how many messages fit the answer, as of show.
	queued int
	// reminders are advice on the item that the answer shows.
	reminders []model.Advice
	// wordless: no hook brings what the agent says; unreported: it completed an item all the same.
	wordless, unreported bool

	// picked is the item that each agent picked here last.
	picked    *sync.Map
	started   *startedTasks
	startTask func(context.Context, TaskRequest) (model.TaskID, error)
}

// remind adds the advice on an open item of the agent's to the answer.
func (c *call) remind(r model.Reader, id model.ItemID) {
	if w, ok := r.Item(id); ok && w.AgentID == c.agent {
		c.reminders = model.Advise(r, w, time.Now())
	}
}

// handler carries out a tool. A refusal is an answer too: it says what to do.
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
	c := &call{tool: t, input: r.Params.Arguments, picked: &s.picked, started: &s.started, startTask: s.StartTask}
	if len(c.input) == 0 {
		c.input = json.RawMessage("{}")
	}
	err := t.fields(c.input)
	if err == nil {
		c.home, c.agent, err = s.openFor(r.Params.Meta)
	}
	if err != nil {
		return nil, nil, err
	}
	c.wordless = s.wordless(c.agent)
	c.key = keyOf(c.agent, t.Name, r.Params.Meta)
	if t.proves {
		c.seen(ctx)
	}
	out, err := t.run(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	return c, out, nil
}

// seen says that the agent has read what it was handed before this call. If that cannot be
// said now, the next call says it.
func (c *call) seen(ctx context.Context) {
	handed := false
	err := c.home.View(ctx, func(r model.Reader) error {
		a, _ := r.Agent(c.agent)
		handed = len(a.Handed) > 0
		return nil
	})
	if err == nil && handed {
		_, _ = c.home.Apply(ctx, c.envelope("-seen", model.SeeMessages{AgentID: c.agent}))
	}
}

// The keys of a call's _meta that are ours.
const (
	metaAgent = "vise/agent"
	metaKey   = "vise/idempotency_key"
	metaUse   = "claudecode/toolUseId"
)

// programs are the variables by which an agent's program is known to its servers.
var programs = []struct{ variable, agent string }{
	{"CLAUDECODE", "claude"}, {"CLAUDE_CODE_SESSION_ID", "claude"}, {"CODEX_THREAD_ID", "codex"},
	{"OPENCODE_SESSION_ID", "opencode"}, {"OPENCODE", "opencode"}, {"CRUSH", "crush"},
}

// caller is who calls. A server that was started for an agent serves nobody else: for the one that the
// environment names, else its settings. Another one serves whom _meta names, then the environment.
func (s *server) caller(meta sdk.Meta) (model.AgentID, error) {
	named, _ := meta[metaAgent].(string)
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
		return "", model.Refuse(model.CodeInvalid, "agent %q is not usable", short(agent)).At("_meta").
			WithHint("a name is 1 to 64 of a-z, 0-9, - and _; start the server with --agent NAME")
	}
	return model.AgentID(agent), nil
}

// keyOf is the call's idempotency key: what the client gives a call that it may repeat, else
// a new one. A key that an answer told of is taken as it is.
func keyOf(agent model.AgentID, tool string, meta sdk.Meta) string {
	for _, name := range []string{metaKey, metaUse} {
		if given, ok := meta[name].(string); ok && given != "" {
			if name == metaKey && strings.HasPrefix(given, ownKeys) {
				return given
			}
			sum := sha256.Sum256([]byte(strings.Join([]string{string(agent), tool, name, given}, "\x00")))
			return ownKeys + hex.EncodeToString(sum[:16])
		}
	}
	return ownKeys + home.NewKey()
}

// ownKeys is what the keys that are made here begin with.
const ownKeys = "mcp-"

// envelope is a command of this call's; suffix is for those that are not the tool's own.
func (c *call) envelope(suffix string, cmd model.Command) model.Envelope {
	return model.Envelope{Key: c.key + suffix, Actor: model.AgentActor(c.agent), Agent: c.agent, Command: cmd}
}

// act is a tool that sends the command of its input. id is where that names an item, by its id
// or its handle; of makes the answer.
func act[C model.Command, R any](
	id func(*C) *model.ItemID, of func(*call, model.Reader, C, model.Receipt) R,
) func(context.Context, *call) (any, error) {
	return func(ctx context.Context, c *call) (any, error) {
		var cmd C
		if err := query(c, &cmd, model.ToolHint(c.tool.Name)); err != nil {
			return nil, err
		}
		if item := id(&cmd); *item != "" && !isWhole(*item) {
			whole, err := c.home.Resolve(ctx, string(*item))
			if err != nil {
				return nil, err
			}
			*item = whole
		}
		out, _, err := home.Answer(ctx, c.home, c.envelope("", cmd), home.Ending{}, func(r model.Reader, in model.Receipt) R {
			c.queued = fitting(c.unheld(r.QueuedMessages(c.agent, peeked)))
			c.remind(r, in.WorkItemID)
			return of(c, r, cmd, in)
		})
		return &out, err
	}
}

// isWhole recognises an id as vise makes them, which needs not be resolved: the act itself says
// so if there is no such item.
func isWhole(id model.ItemID) bool {
	ulid, ok := strings.CutPrefix(string(id), "wi-")
	return ok && len(ulid) == 26 && model.ValidID(string(id))
}

// show reads what the answer holds, and at once how many messages it can take along: each
// view waits its turn among all who use the ledger.
func (c *call) show(ctx context.Context, fn func(model.Reader) error) error {
	return c.home.View(ctx, func(r model.Reader) error {
		c.queued = fitting(c.unheld(r.QueuedMessages(c.agent, peeked)))
		return fn(r)
	})
}

// The tools that act.
var (
	create = act(func(*model.CreateWorkItem) *model.ItemID { return new(model.ItemID) },
		func(_ *call, r model.Reader, _ model.CreateWorkItem, in model.Receipt) home.ItemResult {
			return home.ItemResultOf(r, in)
		})
	update = act(func(x *model.UpdateWorkItem) *model.ItemID { return &x.WorkItemID },
		func(_ *call, r model.Reader, _ model.UpdateWorkItem, in model.Receipt) home.ItemResult {
			return home.ItemResultOf(r, in)
		})
	completing = act(func(x *model.CompleteWorkItem) *model.ItemID { return &x.WorkItemID },
		func(c *call, r model.Reader, _ model.CompleteWorkItem, in model.Receipt) home.CompletionResult {
			out := home.CompletionResultOf(r, in)
			c.unreported = c.missesReport(r, out)
			return out
		})
	pick = act(func(x *model.PickWorkItem) *model.ItemID { return &x.WorkItemID },
		func(c *call, r model.Reader, _ model.PickWorkItem, in model.Receipt) home.PickResult {
			c.picked.Store(c.agent, in.WorkItemID)
			return home.PickResultOf(r, in)
		})
	wait = act(func(x *model.WaitFor) *model.ItemID { return &x.WorkItemID },
		func(_ *call, r model.Reader, x model.WaitFor, in model.Receipt) home.WaitResult {
			return home.WaitResultOf(r, x.Wake, in)
		})
)
