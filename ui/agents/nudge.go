package agents

import (
	"context"
	"encoding/json"
	"fmt"

	"vise/model"
)

// Nudge is what a resting session of Codex's server is prompted with. The messages
// themselves come with the prompt's own hook: what is never prompted is never said to be sent.
const Nudge = "There are messages for you; they come with this prompt."

// maxNudges is how often a session that cannot be prompted is tried.
const maxNudges = 3

// resting is what a call that waits beside a session of Codex's server is told.
type resting struct {
	Session string `json:"session_id"`
	Own     string `json:"own"`
	Server
}

// Server is a program that keeps sessions while they rest.
type Server struct {
	// Program is its file, or its name.
	Program string        `json:"program"`
	Process model.Process `json:"process"`
}

// mindRest has a session that rests in Codex's server waited for. One without a server ends
// with its turn (codex exec).
func (c *call) mindRest(p payload) error {
	if c.program != "codex" || c.event != "Stop" || p.Session == "" || p.Subagent != "" || c.Server == nil {
		return nil
	}
	server, ok := c.Server()
	if !ok {
		return nil
	}
	own, err := c.mark(p.Session)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(resting{Session: p.Session, Own: own, Server: server})
	if err != nil {
		return err
	}
	return c.Detach([]string{"hook", c.program, Rest, "--agent", c.agent, "--home", c.home.Dir(), string(raw)})
}

// restInServer waits until something presses, and prompts the session.
func (c *call) restInServer(ctx context.Context) error {
	var r resting
	if err := json.Unmarshal(c.payload, &r); err != nil || r.Session == "" || r.Own == "" {
		return fmt.Errorf("%s %s: no session is named", c.program, c.event)
	}
	ctx, done, err := c.standBy(ctx, r.Session, r.Own)
	if err != nil {
		return err
	}
	defer done()
	if c.Ended != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() { c.Ended(ctx, r.Process); cancel() }()
	}
	message, err := c.untilPressed(ctx)
	if err != nil {
		return nil
	}
	for range maxNudges {
		if _, err = c.Exec(ctx, r.Program, "", "queue", "--thread", r.Session, "--message", Nudge); err == nil || ctx.Err() != nil {
			return nil
		}
		c.Wait(ctx, retryRest)
	}
	c.undo("nudged", message) // another session may take it
	return fmt.Errorf("the session was not prompted: %w", err)
}

// restInPlugin waits beside a session of OpenCode's until something presses; our plugin
// prompts the session with what is written then.
func (c *call) restInPlugin(ctx context.Context, session string) error {
	if session == "" {
		return fmt.Errorf("%s %s: no session is named", c.program, c.event)
	}
	ctx, done, err := c.standBy(ctx, session, "")
	if err != nil {
		return err
	}
	defer done()
	if _, err := c.untilPressed(ctx); err != nil {
		return nil
	}
	_, err = fmt.Fprint(c.Out, Nudge)
	return err
}

// untilPressed returns when something pressing is queued that no other session is prompted
// for, or with an error when the waiting is over.
func (c *call) untilPressed(ctx context.Context) (first string, err error) {
	agent := model.AgentID(c.agent)
	for ctx.Err() == nil {
		var revision uint64
		first = ""
		err := c.home.View(ctx, func(r model.Reader) error {
			if revision = r.Revision(); presses(r, agent) {
				first = string(r.QueuedMessages(agent, 1)[0].ID)
			}
			return nil
		})
		if err == nil && first != "" && ctx.Err() == nil && c.once("nudged", first) {
			return first, nil
		}
		if err == nil {
			_, err = c.home.Follow(ctx, revision)
		}
		if err != nil {
			c.Wait(ctx, retryRest)
		}
	}
	return "", ctx.Err()
}
