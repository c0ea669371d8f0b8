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
func Settle(ctx context.Context, l home.Ledger, dir string, sessions home.Sessions) {
	for _, s := range sessions.Turns() {
		if Alive(s.Driver) {
			continue
		}
		entries, _, err := acp.ReadEnd(acp.LogPath(dir, s.Agent, s.ID), s.Offset, 1<<62)
		if err != nil {
			continue
		}
		program, _ := acp.Named(s.Program)
		for i, r := range saidIn(entries, program) {
			r.key = roundKey(s.Agent, s.ID, s.Turn, i+1)
			if _, err = r.apply(ctx, l, s.Agent, s.Turn); err != nil && !home.RefusedForGood(err) {
				break
			}
		}
		if err == nil || home.RefusedForGood(err) {
			sessions.EndTurn(s)
		}
	}
}

// saidIn returns the rounds of a turn's entries.
func saidIn(entries []acp.Entry, program acp.Program) []said {
	replies := acp.Replies{Program: program}
	var all []transcript.Round
	for _, e := range entries {
		switch {
		case e.Update != nil:
			all = append(all, replies.Update(*e.Update)...)
		case e.Ask != nil:
			if replies.Asks(*e.Ask); e.Answer == model.Text(model.PermitDeny) {
				replies.Refused(e.Ask.ToolCallId)
			}
		}
	}
	rest, _ := replies.End(false)
	return saidOf(append(all, rest...))
}
