package store_test

import (
	"flag"
	"fmt"
	"sync/atomic"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

var million = flag.Bool("million", false, "benchmark a ledger of a million work items, too")

// sizes runs a benchmark on ledgers of several sizes: a cost can grow with what is asked for, not with the ledger.
func sizes(b *testing.B, run func(b *testing.B, l *store.Ledger, n int)) {
	all := []int{1_000, 100_000}
	if *million {
		all = append(all, 1_000_000)
	}
	for _, n := range all {
		b.Run(fmt.Sprint(n), func(b *testing.B) { run(b, filled(b, n), n) })
	}
}

var ledgers = map[int]*store.Ledger{}

// filled returns a ledger of n work items, made once for all benchmarks of a run.
func filled(b *testing.B, n int) *store.Ledger {
	b.Helper()
	if ledgers[n] == nil {
		l, err := store.Create(benchDir(b), store.Options{})
		must(err)
		storetest.Fill(b, l, "ada", n)
		ledgers[n] = l
	}
	return ledgers[n]
}

var benchKey atomic.Int64

func nextKey() string { return fmt.Sprintf("bench-%08d", benchKey.Add(1)) }

func as(key string, c model.Command) model.Envelope {
	return model.Envelope{Key: key, Actor: "agent:ada", Command: c}
}

func created(b *testing.B, l *store.Ledger) model.ItemID {
	r, err := l.Apply(ctx, as(nextKey(), model.CreateWorkItem{Objective: "do what the benchmark does"}))
	if err != nil {
		b.Fatal(err)
	}
	return r.WorkItemID
}

func BenchmarkApplyCreate(b *testing.B) {
	sizes(b, func(b *testing.B, l *store.Ledger, _ int) {
		for b.Loop() {
			created(b, l)
		}
	})
}

func BenchmarkApplyComplete(b *testing.B) {
	sizes(b, func(b *testing.B, l *store.Ledger, _ int) {
		for b.Loop() {
			b.StopTimer()
			id := created(b, l)
			b.StartTimer()
			if err := applied(l, as(nextKey(), model.CompleteWorkItem{WorkItemID: id})); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkApplyTogether measures many goroutines of one process.
func BenchmarkApplyTogether(b *testing.B) {
	sizes(b, func(b *testing.B, l *store.Ledger, _ int) {
		for _, writers := range []int{8, 64} {
			b.Run(fmt.Sprint(writers), func(b *testing.B) {
				b.SetParallelism(writers / 2)
				b.RunParallel(func(p *testing.PB) {
					for p.Next() {
						created(b, l)
					}
				})
			})
		}
	})
}

func BenchmarkFirstPage(b *testing.B) {
	sizes(b, func(b *testing.B, l *store.Ledger, _ int) {
		b.ReportAllocs()
		for b.Loop() {
			must(l.View(ctx, func(r model.Reader) error {
				list, err := model.ListItems(r, "ada", model.FilterOpen, nil, model.DefaultLimit)
				if len(list.Rows) != model.DefaultLimit {
					b.Fatal(len(list.Rows))
				}
				return err
			}))
		}
	})
}

// BenchmarkRowsInside measures a page in an open ledger.
func BenchmarkRowsInside(b *testing.B) {
	sizes(b, func(b *testing.B, l *store.Ledger, _ int) {
		must(l.View(ctx, func(r model.Reader) error {
			b.ReportAllocs()
			for b.Loop() {
				if len(r.Rows("ada", model.QueuedRunnable, nil, 20)) != 20 {
					b.Fatal("short")
				}
			}
			return nil
		}))
	})
}

func BenchmarkGet(b *testing.B) {
	sizes(b, func(b *testing.B, l *store.Ledger, n int) {
		i := 0
		for b.Loop() {
			i = (i + 7919) % n
			must(l.View(ctx, func(r model.Reader) error {
				if _, ok := r.Item(model.ItemID(fmt.Sprintf("wi-%012d", i))); !ok {
					b.Fatal(i)
				}
				return nil
			}))
		}
	})
}

func BenchmarkDesk(b *testing.B) {
	sizes(b, func(b *testing.B, l *store.Ledger, _ int) {
		for b.Loop() {
			must(l.View(ctx, func(r model.Reader) error {
				model.DeskOf(r, "ada", model.Stamp{}, model.Class.Limit)
				return nil
			}))
		}
	})
}

// BenchmarkOpen measures what a process needs before its first read: home, lock, ledger.
func BenchmarkOpen(b *testing.B) {
	dir, l := newHome(b)
	must(applied(l, objective("k")))
	for b.Loop() {
		l, err := store.Open(dir, store.Options{})
		must(err)
		must(l.View(ctx, func(model.Reader) error { return nil }))
		must(l.Close())
	}
}

func BenchmarkFollowIdle(b *testing.B) {
	_, l := newHome(b)
	must(applied(l, objective("k")))
	for b.Loop() {
		if _, err := l.Follow(ctx, 0); err != nil {
			b.Fatal(err)
		}
	}
}
