package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vise/model"
	"vise/model/prompt"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/transcript"
)

// payload is what is used of a hook's input; programs send more, and may.
type payload struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	// Active: the program goes on already because a Stop hook asked it to.
	Active bool `json:"stop_hook_active"`
	// Prompt is what the model is asked, without what hooks add.
	Prompt   string          `json:"prompt"`
	Last     string          `json:"last_assistant_message"`
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
	// Result is Copilot's name for it.
	Result  json.RawMessage `json:"tool_result"`
	ToolUse string          `json:"tool_use_id"`
	// Suggestions are what an answer of "always" would have Claude Code remember.
	Suggestions json.RawMessage   `json:"permission_suggestions"`
	Background  []json.RawMessage `json:"background_tasks"`
	Crons       []json.RawMessage `json:"session_crons"`
	Dir         string            `json:"cwd"`
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
	c.session = cmp.Or(p.Session, p.SessionID, p.Thread)
	c.complete(&p)
	if c.asks(&p) {
		return c.asked(ctx, p)
	}
	if err := c.settle(ctx, p); err != nil {
		c.busy = true // the next event ends them
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
	case permitEvent:
		return c.permit(p)
	case "SessionStart":
		c.noteSession(p)
		return c.addContext(ctx, p, sessionBudget)
	case "UserPromptSubmit":
		c.goesOn(p)
		c.works(ctx, p)
		return c.addContext(ctx, p, promptBudget)
	case "PostToolUse":
		c.goesOn(p)
		c.works(ctx, p)
		c.edited(ctx, p)
		return errors.Join(c.toolUsed(p), c.add(c.news(ctx)), c.observe(ctx, p))
	case "PostToolUseFailure":
		c.goesOn(p)
		return c.observe(ctx, p)
	case "Stop", "SubagentStop":
		return c.stopped(ctx, p)
	case "notify":
		p.Session, p.Last = p.Thread, p.NotifyLast
		return cmp.Or(c.unhooked(ctx, p), c.stopped(ctx, p))
	case "StopFailure":
		c.rests()
		return errors.Join(c.limited(ctx, transcript.LimitIn(p.Last, c.Now())), c.brokenOff(ctx, p))
	case "SessionEnd":
		c.goesOn(p)
		c.home.EndSession(c.program, c.session)
		return errors.Join(c.brokenOff(ctx, p), c.sessionEnded(ctx, p))
	}
	return nil
}

// openCode takes the rounds that vise's plugin read from the session, and answers with the text
// that the plugin passes on.
func (c *call) openCode(ctx context.Context, p payload) error {
	switch c.event {
	case "session.idle": // the plugin prompts the session with it
		if p.Subagent != "" { // its prompt looks like any other
			c.home.EndSession(c.program, c.session)
		}
		if err := c.rounds(ctx, p.SessionID, transcript.OpenCode(p.Messages)); err != nil || p.Subagent != "" {
			return err
		}
		if err := c.summary(ctx, p.SessionID, transcript.FinalText(p.Messages)); err != nil {
			return err
		}
		c.changed(ctx)
		text := c.urgent(ctx)
		if text == "" {
			c.rests()
		}
		return c.print(text)
	case restEvent:
		return c.restInPlugin(ctx, p.SessionID)
	case "chat.message": // the plugin puts it before what the model is asked
		c.goesOn(payload{Session: p.SessionID})
		c.works(ctx, p)
		if prompt.IsIn(p.Prompt, model.AgentID(c.agent)) {
			return nil
		}
		text, err := c.context(ctx, sessionBudget)
		return errors.Join(err, c.print(text))
	case "tool.execute.after": // the plugin adds it to the tool's answer
		c.works(ctx, p)
		c.edited(ctx, p)
		if !transcript.IsOurs(p.Tool) {
			return errors.Join(c.print(c.news(ctx)), c.observe(ctx, p))
		}
		return c.completedInPlugin(p)
	}
	return nil
}

// completedInPlugin remembers a completion of OpenCode's with the words that the reply has so far: the
// program may be gone before its turn's end.
func (c *call) completedInPlugin(p payload) error {
	ref := transcript.Completes(p.Tool, p.Input)
	if ref == "" || !transcript.Succeeded(p.Response) || len(p.Messages) == 0 {
		return nil
	}
	return c.remember(pending{Session: p.SessionID, ToolUse: p.ToolUse, Item: ref, At: c.Now(), Round: &transcript.Round{
		ID: p.Messages[0].Info.ID, Text: transcript.FinalText(p.Messages), Completed: []string{ref},
		Provenance: model.ReportSameRound, Tools: []string{p.ToolUse},
	}})
}

// toolUsed remembers a completion until the turn ends: then its words are known.
func (c *call) toolUsed(p payload) error {
	ref := transcript.Completes(p.Tool, p.Input)
	if ref == "" || !transcript.Succeeded(p.Response) {
		return nil
	}
	x := pending{Session: p.Session, ToolUse: cmp.Or(p.ToolUse, ref), Item: ref, Subagent: p.Subagent, At: c.Now()}
	if f, size, err := openTranscript(c.transcripts(), p.Transcript); err == nil {
		f.Close()
		x.Dir, x.Transcript, x.Place = c.transcripts(), p.Transcript, size
	}
	return c.remember(x)
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

// The budgets of the work context at the beginning of a session and of a prompt, in tokens.
const (
	sessionBudget = 2048
	promptBudget  = 512
)

// addContext gives the agent its work context, unless a driver did: the prompt's hook sees whether the
// program reads what a driver gives it.
func (c *call) addContext(ctx context.Context, p payload, budget int) error {
	switch {
	case prompt.IsIn(p.Prompt, model.AgentID(c.agent)), c.driven() && c.event == "SessionStart":
		return nil
	case c.driven():
		budget = sessionBudget
	case c.event == "UserPromptSubmit" && c.begunWithIt(ctx):
		return c.add(c.handed(ctx, false))
	}
	text, err := c.context(ctx, budget)
	return errors.Join(err, c.add(text))
}

// begun is the kind of state that holds what a session was told at its beginning, until its first prompt.
const begun = "begun"

// begins keeps what the session is told of its work at its beginning.
func (c *call) begins(text string) error {
	return writeJSON(c.state(begun, c.session), digest(text))
}

// begunWithIt reports, for the first prompt of a session, whether it was told at its beginning what holds now.
func (c *call) begunWithIt(ctx context.Context) bool {
	path := c.state(begun, c.session)
	raw, err := files.ReadSmall(path, maxState)
	if err != nil {
		return false
	}
	_ = os.Remove(path)
	var was string
	text, err := c.work(ctx, sessionBudget)
	// While the ledger is busy nothing newer can be told either.
	return err != nil || json.Unmarshal(raw, &was) == nil && was == digest(text)
}

// digest is of a work context without its first line, which names the ledger's revision.
func digest(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return keyOf(begun, rest)
}

// driven: a driver runs the program, and gives it the work context.
func (c *call) driven() bool { return c.Getenv("VISE_TURN") != "" }

// late is the kind of state that names the sessions without a context: the ledger was busy.
const late = "late"

// context is the agent's work context, and the messages that it is handed; empty for an agent
// without any work. A session that gets none now gets it whole at its next hook.
func (c *call) context(ctx context.Context, budget int) (string, error) {
	session := c.session
	isLate := c.wasDone(late, session)
	if isLate {
		budget = sessionBudget
	}
	text, err := c.work(ctx, budget)
	if err != nil && !isLate && session != "" {
		c.once(late, session)
	}
	if err != nil || text == "" {
		return text, err
	}
	if isLate {
		c.undo(late, session)
	}
	if c.event == "SessionStart" && programOf(c.program).begins {
		err = c.begins(text)
	}
	// A new session may never have got what the one before was handed.
	return text + c.handed(ctx, isLate || c.event != "UserPromptSubmit"), err
}

// news is what a session hears after a tool: its context if that is late, else urgent messages and who else changes its files.
func (c *call) news(ctx context.Context) string {
	if !c.wasDone(late, c.session) {
		return joined(c.urgent(ctx), c.overlaps(ctx))
	}
	text, _ := c.context(ctx, sessionBudget) // still busy: the next hook
	return text
}

// work is the agent's work context alone.
func (c *call) work(ctx context.Context, budget int) (text string, err error) {
	ctx, cancel := c.soon(ctx)
	defer cancel()
	agent := model.AgentID(c.agent)
	err = c.home.View(ctx, func(r model.Reader) error {
		if _, ok := r.Agent(agent); ok {
			fit := prompt.Fit(r, agent, prompt.Options{Budget: budget, Now: c.Now()})
			text = fit.Text()
			c.toldOverlaps(r, fit)
		}
		return nil
	})
	c.busy = err != nil
	return text, err
}

// handed are the messages that the session is handed now, as text; with all, again those that a
// session before was handed. They count as seen when the agent acts next; what cannot be handed
// now waits for the next hook.
func (c *call) handed(ctx context.Context, all bool) string {
	ctx, cancel := c.soon(ctx)
	defer cancel()
	agent := model.AgentID(c.agent)
	hand := model.Envelope{Key: keyOf(c.program, "hand", c.Now().String(), fmt.Sprint(os.Getpid())),
		Actor: model.AgentActor(agent), Agent: agent,
		Command: model.HandMessages{AgentID: agent, Except: c.siblings().others(c.event == restEvent)}}
	text, _, err := home.Answer(ctx, c.home, hand, home.Ending{}, func(r model.Reader, in model.Receipt) string {
		list := in.Messages
		if a, _ := r.Agent(agent); all {
			list = a.Handed
		}
		messages := make([]model.Message, len(list))
		for i, id := range list {
			messages[i], _ = r.Message(id)
		}
		return prompt.Messages(messages)
	})
	if err != nil {
		return ""
	}
	return text
}

// urgent is the text of the session's queued messages, if any of them should not wait for the next prompt:
// all but background ones. While a turn runs they are the turn's.
func (c *call) urgent(ctx context.Context) string {
	if c.busy {
		return ""
	}
	soon, cancel := c.soon(ctx)
	defer cancel()
	first, err := c.firstUrgent(soon, false)
	if c.busy = err != nil; c.busy || first.message == "" {
		return ""
	}
	return c.handed(ctx, false)
}

// add gives the agent text, in the form of Claude Code's hooks, which others have taken over; Copilot
// CLI without what it is wrapped in.
func (c *call) add(text string) error {
	if text == "" {
		return nil
	}
	if c.program == "copilot" {
		return json.NewEncoder(c.Out).Encode(map[string]string{"additionalContext": text})
	}
	var out struct {
		Specific struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	out.Specific.Event, out.Specific.Context = c.own, text
	return json.NewEncoder(c.Out).Encode(out)
}

// block has the program go on with text instead of resting.
func (c *call) block(text string) error {
	return json.NewEncoder(c.Out).Encode(map[string]string{"decision": "block", "reason": text})
}

func (c *call) print(text string) error {
	_, err := fmt.Fprint(c.Out, text)
	return err
}
