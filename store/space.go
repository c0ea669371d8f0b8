package store

import (
	"context"

	"vise/model"
)

// SpaceScarce is the share of a cluster's quota in percent from which only commands that end something are taken. What they need, and
// what the archiver needs to delete, is thereby left.
const SpaceScarce = 85

// spaceFor refuses a command that ends nothing if the space of the cluster is scarce.
func (l *Ledger) spaceFor(ctx context.Context, c model.Command) error {
	if ends(c) {
		return nil
	}
	if used, known := l.backend.SpaceUsed(ctx); known && used >= SpaceScarce {
		return model.Refuse(model.CodeFull, "%d %% of the cluster's space is in use: only changes that end something are taken, such as "+
			"completions, ends of turns and answers", used).
			WithHint("vise serve archives old changes; then compact and defragment the cluster, or raise its quota: docs/fleet.md")
	}
	return nil
}

// ends reports whether a command ends something: work, a turn, a task, a question, a wait, or what is offered to the operator.
func ends(c model.Command) bool {
	switch c := c.(type) {
	case model.CompleteWorkItem, model.ReportWorkItem, model.OfferReport, model.DeclineReport, model.EndTurn, model.EndTask,
		model.Answer, model.AnswerPermission, model.EndPermissions, model.CancelWait, model.CancelDelegation, model.RevokeIngress,
		model.Acknowledge:
		return true
	case model.Round:
		return allEnd(c.Calls)
	case model.Batch:
		return allEnd(c.Calls)
	}
	return false
}

// allEnd reports whether there are calls, and each ends something.
func allEnd(calls []model.Call) bool {
	for _, c := range calls {
		if !ends(c.Command) {
			return false
		}
	}
	return len(calls) > 0
}

// AtOnce is how many records one change can take, up to some, if each takes so many operations. A ledger in a file takes all.
func (l *Ledger) AtOnce(operations, most int) int {
	ops, _ := l.backend.Limits()
	return min(most, max(ops/operations, 1))
}
