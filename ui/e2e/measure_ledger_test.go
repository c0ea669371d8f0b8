package e2e

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"vise/model"
	"vise/store"
	service "vise/store/home"
)

// ledgers measures within one process: a page of candidates, and the scheduler's decisions and ticks.
func (b *bench) ledgers() {
	for _, s := range b.shapes(false) {
		h := b.home(s)
		l := b.open(h)
		b.pages(h, l)
		b.looks(h, l)
	}
	for _, due := range []int{1, 10, 100, 1000} {
		b.tick(b.home(b.largest()), due)
	}
}

// each times fn n times and adds the figure; before runs untimed.
func (b *bench) each(row, size, unit string, n int, before, fn func()) {
	b.Helper()
	var took []float64
	for range n {
		if before != nil {
			before()
		}
		began := time.Now()
		fn()
		d := ms(time.Since(began))
		if unit == "µs" {
			d *= 1000
		}
		took = append(took, d)
	}
	b.report.add(figure{Row: row, Program: "vise", Size: size, Unit: unit, P50: at(took, 50), P99: at(took, 99), N: n})
}

// pages reads the first 20 queued candidates: with the file opened for each read, as every frontend does, and in one
// open transaction.
func (b *bench) pages(h *measuredHome, l *store.Ledger) {
	ctx := context.Background()
	page := func(r model.Reader) error {
		if rows := r.Rows(agentName(0), model.QueuedRunnable, nil, 20); len(rows) != 20 {
			return fmt.Errorf("%d rows", len(rows))
		}
		return nil
	}
	b.each("candidates, with opening the file", h.String(), "µs", 2000, nil, func() { b.must(l.View(ctx, page)) })
	b.must(l.View(ctx, func(r model.Reader) error {
		b.each("candidates, in process", h.String(), "µs", 5000, nil, func() { b.must(page(r)) })
		return nil
	}))
}

// looks times the scheduler's decision for an agent for which nothing is due.
func (b *bench) looks(h *measuredHome, l *store.Ledger) {
	ctx, agent := context.Background(), agentName(0)
	n := 0
	s := &service.Scheduler{Ledger: l, NewKey: func() string { n++; return fmt.Sprintf("bench-look-%s-%d-%d", h, time.Now().UnixNano(), n) }}
	_, err := s.Settle(ctx, agent)
	b.must(err)
	b.each("scheduler looks, nothing due", h.String(), "µs", 2000, nil, func() {
		_, err := s.Settle(ctx, agent)
		b.must(err)
	})
	b.must(l.View(ctx, func(r model.Reader) error {
		now := time.Now()
		b.each("due index, nothing due", h.String(), "µs", 5000, nil, func() {
			if len(r.Due(agent, now, 100)) > 0 {
				b.Fatal("something is due")
			}
		})
		return nil
	}))
	b.must(l.View(ctx, func(r model.Reader) error {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows := r.Rows(agent, model.QueuedRunnable, nil, 20)
		runtime.ReadMemStats(&after)
		b.Logf("%v: a page of %d candidates allocates %d times", h, len(rows), after.Mallocs-before.Mallocs)
		return nil
	}))
}

// tick fires that many due timers of an agent in durable ticks.
func (b *bench) tick(h *measuredHome, due int) {
	ctx := context.Background()
	l := b.open(h)
	agent := model.AgentID(fmt.Sprintf("ticked-%d", due))
	set := 0
	before := func() {
		set++
		at := time.Now().Add(-time.Hour)
		for first := 0; first < due; first += measuredAtOnce {
			in := model.Import{AgentID: agent}
			for i := first; i < min(first+measuredAtOnce, due); i++ {
				w := measuredItem(fmt.Sprintf("wi-t%d-%d-%d-%d", due, time.Now().UnixNano(), set, i), 1, at)
				x := model.Wait{ID: model.WaitID("wc-" + string(w.ID)), WorkItemID: w.ID, Status: model.WaitActive, Kind: model.WaitTimer,
					Reason: "until then", WakeAt: at, CreatedAt: at, UpdatedAt: at}
				in.Items, in.Waits = append(in.Items, model.Imported{Item: w}), append(in.Waits, x)
			}
			_, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprintf("due-%d-%d-%d", due, time.Now().UnixNano(), set), Actor: model.Operator, Command: in})
			b.must(err)
		}
	}
	key := 0
	b.each(fmt.Sprintf("tick, %d due", due), h.String(), "ms", 7, before, func() {
		for fired := 0; fired < due; {
			key++
			in, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprintf("tick-%d-%d-%d", due, time.Now().UnixNano(), key), Actor: model.Scheduler, Command: model.Tick{AgentID: agent}})
			b.must(err)
			if len(in.TriggeredWaits) == 0 {
				b.Fatalf("%d of %d fired", fired, due)
			}
			fired += len(in.TriggeredWaits)
		}
	})
}
