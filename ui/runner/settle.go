package runner

import (
	"context"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/transcript"
)

// Settle gives the ledger what sessions said in turns whose driver died: the rounds in their logs that it has not taken. Every process that
// has the home open calls it. A log that cannot be read is tried again.
func Settle(ctx context.Context, h *home.Home) {
	for _, s := range h.Turns() {
		if Alive(s.Driver) {
			continue
		}
		entries, _, err := acp.ReadLog(acp.LogPath(h.Dir(), s.Agent, s.ID), s.Offset)
		if err != nil {
			continue
		}
		program, _ := acp.Named(s.Program)
		for i, r := range saidIn(entries, program) {
			r.Turn = s.Turn
			if err = apply(ctx, h, s.Agent, r, roundKey(s.ID, s.Turn, i+1)); err != nil && !home.RefusedForGood(err) {
				break
			}
		}
		if err == nil || home.RefusedForGood(err) {
			h.EndTurn(s)
		}
	}
}

// saidIn returns the rounds of a turn's entries.
func saidIn(entries []acp.Entry, program acp.Program) []said {
	replies := program.Reading()
	var all []transcript.Round
	for _, e := range entries {
		switch {
		case e.Update != nil:
			all = append(all, replies.Update(*e.Update)...)
		case e.Ask != nil && e.Answer == "":
			replies.Asks(*e.Ask)
		case e.Ask != nil && e.Answer == model.Text(model.PermitDeny):
			replies.Refused(e.Ask.ToolCallId)
		}
	}
	rest, _ := replies.End(false)
	return saidOf(append(all, rest...))
}

// apply gives the ledger a round. The trace takes the words of one without a completion only until the ledger has ended the turn.
func apply(ctx context.Context, h *home.Home, agent model.AgentID, s said, key string) error {
	if len(s.done) > 0 {
		_, _, err := h.Report(ctx, home.HookReport{Key: key, Agent: agent, Items: s.done, Text: s.Text,
			Provenance: s.Provenance, At: h.Now()})
		return err
	}
	s.Round.Provenance = ""
	_, err := h.Apply(ctx, model.Envelope{Key: key, Actor: model.AgentActor(agent), Agent: agent, Command: s.Round})
	if e := model.AsError(err); e != nil && e.Code == model.CodeStale {
		return nil
	}
	return err
}
