package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"vise/model"
	"vise/model/prompt"
	"vise/ui/transcript"
)

// payload is what we read of a hook's input; programs send more, and may.
type payload struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	// Active: the program goes on already because a Stop hook asked it to.
	Active     bool              `json:"stop_hook_active"`
	Last       string            `json:"last_assistant_message"`
	Tool       string            `json:"tool_name"`
	Input      json.RawMessage   `json:"tool_input"`
	Response   json.RawMessage   `json:"tool_response"`
	ToolUse    string            `json:"tool_use_id"`
	Background []json.RawMessage `json:"background_tasks"`
	Crons      []json.RawMessage `json:"session_crons"`
	Dir        string            `json:"cwd"`
	// Error and Interrupted are of a tool that failed.
	Error       string `json:"error"`
	Interrupted bool   `json:"is_interrupt"`
	// Subagent is who speaks, where that is not the main agent; its words are in a
	// transcript of their own.
	Subagent   string `json:"agent_id"`
	SubagentIn string `json:"agent_transcript_path"`

	// Codex's notify spells its fields with dashes.
	Thread     string `json:"thread-id"`
	NotifyLast string `json:"last-assistant-message"`

	// OpenCode's come from our plugin.
	SessionID string                       `json:"sessionID"`
	Messages  []transcript.OpenCodeMessage `json:"messages"`
}

// The budgets of what is told at the beginning of a session and of a prompt, in tokens.
const (
	sessionBudget = 2048
	promptBudget  = 512
)

// handle does what an event asks. An event that nobody knows was counted; that is all.
func (c *call) handle(ctx context.Context) error {
	var p payload
	if err := json.Unmarshal(c.payload, &p); err != nil {
		return fmt.Errorf("%s %s: the input is not as expected: %w", c.program, c.event, err)
	}
	switch c.program {
	case "opencode":
		return c.openCode(ctx, p)
	case "crush":
		return c.crush(ctx, p)
	}
	c.risen(p)
	switch c.event {
	case Rest:
		return c.rest(ctx, p)
	case "SessionStart":
		return c.inject(ctx, sessionBudget)
	case "UserPromptSubmit":
		return c.inject(ctx, promptBudget)
	case "PostToolUse":
		return errors.Join(c.toolUsed(p), c.interject(ctx), c.overhear(ctx, p))
	case "PostToolUseFailure":
		return c.overhear(ctx, p)
	case "Stop", "SubagentStop":
		return c.stopped(ctx, p)
	case "notify":
		p.Session, p.Last = p.Thread, p.NotifyLast
		return c.stopped(ctx, p)
	case "SessionEnd":
		return c.over(ctx, p)
	}
	return nil
}

// openCode takes the rounds that our plugin read from the session, and answers with what
// the plugin tells it.
func (c *call) openCode(ctx context.Context, p payload) error {
	switch c.event {
	case "session.idle":
		if err := c.rounds(ctx, p.SessionID, transcript.OpenCode(p.Messages)); err != nil || p.Subagent != "" {
			return err
		}
		_, err := fmt.Fprint(c.Out, c.pressing(ctx)) // the plugin prompts the session with it
		return err
	case Rest:
		return c.restInPlugin(ctx, p.SessionID)
	case "chat.message": // the plugin puts it before what the model is asked
		_ = os.Remove(c.resting(p.SessionID)) // who waits on is replaced at the next rest
		return c.tell(ctx, sessionBudget)
	case "tool.execute.after": // the plugin adds it to the tool's answer
		if transcript.IsOurs(p.Tool) {
			return nil
		}
		_, err := fmt.Fprint(c.Out, c.pressing(ctx))
		return err
	}
	return nil
}

// toolUsed remembers a completion until the turn ends: then its words are known.
func (c *call) toolUsed(p payload) error {
	ref := transcript.Completes(p.Tool, p.Input)
	if ref == "" || !transcript.Succeeded(p.Response) {
		return nil
	}
	return c.remember(pending{Session: p.Session, ToolUse: p.ToolUse, Item: ref, Subagent: p.Subagent, At: c.Now()})
}

// inject gives the agent its work context.
func (c *call) inject(ctx context.Context, budget int) error {
	text, err := c.context(ctx, budget)
	if err != nil || text == "" {
		return err
	}
	return c.add(text)
}

// tell gives the context as it is.
func (c *call) tell(ctx context.Context, budget int) error {
	text, err := c.context(ctx, budget)
	if err == nil {
		_, err = fmt.Fprint(c.Out, text)
	}
	return err
}

// context is the agent's work context, and what it is handed; empty for an agent without
// any work.
func (c *call) context(ctx context.Context, budget int) (string, error) {
	text, err := c.work(ctx, budget)
	if err != nil || text == "" {
		return text, err
	}
	ctx, cancel := c.soon(ctx)
	defer cancel()
	// A new session may never have got what the one before was handed.
	return text + c.handed(ctx, c.event != "UserPromptSubmit"), nil
}

// work is the agent's work context alone.
func (c *call) work(ctx context.Context, budget int) (text string, err error) {
	ctx, cancel := c.soon(ctx)
	defer cancel()
	agent := model.AgentID(c.agent)
	err = c.home.View(ctx, func(r model.Reader) error {
		if _, ok := r.Agent(agent); ok {
			text = prompt.Fit(r, agent, prompt.Options{Budget: budget}).Text()
		}
		return nil
	})
	c.busy = err != nil
	return text, err
}
