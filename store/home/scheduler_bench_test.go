package home

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"vise/model"
	"vise/store"
)

var million = flag.Bool("million", false, "benchmark a ledger of a million work items, too")

// populated is a ledger in memory with n items of one agent in all classes but completed.
func populated(b *testing.B, n int) *store.Ledger {
	b.Helper()
	l := store.NewMem(nil)
	at := time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)
	const atOnce = 1000
	for from := 0; from < n; from += atOnce {
		var in model.Import
		in.AgentID = "ann"
		for i := from; i < from+atOnce; i++ {
			w := model.WorkItem{ID: model.ItemID(fmt.Sprintf("wi-%07d", i)), AgentID: "ann", Objective: "bench", State: model.Open,
				PlanStatus: model.Ready, CreatedAt: at.Add(time.Duration(i) * time.Second), UpdatedAt: at.Add(time.Duration(i) * time.Second)}
			switch i % 4 {
			case 1:
				w.BlockedBy, w.RecheckAt = "ops", at.AddDate(10, 0, i%1000)
			case 2:
				w.PlanStatus = model.NeedsInput
			}
			in.Items = append(in.Items, model.Imported{Item: w})
		}
		if _, err := l.Apply(context.Background(), model.Envelope{Key: fmt.Sprint("import", from), Actor: model.Operator, Command: in}); err != nil {
			b.Fatal(err)
		}
	}
	return l
}

// One decision for an agent, and one tick that offers an item: neither grows with the ledger.
func BenchmarkTick(b *testing.B) {
	sizes := []int{1_000, 100_000}
	if *million {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		l := populated(b, n)
		s := &Scheduler{Ledger: l, NewKey: func() string { return "unused" }}
		now := time.Now()
		b.Run(fmt.Sprintf("look at one of %d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := l.View(context.Background(), func(r model.Reader) error {
					_, _, err := s.foresee(r, "ann", s.now())
					return err
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
		i := 0
		l.Now = func() time.Time { i++; return now.Add(time.Duration(i) * 10 * time.Minute) }
		b.Run(fmt.Sprintf("tick that offers one of %d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e := model.Envelope{Key: fmt.Sprintf("tick-%d-%d", n, i), Actor: model.Scheduler, Command: model.Tick{AgentID: "ann"}}
				if _, err := l.Apply(context.Background(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
