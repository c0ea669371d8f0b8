package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"vise/model"
	"vise/model/prompt"
)

// handed are the messages that the agent was handed now, as words; again those that a
// session before was handed, if all is set. They count as seen when the agent acts next;
// what cannot be handed now waits for the next hook.
func (c *call) handed(ctx context.Context, all bool) string {
	agent := model.AgentID(c.agent)
	in, err := c.home.Apply(ctx, model.Envelope{Key: keyOf(c.program, "hand", c.Now().String(), fmt.Sprint(os.Getpid())),
		Actor: model.AgentActor(agent), Agent: agent, Command: model.HandMessages{AgentID: agent}})
	if err != nil {
		return ""
	}
	var told []model.Message
	err = c.home.View(ctx, func(r model.Reader) error {
		told = nil
		list := in.Messages
		if a, _ := r.Agent(agent); all {
			list = a.Handed
		}
		for _, id := range list {
			m, _ := r.Message(id)
			told = append(told, m)
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return prompt.Messages(told)
}

// pressing are the words of the queue, if it holds some that should not wait for the next
// prompt: all but background ones. While a turn runs they are the turn's.
func (c *call) pressing(ctx context.Context) string {
	if c.busy {
		return ""
	}
	ctx, cancel := c.soon(ctx)
	defer cancel()
	waits := false
	err := c.home.View(ctx, func(r model.Reader) error {
		waits = presses(r, model.AgentID(c.agent))
		return nil
	})
	if c.busy = err != nil; c.busy || !waits {
		return ""
	}
	return c.handed(ctx, false)
}

// interject tells a working agent what waits for it, between two of its tools.
func (c *call) interject(ctx context.Context) error {
	if words := c.pressing(ctx); words != "" {
		return c.add(words)
	}
	return nil
}

// goOn has an agent that is about to rest read what waits for it first. A program that goes
// on because it was asked to is not asked again.
func (c *call) goOn(ctx context.Context, p payload) error {
	if c.event == "notify" {
		return nil
	}
	if !p.Active {
		if words := c.pressing(ctx); words != "" {
			return c.block(words)
		}
	}
	return c.mindRest(p)
}

// add gives the agent words, in the form of Claude Code's hooks, which Codex has taken over.
func (c *call) add(words string) error {
	var out struct {
		Specific struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	out.Specific.Event, out.Specific.Context = c.event, words
	return json.NewEncoder(c.Out).Encode(out)
}

// block has the program go on with words instead of resting.
func (c *call) block(words string) error {
	return json.NewEncoder(c.Out).Encode(map[string]string{"decision": "block", "reason": words})
}
