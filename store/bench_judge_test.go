package store

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"vise/model"
)

// BenchmarkJudge measures each command of a group before their commit: creates, 64 in a transaction that is then rolled
// back. cpu-us/op is the same under any load.
func BenchmarkJudge(b *testing.B) {
	l, err := Create(b.TempDir()+"/home", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	l.plans = nil
	n := 0
	one := func(f *Facts) error {
		n++
		e := model.Envelope{Key: fmt.Sprintf("key-%08d", n), Actor: "agent:ada",
			Command: model.CreateWorkItem{Objective: "do what the benchmark does"}}
		fp, err := fingerprint(e)
		if err != nil {
			return err
		}
		_, err = l.judge(context.Background(), f.Txn, model.Stamp{At: l.Now().UTC().Round(0), NewID: l.NewID(), Actor: e.Actor}, e, fp, model.NewPlan{})
		return err
	}
	if err := l.Update(context.Background(), one); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := processor()
	for i := 0; i < b.N; i += 64 {
		l.Update(context.Background(), func(f *Facts) error {
			for range min(64, b.N-i) {
				if err := one(f); err != nil {
					b.Error(err)
				}
			}
			return context.Canceled
		})
	}
	b.ReportMetric(float64(processor()-before)/float64(b.N), "cpu-us/op")
}

// processor returns the processor time of this process, in microseconds.
func processor() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return (u.Utime.Nano() + u.Stime.Nano()) / 1000
}
