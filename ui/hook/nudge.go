package hook

import (
	"context"
	"encoding/json"
	"errors"
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
	if c.untilPressed(ctx) != nil {
		return nil
	}
	for range maxNudges {
		if err = c.Prompt(ctx, r.Program, r.Session, Nudge); err == nil || ctx.Err() != nil {
			return nil
		}
		c.Wait(ctx, retryRest)
	}
	return fmt.Errorf("the session was not prompted: %w", err)
}

// untilPressed returns when the queue holds something pressing, or with an error when the
// waiting is over.
func (c *call) untilPressed(ctx context.Context) error {
	for ctx.Err() == nil {
		var revision uint64
		pressed := false
		err := c.ledger.View(ctx, func(r model.Reader) error {
			revision, pressed = r.Revision(), presses(r, model.AgentID(c.agent))
			return nil
		})
		if pressed && err == nil {
			return ctx.Err()
		}
		if err == nil {
			_, err = c.ledger.Follow(ctx, revision)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			c.Wait(ctx, retryRest)
		}
	}
	return ctx.Err()
}
