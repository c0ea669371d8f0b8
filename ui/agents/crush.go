package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/ui/transcript"
)

// followEvent is not an event of Crush. vise calls itself with it in the background when a session completes something. Crush has no hook
// after a tool and none at the end of a turn.
const followEvent = "Follow"

const (
	// followLimit is how long vise waits for the end of a turn.
	followLimit = 2 * time.Hour
	// The pauses between two reads of a session double from leastPause to the longest. A read runs `crush session show`, which takes 50 ms
	// of CPU time.
	leastPause = 500 * time.Millisecond
	mostPause  = 15 * time.Second
	// maxUnread is the number of failed reads in a row after which vise stops following a session.
	maxUnread = 5
)

// crush handles Crush's single hook, and the calls that vise makes itself.
func (c *call) crush(ctx context.Context, p payload) error {
	switch c.event {
	case "PreToolUse":
		c.edited(ctx, p)
		notKept := c.completing(p)
		text, err := c.textBefore(ctx, p)
		if text != "" && err == nil { // it goes into the answer of the tool that is about to run
			err = c.give(map[string]string{"context": text})
		}
		return errors.Join(notKept, err)
	case followEvent:
		return c.follow(ctx, p.Behind.Program)
	}
	return nil
}

// completing remembers a completion that is about to be requested, and starts following the session.
func (c *call) completing(p payload) error {
	ref := transcript.Completes(p.Tool, p.Input)
	if ref == "" || c.session == "" {
		return nil
	}
	if err := c.remember(pending{ToolUse: ref, Item: ref}); err != nil {
		return err
	}
	return c.background(followEvent, behind{callingServer: callingServer{Program: c.Caller()}})
}

// background calls vise with one of its own events, in a process that outlives this call.
func (c *call) background(event string, b behind) error {
	raw, err := json.Marshal(map[string]any{"session_id": c.session, "cwd": c.Dir, "vise": b})
	if err != nil {
		return err
	}
	return c.Detach([]string{"hook", c.program, event, "--agent", string(c.agent), "--home", c.home.Dir(), string(raw)})
}

// textBefore returns the work context at a session's first tool, unless a driver gave it, and later the urgent messages. vise's own tools
// bring messages with their answers and prove that earlier ones were read, so no messages are handed over just before them.
func (c *call) textBefore(ctx context.Context, p payload) (text string, err error) {
	isFirst, isOurs := c.session != "" && !c.driven() && c.once("told", c.session), transcript.IsOurs(p.Tool)
	switch {
	case isFirst && isOurs:
		text, err = c.work(ctx, sessionBudget)
	case isFirst:
		text, err = c.context(ctx, sessionBudget)
	case !isOurs:
		text = joined(c.urgent(ctx), c.overlaps(ctx))
	}
	if isFirst && text == "" {
		c.undo("told", c.session) // the ledger is busy, or the agent has no work yet
	}
	return text, err
}

// follow reads a session until its completions have their text, or its turn is over. If several processes follow a session, the newest does
// it for all.
func (c *call) follow(ctx context.Context, program string) error {
	err := c.claim()
	if err != nil {
		return err
	}
	ctx, done := c.standBy(ctx)
	defer done()
	unread := 0
	for pause := leastPause; unread < maxUnread; pause = min(2*pause, mostPause) {
		if c.Wait(ctx, pause); ctx.Err() != nil {
			return nil
		}
		isOver, readErr := c.readSession(ctx, program)
		if isOver {
			return readErr
		}
		if unread, err = unread+1, readErr; readErr == nil {
			unread = 0
		}
	}
	return err
}

// readSession delivers the completions of the session that have text. program is the Crush that runs it: another version might change its
// database. isOver means that there is nothing left to wait for.
func (c *call) readSession(ctx context.Context, program string) (isOver bool, err error) {
	waiting := c.recall()
	if len(waiting) == 0 {
		return true, nil
	}
	raw, err := c.Exec(ctx, program, c.Dir, "session", "show", c.session, "--json")
	if err != nil {
		return false, fmt.Errorf("%s does not show the session: %w", model.Text(filepath.Base(program)), err)
	}
	list, rests, err := transcript.Crush(raw)
	if err != nil {
		return false, fmt.Errorf("the session is not as expected: %w", err)
	}
	var ready []transcript.Round
	for _, r := range list {
		if !r.Waits && slices.ContainsFunc(waiting, func(x pending) bool { return slices.Contains(r.Completed, x.Item) }) {
			r.Tools = r.Completed // Crush's hook gives a call no other name than the completion it asks for
			ready = append(ready, r.Round)
		}
	}
	if err := c.rounds(ctx, ready); err != nil {
		return false, err
	}
	if rests { // the remaining completions were refused
		for _, x := range waiting {
			c.forget([]string{x.ToolUse})
		}
	}
	return len(c.recall()) == 0, nil
}
