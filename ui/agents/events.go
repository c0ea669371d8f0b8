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

// payload holds the used fields of a hook's input. Programs send more fields, which are ignored.
type payload struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	// Active means that the program is already continuing because a Stop hook asked it to.
	Active bool `json:"stop_hook_active"`
	// Prompt is the prompt for the model, without the text that hooks add.
	Prompt   string          `json:"prompt"`
	Last     string          `json:"last_assistant_message"`
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
	// Result is Copilot's name for the tool's result, and ToolName and ToolInput its names for tool and input before the tool runs.
	Result    json.RawMessage `json:"tool_result"`
	ToolName  string          `json:"toolName"`
	ToolInput json.RawMessage `json:"toolInput"`
	ToolUse   string          `json:"tool_use_id"`
	// Suggestions are the rules that Claude Code would remember after an answer of "always".
	Suggestions json.RawMessage   `json:"permission_suggestions"`
	Background  []json.RawMessage `json:"background_tasks"`
	Crons       []json.RawMessage `json:"session_crons"`
	Dir         string            `json:"cwd"`
	// Error and Interrupted belong to a tool that failed.
	Error       string `json:"error"`
	Interrupted bool   `json:"is_interrupt"`
	// Subagent is set if the event is a subagent's. Its text is in a transcript of its own.
	Subagent   string `json:"agent_id"`
	SubagentIn string `json:"agent_transcript_path"`

	// Thread and the next fields come from Codex's notify, which spells its fields with dashes.
	Thread     string `json:"thread-id"`
	NotifyLast string `json:"last-assistant-message"`

	// SessionID and the next fields come from vise's plugin for OpenCode.
	SessionID string                       `json:"sessionID"`
	Messages  []transcript.OpenCodeMessage `json:"messages"`
	// Used are the session's replies, with the tokens of each and its time in milliseconds.
	Used []struct {
		ID     string `json:"id"`
		At     int64  `json:"at"`
		Input  int64  `json:"input"`
		Output int64  `json:"output"`
	} `json:"used"`

	// Behind is what vise tells its own calls in the background.
	Behind behind `json:"vise"`
}

// handle carries out an event. An unknown event is only counted.
func (c *call) handle(ctx context.Context) error {
	var p payload
	if err := json.Unmarshal(c.payload, &p); err != nil {
		return model.Misread(c.program+" "+c.event, err)
	}
	c.session, c.Dir = cmp.Or(p.Session, p.SessionID, p.Thread), cmp.Or(p.Dir, c.Dir)
	c.complete(&p)
	if c.asks(&p) {
		return c.asked(ctx, p)
	}
	if err := c.settle(ctx, p); err != nil {
		c.busy = true // the next event ends the prompts
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
		if c.program == "copilot" {
			return c.permit(p)
		}
		c.does(p, home.SessionWorks)
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
		c.works(ctx, p)
		return c.observe(ctx, p)
	case "Stop", "SubagentStop":
		return c.stopped(ctx, p)
	case "notify":
		p.Last = p.NotifyLast
		return cmp.Or(c.unhooked(ctx, p), c.stopped(ctx, p))
	case "StopFailure":
		c.rests()
		return errors.Join(c.limited(ctx, transcript.LimitIn(p.Last, c.Now())), c.brokenOff(ctx, p))
	case "SessionEnd":
		c.goesOn(p)
		c.home.EndSession(c.agent, c.program, c.session)
		return errors.Join(c.counts(ctx, p), c.brokenOff(ctx, p), c.sessionEnded(ctx, p))
	}
	return nil
}

// openCode takes the rounds that vise's plugin read from the session, and answers with the text that the plugin passes on.
func (c *call) openCode(ctx context.Context, p payload) error {
	switch c.event {
	case "session.idle": // the plugin prompts the session with the answer
		if p.Subagent != "" { // its prompt looks like a person's
			c.home.EndSession(c.agent, c.program, c.session)
		}
		if err := c.rounds(ctx, transcript.OpenCode(p.Messages)); err != nil || p.Subagent != "" {
			return err
		}
		if err := c.summary(ctx, transcript.FinalText(p.Messages)); err != nil {
			return err
		}
		c.countsPlugin(p)
		c.changed(ctx)
		text := c.urgent(ctx)
		if text == "" {
			c.rests()
		}
		return c.print(text)
	case restEvent:
		return c.restInPlugin(ctx)
	case "chat.message": // the plugin puts the answer before the prompt
		c.goesOn(payload{})
		c.works(ctx, p)
		if prompt.IsIn(p.Prompt, c.agent) {
			return nil
		}
		text, err := c.context(ctx, sessionBudget)
		return errors.Join(err, c.print(text))
	case "tool.execute.after": // the plugin adds the answer to the tool's result
		c.works(ctx, p)
		c.edited(ctx, p)
		if !transcript.IsOurs(p.Tool) {
			return errors.Join(c.print(c.news(ctx)), c.observe(ctx, p))
		}
		return c.completedInPlugin(p)
	}
	return nil
}

// completedInPlugin remembers an OpenCode completion with the text that the reply has so far, because the program may end before its turn
// does.
func (c *call) completedInPlugin(p payload) error {
	ref := transcript.Completes(p.Tool, p.Input)
	if ref == "" || !transcript.Succeeded(p.Response) || len(p.Messages) == 0 {
		return nil
	}
	return c.remember(pending{ToolUse: p.ToolUse, Item: ref, Round: &transcript.Round{
		ID: p.Messages[0].Info.ID, Text: transcript.FinalText(p.Messages), Completed: []string{ref},
		Provenance: model.ReportSameRound, Tools: []string{p.ToolUse},
	}})
}

// toolUsed remembers a completion until the turn ends, when its text is known.
func (c *call) toolUsed(p payload) error {
	ref := transcript.Completes(p.Tool, p.Input)
	if ref == "" || !transcript.Succeeded(p.Response) {
		return nil
	}
	x := pending{ToolUse: cmp.Or(p.ToolUse, ref), Item: ref, Subagent: p.Subagent}
	if f, size, err := openTranscript(c.transcripts(), p.Transcript); err == nil {
		f.Close()
		x.Dir, x.Transcript, x.Place = c.transcripts(), p.Transcript, size
	}
	return c.remember(x)
}

// sessionEnded pauses the thread of the session's repository and records only facts in it. A repository without threads gets none.
func (c *call) sessionEnded(ctx context.Context, p payload) error {
	if !filepath.IsAbs(p.Dir) || !c.threadsIn(p.Dir).Exist() {
		return nil
	}
	x := home.Execution{ID: c.program + " " + c.session, SessionEnd: true}
	soon, cancel := c.soon(ctx)
	defer cancel()
	x.Item, _ = c.home.Focus(soon, c.agent) // while the ledger is busy there are the facts alone
	_, err := c.threadsIn(p.Dir).Record(ctx, x)
	return err
}

func (c *call) threadsIn(dir string) home.Threads {
	return home.Threads{Dir: dir, Now: c.Now, Actor: string(model.AgentActor(c.agent))}
}

// The sizes of the work context at the beginning of a session and at a prompt, in tokens.
const (
	sessionBudget = 2048
	promptBudget  = 512
)

// addContext gives the agent its work context, unless a driver did. The hook of the prompt checks whether the program reads the driver's
// context.
func (c *call) addContext(ctx context.Context, p payload, budget int) error {
	switch {
	case prompt.IsIn(p.Prompt, c.agent), c.driven() && c.event == "SessionStart":
		return nil
	case c.driven():
		budget = sessionBudget
	case c.event == "UserPromptSubmit" && c.begunWithIt(ctx):
		return c.add(c.handed(ctx, false))
	}
	text, err := c.context(ctx, budget)
	return errors.Join(err, c.add(text))
}

// begun is the kind of state that holds the digest of the work context that a session got at its beginning, until its first prompt.
const begun = "begun"

// begunWithIt reports, at the first prompt of a session, whether the session got the current work context at its beginning.
func (c *call) begunWithIt(ctx context.Context) bool {
	path := c.state(begun, c.session)
	raw, err := files.ReadSmall(path, maxState)
	if err != nil {
		return false
	}
	_ = os.Remove(path)
	var was string
	text, err := c.work(ctx, sessionBudget)
	// While the ledger is busy there is nothing newer to tell.
	return err != nil || json.Unmarshal(raw, &was) == nil && was == digest(text)
}

// digest hashes a work context without its first line, which names the ledger's revision.
func digest(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return keyOf(begun, rest)
}

// driven reports whether a driver runs the program and gives it the work context.
func (c *call) driven() bool { return c.Getenv("VISE_TURN") != "" }

// late is the kind of state that names the sessions that got no context because the ledger was busy.
const late = "late"

// context returns the agent's work context and the messages for it, or "" for an agent without any work. A session that gets none now gets
// the whole context at its next hook.
func (c *call) context(ctx context.Context, budget int) (string, error) {
	isLate := c.wasDone(late, c.session)
	if isLate {
		budget = sessionBudget
	}
	text, err := c.work(ctx, budget)
	if err != nil && !isLate && c.session != "" {
		c.once(late, c.session)
	}
	if err != nil || text == "" {
		return text, err
	}
	if isLate {
		c.undo(late, c.session)
	}
	if c.event == "SessionStart" {
		err = writeJSON(c.state(begun, c.session), digest(text))
	}
	// Messages that were handed to the previous session may never have reached this one.
	return text + c.handed(ctx, isLate || c.event != "UserPromptSubmit"), err
}

// news returns the text that a session gets after a tool: its context if that is late, else urgent messages and overlaps.
func (c *call) news(ctx context.Context) string {
	if !c.wasDone(late, c.session) {
		return joined(c.urgent(ctx), c.overlaps(ctx))
	}
	text, _ := c.context(ctx, sessionBudget) // if the ledger is still busy, the next hook gives it
	return text
}

// work returns the agent's work context without messages.
func (c *call) work(ctx context.Context, budget int) (text string, err error) {
	o := prompt.Options{Budget: budget, Now: c.Now()}
	var focus model.WorkItem
	if err := c.view(ctx, func(r model.Reader) { focus, _ = model.Focus(r, c.agent) }); err != nil {
		return "", err
	}
	reading, end := context.WithTimeout(ctx, leftTimeout)
	defer end()
	o.Left = c.threadsIn(c.Dir).Left(reading, focus.Links)
	err = c.view(ctx, func(r model.Reader) {
		if _, ok := r.Agent(c.agent); ok {
			fit := prompt.Fit(r, c.agent, o)
			text = fit.Text()
			c.toldOverlaps(r, fit)
		}
	})
	return text, err
}

// handed returns the text of the messages that the session gets now. With all it includes messages that an earlier session was handed. They
// count as seen when the agent acts next. Messages that cannot be handed over now wait for the next hook.
func (c *call) handed(ctx context.Context, all bool) string {
	ctx, cancel := c.soon(ctx)
	defer cancel()
	agent := c.agent
	hand := model.Envelope{Key: home.NewKey(), Actor: model.AgentActor(agent), Agent: agent,
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

// urgent returns the text of the session's queued messages if any of them is urgent: of any priority except background. While a turn runs,
// its driver delivers them.
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

// add gives text to the agent. Copilot CLI gets it without the outer object.
func (c *call) add(text string) error {
	switch {
	case text == "":
		return nil
	case c.program == "copilot":
		return c.give(map[string]string{"additionalContext": text})
	}
	return c.give(specific{"hookSpecificOutput": {Event: c.own, Context: text}})
}

// block makes the program continue with text instead of ending its turn.
func (c *call) block(text string) error {
	return c.give(map[string]string{"decision": "block", "reason": text})
}

// give answers the program with JSON.
func (c *call) give(v any) error { return json.NewEncoder(c.Out).Encode(v) }

// specific is an answer to an event, in the form of Claude Code's hooks, which other programs share.
type specific map[string]struct {
	Event    string `json:"hookEventName"`
	Context  string `json:"additionalContext,omitempty"`
	Decision any    `json:"decision,omitempty"`
}

func (c *call) print(text string) error {
	_, err := fmt.Fprint(c.Out, text)
	return err
}
