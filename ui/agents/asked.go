package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/config"
	"vise/ui/runner"
)

// A program that asks a person whether it may use a tool calls this hook first. The prompt is kept in the
// ledger while it waits (docs/lifecycle.md 23). Where the agent's configuration says ask_here, the hook
// waits for the operator's answer and gives it to the program; without one the program asks itself.

// askEvent is the event of the programs whose hooks follow Claude Code's, and take an answer. noticeEvent only tells
// that a program asks.
const (
	askEvent    = "PermissionRequest"
	noticeEvent = "Notification"
)

const (
	// answerFor is how long an answer given here is waited for: a program may ask itself only then.
	answerFor = 2 * time.Minute
	// answerGrace is for an answer that was given at the last moment.
	answerGrace = 3 * time.Second
	// askLimit bounds the hook, askTimeout is what the program waits for it.
	askLimit   = answerFor + 2*answerGrace
	askTimeout = askLimit + 4*time.Second
)

// asked keeps the prompt, and waits for an answer where that is wanted.
func (c *call) asked(ctx context.Context, p payload) error {
	agent := model.AgentID(c.agent)
	ask := model.AskPermission{AgentID: agent, Program: model.Text(c.program), Session: model.Text(c.session),
		Subagent: model.Text(p.Subagent), Tool: model.Text(p.Tool), Input: arguments(p.Input), CanAlways: p.canAlways(c.program)}
	if c.Asking != nil {
		ask.Process = c.Asking(c.program)
	}
	if c.event == askEvent && c.asksHere() {
		ask.AnswerMS = answerFor.Milliseconds()
	}
	soon, cancel := context.WithTimeout(ctx, answerGrace) // a person is asked, which takes longer
	defer cancel()
	in, err := c.home.Apply(soon, model.Envelope{Key: home.NewKey(), Actor: model.AgentActor(agent), Agent: agent, Command: ask})
	if err != nil || ask.AnswerMS == 0 {
		return err
	}
	if c.Gone != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		go func() { c.Gone(); stop() }()
	}
	answer := c.answered(ctx, in.PermissionID)
	if answer != "" {
		if err := c.decide(p, answer); err != nil {
			return err
		}
	}
	if answer == "" && ctx.Err() == nil && c.program != "copilot" {
		return nil // it waits on, in the program; Copilot CLI says so anew if it does
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), handLimit)
	defer stop()
	return c.over(ctx, func(x model.Permission) bool { return x.ID == in.PermissionID })
}

// asks reports whether the event is a prompt, and completes what it tells of it.
func (c *call) asks(p *payload) bool {
	switch {
	case c.event == noticeEvent:
		return c.noticed(p)
	case c.event != askEvent:
		return false
	}
	return c.program != "copilot" || c.asksBefore(p)
}

// asksHere reports whether the operator answers here.
func (c *call) asksHere() bool { return c.AskHere != nil && c.AskHere(c.agent) }

// answered is the operator's answer; empty when none comes while it is waited for.
func (c *call) answered(ctx context.Context, id model.PermissionID) (answer model.PermissionAnswer) {
	waits := true
	for waits && ctx.Err() == nil {
		var revision uint64
		var until time.Time
		err := c.home.View(ctx, func(r model.Reader) error {
			x, _, ok := model.PermissionOf(r, id)
			revision, answer, until = r.Revision(), x.Answer, x.AnswerUntil.Add(answerGrace)
			waits = ok && answer == "" && c.Now().Before(until)
			return nil
		})
		switch {
		case err != nil:
			c.Wait(ctx, retryRest)
		case waits:
			soon, cancel := context.WithTimeout(ctx, until.Sub(c.Now()))
			_, _ = c.home.Follow(soon, revision)
			cancel()
		}
	}
	return answer
}

// denied is what the model is told when the operator denies.
const denied = "The operator refused this."

// decide gives the program the answer.
func (c *call) decide(p payload, answer model.PermissionAnswer) error {
	if c.program == "opencode" { // the plugin passes it on
		words := map[model.PermissionAnswer]string{model.PermitOnce: "once", model.PermitAlways: "always", model.PermitDeny: "reject"}
		return c.print(words[answer])
	}
	type decision struct {
		Behavior string          `json:"behavior"`
		Message  string          `json:"message,omitempty"`
		Updates  json.RawMessage `json:"updatedPermissions,omitempty"`
	}
	var out struct {
		Specific struct {
			Event    string   `json:"hookEventName"`
			Decision decision `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	d := decision{Behavior: "allow"}
	switch answer {
	case model.PermitDeny:
		d = decision{Behavior: "deny", Message: denied}
	case model.PermitAlways:
		d.Updates = p.Suggestions
	}
	if c.program == "copilot" {
		return json.NewEncoder(c.Out).Encode(d)
	}
	out.Specific.Event, out.Specific.Decision = askEvent, d
	return json.NewEncoder(c.Out).Encode(out)
}

// canAlways reports whether the program takes "always": Claude Code and OpenCode where they say what would be remembered, Codex never.
func (p payload) canAlways(program string) bool {
	var list []json.RawMessage
	return program != "codex" && json.Unmarshal(p.Suggestions, &list) == nil && len(list) > 0
}

// arguments are a tool's, as they are shown: a shell's command, or all as JSON.
func arguments(raw json.RawMessage) model.Text {
	var shell struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(raw, &shell) == nil && shell.Command != "" {
		return model.Text(shell.Command)
	}
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return ""
	}
	return model.Text(out.String())
}

// settle has those prompts count as over that the event says are: the tool ran; or the session, or its
// subagent, went on. The prompts of tools that run beside each other end one by one.
func (c *call) settle(ctx context.Context, p payload) error {
	var over func(model.Permission) bool
	switch c.event {
	case "PostToolUse", "PostToolUseFailure", "permission.replied":
		over = c.ended(p)
	case "Stop", "UserPromptSubmit", "SubagentStop":
		over = func(x model.Permission) bool { return x.Subagent == model.Text(p.Subagent) }
	case "SessionStart", "SessionEnd", "StopFailure", "session.idle", "chat.message":
		over = func(model.Permission) bool { return true }
	default:
		return nil
	}
	ctx, cancel := c.soon(ctx)
	defer cancel()
	return c.over(ctx, func(x model.Permission) bool {
		return x.Program == model.Text(c.program) && x.Session == model.Text(c.session) && over(x)
	})
}

// Answered reports whether a prompt was answered in its program, as the session's transcript says: a refusal calls no hook
// of Claude Code, Codex, Gemini CLI or Copilot CLI.
func Answered(s home.Session, x model.Permission) bool {
	end, written := transcriptEnd(Options{Getenv: os.Getenv}, s, maxPermissions)
	switch {
	case end == nil:
		return false
	case s.Program == "claude":
		return stopped(end)
	case s.Program == "codex":
		return aborted(end, x.AskedAt)
	case s.Program == "gemini": // it writes nothing while a prompt waits
		return written.After(x.AskedAt)
	}
	// What its hook asks here, Copilot CLI writes nothing of.
	return s.Program == "copilot" && x.AnswerUntil.IsZero() && permitted(end, x.AskedAt)
}

// ended says of which prompts the end of a tool is the end.
func (c *call) ended(p payload) func(model.Permission) bool {
	switch c.program {
	case "gemini": // it runs no tool of a reply before all prompts of it are answered
		return func(model.Permission) bool { return true }
	case "copilot": // its prompts name no tool
		about := model.PermissionInput(subject(p.Input))
		return func(x model.Permission) bool {
			return x.Input == about || strings.ReplaceAll(x.Input.Raw(), "/", "-") == p.Tool // raw: compared with an MCP server's tool
		}
	}
	input := model.PermissionInput(arguments(p.Input))
	return func(x model.Permission) bool { return x.Tool == model.Text(p.Tool) && x.Input == input }
}

func (c *call) over(ctx context.Context, over func(model.Permission) bool) error {
	agent := model.AgentID(c.agent)
	return home.EndPermissions(ctx, c.home, agent, model.AgentActor(agent), over)
}

// asking is the program above this process that calls a hook, by its name; a zero one is not known.
func asking(program string) (found model.Process) {
	ancestors(func(pid int, args string) bool {
		words := strings.Fields(args)
		for _, w := range words[:min(len(words), 2)] { // a script's name follows its interpreter's
			if strings.HasPrefix(filepath.Base(w), program) {
				found = runner.ProcessOf(pid)
			}
		}
		return found.PID == 0
	})
	return found
}

// askHere reports whether the agent's configuration has permissions asked here.
func askHere(agent string) bool {
	at, err := config.PlaceOf(os.Getenv)
	return err == nil && config.Load(at, os.Getenv).Agents[agent].Permissions == config.AskHere
}
