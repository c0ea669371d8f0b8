package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// payload is what is used of a hook's input; programs send more, and may.
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
	// Subagent is set where the event is a subagent's; its words are in a transcript of their own.
	Subagent   string `json:"agent_id"`
	SubagentIn string `json:"agent_transcript_path"`

	// Codex's notify spells its fields with dashes.
	Thread     string `json:"thread-id"`
	NotifyLast string `json:"last-assistant-message"`

	// OpenCode's come from vise's plugin.
	SessionID string                       `json:"sessionID"`
	Messages  []transcript.OpenCodeMessage `json:"messages"`
}

// handle does what an event asks. An event that is not known was counted; that is all.
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
	switch c.event {
	case restEvent:
		return c.rest(ctx, p)
	case "SessionStart":
		return c.addContext(ctx, sessionBudget)
	case "UserPromptSubmit":
		c.goesOn(p)
		return c.addContext(ctx, promptBudget)
	case "PostToolUse":
		c.goesOn(p)
		return errors.Join(c.toolUsed(p), c.add(c.urgent(ctx)), c.observe(ctx, p))
	case "PostToolUseFailure":
		c.goesOn(p)
		return c.observe(ctx, p)
	case "Stop", "SubagentStop":
		return c.stopped(ctx, p)
	case "notify":
		p.Session, p.Last = p.Thread, p.NotifyLast
		return c.stopped(ctx, p)
	case "SessionEnd":
		c.goesOn(p)
		return c.sessionEnded(ctx, p)
	}
	return nil
}

// openCode takes the rounds that vise's plugin read from the session, and answers with the text
// that the plugin passes on.
func (c *call) openCode(ctx context.Context, p payload) error {
	switch c.event {
	case "session.idle": // the plugin prompts the session with it
		if err := c.rounds(ctx, p.SessionID, transcript.OpenCode(p.Messages)); err != nil || p.Subagent != "" {
			return err
		}
		return c.print(c.urgent(ctx))
	case restEvent:
		return c.restInPlugin(ctx, p.SessionID)
	case "chat.message": // the plugin puts it before what the model is asked
		c.goesOn(payload{Session: p.SessionID})
		text, err := c.context(ctx, sessionBudget)
		return errors.Join(err, c.print(text))
	case "tool.execute.after": // the plugin adds it to the tool's answer
		if !transcript.IsOurs(p.Tool) {
			return c.print(c.urgent(ctx))
		}
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

// factPatience is how long the thread may keep a hook. The agent stands still meanwhile; a
// fact that takes longer is left out.
const factPatience = 200 * time.Millisecond

// observe takes a command that the agent's shell ran into the thread that is active where
// it ran. It makes no thread.
func (c *call) observe(ctx context.Context, p payload) error {
	ran, ok := transcript.ToolCall{
		Program: c.program, Tool: p.Tool, Input: p.Input, Response: p.Response,
		Failed: c.event == "PostToolUseFailure", Error: p.Error, Interrupted: p.Interrupted, Dir: p.Dir,
	}.Ran()
	if !ok || !filepath.IsAbs(ran.Dir) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.FactPatience, factPatience))
	defer cancel()
	err := c.threadsIn(ran.Dir).Observe(ctx, home.Execution{
		ID: strings.TrimSpace(c.program + " " + p.Session), Command: ran.Command, ExitStatus: ran.ExitStatus, NoStatus: ran.Untold, Claimed: ran.Claimed,
	})
	if err != nil {
		return fmt.Errorf("the command's end is no fact of the thread: %w", err)
	}
	return nil
}

// sessionEnded leaves the thread of the session's repository paused, with the facts alone. A
// repository without threads gets none.
func (c *call) sessionEnded(ctx context.Context, p payload) error {
	if !filepath.IsAbs(p.Dir) || !c.threadsIn(p.Dir).Exist() {
		return nil
	}
	_, err := c.threadsIn(p.Dir).Record(ctx, home.Execution{ID: c.program + " " + p.Session, SessionEnd: true})
	return err
}

func (c *call) threadsIn(dir string) home.Threads {
	return home.Threads{Dir: dir, Now: c.Now, Actor: string(model.AgentActor(model.AgentID(c.agent)))}
}
