package agents

import (
	"context"
	"encoding/json"
	"errors"

	"vise/ui/transcript"
)

// Settle is no event of Crush's: it is what vise calls itself with, beside a session that
// completes something. Crush has no hook after a tool and none at the end of a turn.
const Settle = "Settle"

// crush does what Crush's one hook asks, and what vise asks itself.
func (c *call) crush(ctx context.Context, p payload) error {
	switch c.event {
	case "PreToolUse":
		return errors.Join(c.completing(p), c.tellBefore(ctx, p))
	case Settle:
		return c.settleSession(ctx)
	}
	return nil
}

// completing remembers a completion that is about to be asked for, and has it settled.
func (c *call) completing(p payload) error {
	ref := transcript.Completes(p.Tool, p.Input)
	if ref == "" || p.Session == "" {
		return nil
	}
	if err := c.remember(pending{Session: p.Session, ToolUse: ref, Item: ref, At: c.Now()}); err != nil {
		return err
	}
	raw, err := json.Marshal(settling{Session: p.Session, Dir: p.Dir, Program: c.Caller()})
	if err != nil {
		return err
	}
	return c.Detach([]string{"hook", c.program, Settle, "--agent", c.agent, "--home", c.home.Dir(), string(raw)})
}

// tellBefore adds words to the answer of the tool that is about to run.
func (c *call) tellBefore(ctx context.Context, p payload) error {
	words, err := c.wordsBefore(ctx, p)
	if err != nil || words == "" {
		return err
	}
	return json.NewEncoder(c.Out).Encode(map[string]string{"context": words})
}

// wordsBefore are the work context at a session's first tool, later what presses. Our own
// tools bring messages with their answers and prove that earlier ones were read, so that
// none is handed just before one.
func (c *call) wordsBefore(ctx context.Context, p payload) (words string, err error) {
	first, ours := p.Session != "" && c.once("told", p.Session), transcript.IsOurs(p.Tool)
	switch {
	case first && ours:
		words, err = c.work(ctx, sessionBudget)
	case first:
		words, err = c.context(ctx, sessionBudget)
	case !ours:
		words = c.pressing(ctx)
	}
	if first && words == "" {
		c.undo("told", p.Session) // the ledger is busy, or the agent has no work yet
	}
	return words, err
}
