package agents

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// stopped delivers the completions of the session, or of one of its subagents, since its last stop. An agent that is about to become idle
// gets urgent messages first. A program that is continuing because a hook asked it to is not asked again.
func (c *call) stopped(ctx context.Context, p payload) error {
	waiting := c.recall()
	if c.event == "SubagentStop" {
		p.Transcript = p.SubagentIn
		waiting = slices.DeleteFunc(waiting, func(x pending) bool { return x.Subagent == "" || x.Subagent != p.Subagent })
	}
	if programOf(c.program).unnamed {
		p.Last = c.finalText(ctx, p)
	}
	asked, err := c.report(ctx, p, waiting)
	if !asked && c.event != "SubagentStop" {
		err = cmp.Or(err, c.summary(ctx, transcript.Words(p.Last)))
	}
	if err != nil || asked || c.event != "Stop" {
		return err
	}
	c.changed(ctx)
	_ = c.limited(ctx, time.Time{}) // the model answered; if the ledger is busy, the end of the next turn records it
	if !p.Active {
		if text := c.urgent(ctx); text != "" {
			return c.block(text)
		}
	}
	c.rests()
	return errors.Join(c.counts(ctx, p), c.awaitInServer(p))
}

// brokenOff delivers the completions of a turn that ends without a final text because the model failed or somebody interrupted it.
// Completions without text stay pending for TakePending.
func (c *call) brokenOff(ctx context.Context, p payload) error {
	waiting := c.recall()
	if len(waiting) == 0 {
		return nil
	}
	rounds, err := c.fromTranscript(ctx, p, waiting, endPauses)
	return cmp.Or(c.rounds(ctx, rounds), err)
}

// summary delivers the final text of a session or of one of its turns. The next session gets it.
func (c *call) summary(ctx context.Context, words model.Text) error {
	if words == "" {
		return nil
	}
	key := keyOf(c.program, c.session, "summary", words.Raw()) // raw: hashed, not shown
	return c.deliver(ctx, home.HookReport{Key: key, Text: words})
}

// report delivers the text of the completions. If the operator wants that, it asks the agent once for missing reports; asked then is true.
// The agent's answer is a final text of a turn, so it is offered as a report and not promoted to one.
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
	return false, cmp.Or(c.rounds(ctx, withFinal(p, rounds, waiting)), err)
}

// withFinal adds the turn's final text as an offer to completions whose own text is missing or only an announcement. A session that will
// continue by itself has no final text yet.
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

// rounds delivers each round under its own key, and removes its pending completions.
func (c *call) rounds(ctx context.Context, list []transcript.Round) error {
	var first error
	for _, r := range list {
		key := keyOf(c.program, c.session, r.ID)
		err := c.deliver(ctx, home.HookReport{Key: key, Items: r.Completed, Text: r.Text, Provenance: r.Provenance})
		if err != nil && first == nil {
			first = err
		}
		if err == nil || home.RefusedForGood(err) {
			c.forget(r.Tools)
		}
	}
	return first
}

func keyOf(parts ...string) string {
	return "hook-" + model.Hash(parts...)[:32]
}
