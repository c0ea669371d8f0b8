package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"vise/model"
	"vise/model/prompt"
)

// The budgets of the work context at the beginning of a session and of a prompt, in tokens.
const (
	sessionBudget = 2048
	promptBudget  = 512
)

// addContext gives the agent its work context.
func (c *call) addContext(ctx context.Context, budget int) error {
	text, err := c.context(ctx, budget)
	return errors.Join(err, c.add(text))
}

// context is the agent's work context, and the messages that it is handed; empty for an agent
// without any work.
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

// handed are the messages that the agent is handed now, as text; with all, again those that a
// session before was handed. They count as seen when the agent acts next; what cannot be handed
// now waits for the next hook.
func (c *call) handed(ctx context.Context, all bool) string {
	agent := model.AgentID(c.agent)
	in, err := c.home.Apply(ctx, model.Envelope{Key: keyOf(c.program, "hand", c.Now().String(), fmt.Sprint(os.Getpid())),
		Actor: model.AgentActor(agent), Agent: agent, Command: model.HandMessages{AgentID: agent}})
	if err != nil {
		return ""
	}
	text := ""
	_ = c.home.View(ctx, func(r model.Reader) error { // what is not read is handed to the next session
		list := in.Messages
		if a, _ := r.Agent(agent); all {
			list = a.Handed
		}
		messages := make([]model.Message, len(list))
		for i, id := range list {
			messages[i], _ = r.Message(id)
		}
		text = prompt.Messages(messages)
		return nil
	})
	return text
}

// urgent is the text of the queued messages, if any of them should not wait for the next prompt:
// all but background ones. While a turn runs they are the turn's.
func (c *call) urgent(ctx context.Context) string {
	if c.busy {
		return ""
	}
	ctx, cancel := c.soon(ctx)
	defer cancel()
	first, _, err := c.firstUrgent(ctx)
	if c.busy = err != nil; c.busy || first == "" {
		return ""
	}
	return c.handed(ctx, false)
}

// firstUrgent is the first queued message that should not wait for a prompt, if there is one,
// and the revision at which that was read.
func (c *call) firstUrgent(ctx context.Context) (first model.MessageID, revision uint64, err error) {
	err = c.home.View(ctx, func(r model.Reader) error {
		first, revision = "", r.Revision()
		queued := r.QueuedMessages(model.AgentID(c.agent), 1)
		if i := slices.IndexFunc(queued, func(m model.Message) bool { return m.Priority != model.Background }); i >= 0 {
			first = queued[i].ID
		}
		return nil
	})
	return first, revision, err
}

// add gives the agent text, in the form of Claude Code's hooks, which Codex has taken over.
func (c *call) add(text string) error {
	if text == "" {
		return nil
	}
	var out struct {
		Specific struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	out.Specific.Event, out.Specific.Context = c.event, text
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
