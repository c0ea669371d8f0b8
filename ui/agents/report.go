package agents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// stopped delivers what the session, or one of its subagents, completed since its last stop. An
// agent that is about to rest reads urgent messages first; a program that goes on because it was
// asked to is not asked again.
func (c *call) stopped(ctx context.Context, p payload) error {
	waiting := c.recall(p.Session)
	if c.event == "SubagentStop" {
		p.Transcript = p.SubagentIn
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return x.Subagent == "" || x.Subagent != p.Subagent })
	}
	if programOf(c.program).unnamed {
		p.Last = c.finalText(ctx, p)
	}
	asked, err := c.report(ctx, p, waiting)
	if !asked && c.event != "SubagentStop" {
		err = cmp.Or(err, c.summary(ctx, p.Session, transcript.Words(p.Last)))
	}
	if err != nil || asked || c.event != "Stop" {
		return err
	}
	c.changed(ctx)
	_ = c.limited(ctx, time.Time{}) // the model answered; while the ledger is busy the next turn's end says so
	if !p.Active {
		if text := c.urgent(ctx); text != "" {
			return c.block(text)
		}
	}
	c.rests()
	return c.awaitInServer(p)
}

// brokenOff delivers what the session completed in a turn that ends without a final text: the model failed, or
// somebody interrupted it. What is not found stays pending, for TakePending.
func (c *call) brokenOff(ctx context.Context, p payload) error {
	waiting := c.recall(p.Session)
	if len(waiting) == 0 {
		return nil
	}
	rounds, err := c.fromTranscript(ctx, p, waiting, endPauses)
	return cmp.Or(c.rounds(ctx, p.Session, rounds), err)
}

// summary delivers the words that a session, or one of its turns, ended with: the next one is
// told of them.
func (c *call) summary(ctx context.Context, session string, words model.Text) error {
	if words == "" {
		return nil
	}
	key := keyOf(c.program, session, "summary", words.Raw()) // raw: hashed, not shown
	return c.deliver(ctx, home.HookReport{Key: key, Text: words})
}

// report delivers the words of what was completed. Asked: where the operator wants that, the
// agent is asked once for those that are missing; what it says then is a turn's final text,
// which is offered, not promoted.
func (c *call) report(ctx context.Context, p payload, waiting []pending) (asked bool, err error) {
	if len(waiting) == 0 {
		return false, nil
	}
	rounds, err := c.fromTranscript(ctx, p, waiting, readPauses)
	var silent []string
	for _, r := range rounds {
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return slices.Contains(r.Tools, x.ToolUse) })
		if r.Text == "" && len(r.Completed) == 1 {
			silent = append(silent, r.Completed...)
		}
	}
	for _, x := range waiting {
		silent = append(silent, x.Item)
	}
	if c.askReport && !p.Active && len(silent) > 0 {
		return true, c.block("You completed " + strings.Join(silent, ", ") + " with no report text. " +
			"Write the report now: what was done, how it was checked, what is left.")
	}
	return false, cmp.Or(c.rounds(ctx, p.Session, withFinal(p, rounds, waiting)), err)
}

// withFinal gives what has no words of its own, or only announces, the turn's final text, as an
// offer. A session that will go on by itself has none yet.
func withFinal(p payload, found []transcript.Round, waiting []pending) (rounds []transcript.Round) {
	final := transcript.Words(p.Last)
	for _, r := range found {
		rounds = append(rounds, r.WithFinal(final)...)
	}
	if len(p.Background)+len(p.Crons) > 0 || len(waiting) == 0 {
		return rounds
	}
	rest := transcript.Round{ID: "last:" + waiting[0].ToolUse, Text: final, Provenance: model.ReportTurnFinal}
	for _, x := range waiting {
		if !slices.Contains(rest.Completed, x.Item) {
			rest.Completed = append(rest.Completed, x.Item)
		}
		rest.Tools = append(rest.Tools, x.ToolUse)
	}
	return append(rounds, rest)
}

// rounds delivers rounds, each under a key of its own, and forgets what was pending of them.
func (c *call) rounds(ctx context.Context, session string, list []transcript.Round) error {
	var first error
	for _, r := range list {
		key := keyOf(c.program, session, r.ID)
		err := c.deliver(ctx, home.HookReport{Key: key, Items: r.Completed, Text: r.Text, Provenance: r.Provenance})
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
