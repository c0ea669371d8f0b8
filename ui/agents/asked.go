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
	"vise/ui/transcript"
)

// A program that asks a person whether it may use a tool calls this hook first. The prompt is kept in the ledger while it waits
// (docs/lifecycle.md 23). If the agent's configuration sets ask_here, the hook waits for the operator's answer and gives it to the program.
// Without an answer the program asks itself.

// askEvent is the permission event of programs whose hooks follow Claude Code's; it takes an answer. noticeEvent only reports that a
// program asks.
const (
	askEvent    = "PermissionRequest"
	noticeEvent = "Notification"
)

const (
	// answerFor is how long the hook waits for an answer: some programs show their own prompt only after that.
	answerFor = 2 * time.Minute
	// answerGrace is extra time for an answer that was given at the last moment.
	answerGrace = 3 * time.Second
	// askLimit bounds the hook; askTimeout is how long the program waits for the hook.
	askLimit   = answerFor + 2*answerGrace
	askTimeout = askLimit + 4*time.Second
)

// asked keeps the prompt, and waits for an answer if the configuration asks for that.
func (c *call) asked(ctx context.Context, p payload) error {
	ask := model.AskPermission{AgentID: c.agent, Program: model.Text(c.program), Session: model.Text(c.session),
		Subagent: model.Text(p.Subagent), Tool: model.Text(p.Tool), Input: arguments(p.Input), CanAlways: p.canAlways(c.program)}
	if c.Asking != nil {
		ask.Process = c.Asking(c.program)
	}
	c.does(p, home.SessionAsks)
	if c.event == askEvent && c.asksHere() {
		ask.AnswerMS = answerFor.Milliseconds()
	}
	soon, cancel := context.WithTimeout(ctx, answerGrace) // longer than other hooks wait: a person is asked anyway
	defer cancel()
	in, queued, err := c.home.Report(soon, home.HookReport{Key: home.NewKey(), Agent: c.agent, At: c.Now(), Ask: &ask})
	if err != nil || queued || ask.AnswerMS == 0 {
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
		return nil // the prompt still waits in the program; Copilot CLI reports it again if so
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), handLimit)
	defer stop()
	return c.over(ctx, func(x model.Permission) bool { return x.ID == in.PermissionID })
}

// asks reports whether the event is a prompt, and fills in the missing details of p. Copilot CLI calls its hook before its own rules, so it
// also asks about calls that those rules would permit. Calls of vise's tools are excluded, since install has asked about them.
func (c *call) asks(p *payload) bool {
	switch {
	case c.event == noticeEvent:
		return c.noticed(p)
	case c.event != askEvent:
		return false
	}
	return c.program != "copilot" || c.asksHere() && !strings.HasPrefix(p.Tool, "vise/")
}

// asksHere reports whether the operator answers through vise.
func (c *call) asksHere() bool { return c.AskHere != nil && c.AskHere(c.agent) }

// answered returns the operator's answer, or "" if none comes in time.
func (c *call) answered(ctx context.Context, id model.PermissionID) (answer model.PermissionAnswer) {
	ctx, stop := context.WithTimeout(ctx, answerFor+answerGrace)
	defer stop()
	runner.Await(ctx, c.home, func(r model.Reader) bool {
		x, _, ok := model.PermissionOf(r, id)
		answer = x.Answer
		return !ok || answer != "" || c.Now().After(x.AnswerUntil.Add(answerGrace))
	})
	return answer
}

// denied is the text that the model gets when the operator denies.
const denied = "The operator refused this."

// decide gives the answer to the program.
func (c *call) decide(p payload, answer model.PermissionAnswer) error {
	if c.program == "opencode" { // vise's plugin passes it on
		words := map[model.PermissionAnswer]string{model.PermitOnce: "once", model.PermitAlways: "always", model.PermitDeny: "reject"}
		return c.print(words[answer])
	}
	type decision struct {
		Behavior string          `json:"behavior"`
		Message  string          `json:"message,omitempty"`
		Updates  json.RawMessage `json:"updatedPermissions,omitempty"`
	}
	d := decision{Behavior: "allow"}
	switch answer {
	case model.PermitDeny:
		d = decision{Behavior: "deny", Message: denied}
	case model.PermitAlways:
		d.Updates = p.Suggestions
	}
	if c.program == "copilot" {
		return c.give(d)
	}
	return c.give(specific{"hookSpecificOutput": {Event: askEvent, Decision: d}})
}

// canAlways reports whether the program accepts "always". Claude Code and OpenCode do if they say what would be remembered; Codex never
// does.
func (p payload) canAlways(program string) bool {
	var list []json.RawMessage
	return program != "codex" && json.Unmarshal(p.Suggestions, &list) == nil && len(list) > 0
}

// arguments returns a tool's arguments as they are shown: a shell's command, or everything as JSON.
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

// settle ends the prompts that the event shows to be over: the tool ran, or the session or its subagent continued. The prompts of tools
// that run in parallel end one by one.
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
	served := transcript.IsOurs(p.Tool) && transcript.Succeeded(p.Response)
	return c.over(ctx, func(x model.Permission) bool {
		switch {
		case x.Program != model.Text(c.program):
			return false
		case x.Refused:
			return x.Tool == everyCall && served
		}
		return x.Session == model.Text(c.session) && over(x)
	})
}

// Answered reports whether the session's transcript shows that a prompt was answered in its program. In Claude Code, Codex, Gemini CLI and
// Copilot CLI a refusal calls no hook.
func Answered(s home.Session, x model.Permission) bool {
	end, written := transcriptEnd(os.Getenv, s, maxPermissions)
	switch s.Program {
	case "claude":
		return stopped(end)
	case "codex":
		return aborted(end, x.AskedAt)
	case "gemini": // it writes nothing while a prompt waits
		return written.After(x.AskedAt)
	case "copilot": // it writes nothing to its transcript about a prompt that its hook asks through vise
		return x.AnswerUntil.IsZero() && permitted(end, x.AskedAt)
	}
	return false
}

// ended returns a function that says which prompts are over when a tool has ended.
func (c *call) ended(p payload) func(model.Permission) bool {
	switch c.program {
	case "gemini": // it runs no tool of a reply until all prompts of the reply are answered
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
	return home.EndPermissions(ctx, c.home, c.agent, model.AgentActor(c.agent), over)
}

// asking returns the ancestor process with the program's name, which called the hook; a zero value means unknown.
func asking(program string) (found model.Process) {
	ancestors(func(pid int, args string) bool {
		words := strings.Fields(args)
		for _, w := range words[:min(len(words), 2)] { // a script's name follows its interpreter's name
			if strings.HasPrefix(filepath.Base(w), program) {
				found = runner.ProcessOf(pid)
			}
		}
		return found.PID == 0
	})
	return found
}

// askHere reports whether the agent's configuration has permissions asked through vise.
func askHere(agent model.AgentID) bool {
	at, err := config.PlaceOf(os.Getenv)
	return err == nil && config.Load(at, os.Getenv).Agents[string(agent)].Permissions == config.AskHere
}
