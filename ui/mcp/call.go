package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

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
	// queued is how many messages the answer has room for, as of show.
	queued int
}

// handler carries out a tool. A refusal is an answer too: it tells the agent what to do.
func (s *server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		out, messages, err := s.call(ctx, t, r)
		if err != nil {
			return refused(t, err), nil
		}
		return answered(t, out, messages)
	}
}

func (s *server) call(ctx context.Context, t tool, r *sdk.CallToolRequest) (any, []attached, error) {
	agent, err := s.caller(r.Params.Meta)
	if err != nil {
		return nil, nil, err
	}
	c := &call{tool: t, agent: agent, key: keyOf(agent, t.name, r.Params.Meta), input: r.Params.Arguments}
	if len(c.input) == 0 {
		c.input = json.RawMessage("{}")
	}
	if err := t.fields(c.input); err != nil {
		return nil, nil, err
	}
	if c.home, err = s.open(); err != nil {
		return nil, nil, err
	}
	if t.proves {
		c.seen(ctx)
	}
	out, err := t.run(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	return out, c.messages(ctx), nil
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

// caller is who calls: the pin, then _meta, then the environment. A pinned server serves
// nobody else.
func (s *server) caller(meta sdk.Meta) (model.AgentID, error) {
	named, _ := meta[metaAgent].(string)
	if s.Agent != "" && named != "" && named != s.Agent {
		return "", model.Refuse(model.CodeNotOwner, "this server acts for agent %s alone", model.Text(s.Agent)).At("_meta")
	}
	agent := cmp.Or(s.Agent, named, s.Getenv("VISE_AGENT"))
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
// a new one.
func keyOf(agent model.AgentID, tool string, meta sdk.Meta) string {
	for _, name := range []string{metaKey, metaUse} {
		if given, ok := meta[name].(string); ok && given != "" {
			sum := sha256.Sum256([]byte(strings.Join([]string{string(agent), tool, name, given}, "\x00")))
			return "mcp-" + hex.EncodeToString(sum[:16])
		}
	}
	return "mcp-" + home.NewKey()
}

// envelope is a command of this call's; suffix tells those beside the tool's own apart.
func (c *call) envelope(suffix string, cmd model.Command) model.Envelope {
	return model.Envelope{Key: c.key + suffix, Actor: model.AgentActor(c.agent), Agent: c.agent, Command: cmd}
}

// decode reads the input of a command and puts the id in the place of a handle.
func decode[C model.Command](ctx context.Context, c *call, id func(*C) *model.ItemID) (C, error) {
	var out C
	cmd, err := model.DecodeTool(c.tool.name, c.input)
	if err != nil {
		return out, err
	}
	out = cmd.(C)
	if id == nil || *id(&out) == "" {
		return out, nil
	}
	if !whole(*id(&out)) {
		*id(&out), err = c.home.Resolve(ctx, string(*id(&out)))
	}
	return out, err
}

// whole recognises an id as vise makes them. It needs no look into the ledger: the act
// itself says so if there is no such item.
func whole(id model.ItemID) bool {
	ulid, ok := strings.CutPrefix(string(id), "wi-")
	return ok && len(ulid) == 26 && model.ValidID(string(id))
}

// show reads what the answer tells, and at once how many messages it can take along: each
// look waits its turn among all who use the ledger.
func (c *call) show(ctx context.Context, fn func(model.Reader) error) error {
	return c.home.View(ctx, func(r model.Reader) error {
		c.queued = fitting(r.QueuedMessages(c.agent, peeked))
		return fn(r)
	})
}

// acting is a tool that sends a command. answer is made of its receipt and one reading.
func acting[C model.Command, R any](id func(*C) *model.ItemID, answer func(model.Reader, C, model.Receipt) R) func(context.Context, *call) (any, error) {
	return func(ctx context.Context, c *call) (any, error) {
		cmd, err := decode(ctx, c, id)
		if err != nil {
			return nil, err
		}
		in, err := c.home.Apply(ctx, c.envelope("", cmd))
		if err != nil {
			return nil, err
		}
		var out R
		err = c.show(ctx, func(r model.Reader) error {
			out = answer(r, cmd, in)
			return nil
		})
		return &out, err
	}
}

var (
	create = acting(nil, func(r model.Reader, _ model.CreateWorkItem, in model.Receipt) home.ItemResult {
		return home.ItemResultOf(r, in)
	})
	update = acting(func(x *model.UpdateWorkItem) *model.ItemID { return &x.WorkItemID },
		func(r model.Reader, _ model.UpdateWorkItem, in model.Receipt) home.ItemResult {
			return home.ItemResultOf(r, in)
		})
	complete = acting(func(x *model.CompleteWorkItem) *model.ItemID { return &x.WorkItemID },
		func(r model.Reader, _ model.CompleteWorkItem, in model.Receipt) home.CompletionResult {
			return home.CompletionResultOf(r, in)
		})
	pick = acting(func(x *model.PickWorkItem) *model.ItemID { return &x.WorkItemID },
		func(r model.Reader, _ model.PickWorkItem, in model.Receipt) home.PickResult {
			out := home.PickResultOf(r, in)
			out.Warnings = besideTransition(in)
			return out
		})
	wait = acting(func(x *model.WaitFor) *model.ItemID { return &x.WorkItemID },
		func(r model.Reader, c model.WaitFor, in model.Receipt) home.WaitResult {
			out := home.WaitResultOf(r, c.Wake, in)
			out.Warnings = besideTransition(in)
			return out
		})
)

// besideTransition are the warnings that no transition holds.
func besideTransition(in model.Receipt) []model.Warning {
	return slices.DeleteFunc(slices.Clone(in.Warnings), func(w model.Warning) bool {
		return in.Transition != nil && slices.ContainsFunc(in.Transition.Warnings, func(own model.Warning) bool { return own.Kind == w.Kind })
	})
}
