package store_test

import (
	"fmt"
	"testing"
	"time"

	"vise/model"
	"vise/store"
)

// BenchmarkTick fires a hundred due timers in one durable transaction.
func BenchmarkTick(b *testing.B) {
	const due = 100
	sizes(b, func(b *testing.B, l *store.Ledger, _ int) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			agent := timers(b, l, due)
			b.StartTimer()
			r, err := l.Apply(ctx, model.Envelope{Key: nextKey(), Actor: model.Scheduler, Command: model.Tick{AgentID: agent}})
			must(err)
			if len(r.TriggeredWaits) != due {
				b.Fatalf("%d fired", len(r.TriggeredWaits))
			}
		}
	})
}

// timers gives an agent n items that wait for a time that is over.
func timers(b *testing.B, l *store.Ledger, n int) model.AgentID {
	b.Helper()
	at := time.Now().Add(-time.Hour).UTC()
	set := nextKey()
	in := model.Import{AgentID: model.AgentID(set)}
	for i := range n {
		w := model.WorkItem{ID: model.ItemID(fmt.Sprintf("wi-%s-%d", set, i)), Handle: model.Handle(fmt.Sprintf("wi-%s-%d", set, i)), AgentID: in.AgentID, Revision: 1, Objective: "wait for the hour",
			State: model.Open, PlanStatus: model.Draft, BlockedBy: "until then", CreatedAt: at, UpdatedAt: at}
		in.Items = append(in.Items, model.Imported{Item: w})
		in.Waits = append(in.Waits, model.Wait{ID: model.WaitID("wc-" + string(w.ID)), WorkItemID: w.ID, Status: model.WaitActive, Kind: model.WaitTimer,
			Reason: "until then", WakeAt: at, CreatedAt: at, UpdatedAt: at})
	}
	must(applied(l, model.Envelope{Key: nextKey(), Actor: model.Operator, Command: in}))
	return in.AgentID
}
