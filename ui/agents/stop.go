package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// stopped settles what the session, or one of its subagents, completed since its last stop.
func (c *call) stopped(ctx context.Context, p payload) error {
	waiting := c.recall(p.Session)
	if c.event == "SubagentStop" {
		p.Transcript = p.SubagentIn
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return x.Subagent == "" || x.Subagent != p.Subagent })
	}
	asked, err := c.settle(ctx, p, waiting)
	if err != nil || asked || c.event == "SubagentStop" {
		return err
	}
	return c.goOn(ctx, p)
}

// settle delivers the words of what was completed. Asked: the agent is asked for some first.
func (c *call) settle(ctx context.Context, p payload, waiting []pending) (asked bool, err error) {
	if len(waiting) == 0 {
		return false, nil
	}
	rounds, err := c.fromTranscript(ctx, p, waiting)
	for _, r := range rounds {
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) })
	}
	if ask := c.silent(rounds, waiting, p); ask != "" {
		return true, c.askFor(ask)
	}
	if deliverErr := c.withLast(ctx, p, rounds, waiting); deliverErr != nil {
		return false, deliverErr
	}
	return false, err
}

// silent names what was completed without a word, if the operator wants that asked about
// and it was not asked yet.
func (c *call) silent(rounds []transcript.Round, waiting []pending, p payload) string {
	if !c.askReport || p.Active {
		return ""
	}
	var names []string
	for _, r := range rounds {
		if r.Text == "" && len(r.Completed) == 1 {
			names = append(names, r.Completed...)
		}
	}
	for _, x := range waiting {
		names = append(names, x.Item)
	}
	return strings.Join(names, ", ")
}

// askFor asks the agent for the report once. What it says then is a turn's final text:
// offered, not promoted.
func (c *call) askFor(items string) error {
	return c.block(fmt.Sprintf("You completed %s with no report text. Write the report now: what was done, how it was checked, what is left.", items))
}

// withLast delivers the rounds that were found, and gives what has no words of its own the
// turn's last ones, as an offer. A session that will go on by itself has no last words yet.
func (c *call) withLast(ctx context.Context, p payload, rounds []transcript.Round, waiting []pending) error {
	last := transcript.Words(p.Last)
	paused := len(p.Background)+len(p.Crons) > 0
	for i, r := range rounds {
		if r.Text == "" && len(r.Completed) == 1 && last != "" {
			rounds[i].Text, rounds[i].Provenance = last, model.ReportTurnFinal
		}
	}
	if err := c.rounds(ctx, p.Session, rounds); err != nil {
		return err
	}
	if paused || len(waiting) == 0 {
		return nil
	}
	rest := transcript.Round{ID: "last:" + waiting[0].ToolUse, Text: last, Provenance: model.ReportTurnFinal}
	for _, x := range waiting {
		if !slices.Contains(rest.Completed, x.Item) {
			rest.Completed = append(rest.Completed, x.Item)
		}
		rest.Tools = append(rest.Tools, x.ToolUse)
	}
	return c.rounds(ctx, p.Session, []transcript.Round{rest})
}

// rounds delivers rounds, each under a key of its own, and forgets what was pending of them.
func (c *call) rounds(ctx context.Context, session string, list []transcript.Round) error {
	var first error
	for _, r := range list {
		err := c.deliver(ctx, home.HookReport{Key: keyOf(c.program, session, r.ID), Items: r.Completed, Text: r.Text, Provenance: r.Provenance})
		if err != nil && first == nil {
			first = err
		}
		if err == nil || home.RefusedForGood(err) {
			c.forget(session, r.Tools)
		}
	}
	return first
}

func keyOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "hook-" + hex.EncodeToString(sum[:16])
}
