package watcher

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"vise/model"
	"vise/store/files"
)

func benchHome(b *testing.B, items int) (files.Home, *Watcher, map[Item]model.PlanArtifact) {
	home, err := files.NewHome(b.TempDir())
	must(b, err)
	known := map[Item]model.PlanArtifact{}
	for i := range items {
		it := Item{agent, model.ItemID(fmt.Sprintf("wi-%d", i))}
		must(b, os.MkdirAll(home.PlanDir(it.Agent, it.ID), 0o700))
		must(b, os.WriteFile(home.PlanPath(it.Agent, it.ID), []byte("old\n"), 0o600))
		known[it] = home.Plan(it.Agent, it.ID).PlanArtifact
	}
	w, err := Start(context.Background(), Config{Home: home, Ledger: home.Dir() + "/ledger.db"})
	must(b, err)
	b.Cleanup(w.Close)
	w.Set(known)
	return home, w, known
}

// reportSpread reports the median and the 99th percentile in milliseconds.
func reportSpread(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	ms := func(q int) float64 { return took[len(took)*q/100].Seconds() * 1000 }
	b.ReportMetric(ms(50), "p50-ms")
	b.ReportMetric(ms(99), "p99-ms")
}

// BenchmarkSaveToNews measures the time from the end of a save to its news; 100 ms of it are the quiet time.
func BenchmarkSaveToNews(b *testing.B) {
	home, w, _ := benchHome(b, 500)
	path := home.PlanPath(agent, "wi-0")
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		must(b, os.WriteFile(path, fmt.Append(nil, "save ", i), 0o600))
		began := time.Now()
		_, err := w.Next(context.Background())
		must(b, err)
		took = append(took, time.Since(began))
	}
	reportSpread(b, took)
}

// BenchmarkCommitToNews measures the time from the end of a commit to its news, in a frame of its own.
func BenchmarkCommitToNews(b *testing.B) {
	home, w, _ := benchHome(b, 500)
	var took []time.Duration
	for b.Loop() {
		<-time.After(2 * frame)
		commit(b, home.Dir()+"/ledger.db")
		began := time.Now()
		_, err := w.Next(context.Background())
		must(b, err)
		took = append(took, time.Since(began))
	}
	reportSpread(b, took)
}

// BenchmarkSweep measures one sweep over 5,000 items; there is one every five seconds.
func BenchmarkSweep(b *testing.B) {
	home, w, known := benchHome(b, 5000)
	w.Close()
	e := newEngine(Config{Home: home}, homeDisk{home}, openWithCloses, newRequests(), newNews())
	defer e.closeSource()
	now := time.Now()
	for item, artifact := range known {
		e.begin(item, artifact, now)
	}
	for len(e.dirty) > 0 {
		e.readDue(now)
	}
	for b.Loop() {
		e.sweep(now)
	}
	if len(e.dirty) > 0 {
		b.Errorf("%d plans were found changed", len(e.dirty))
	}
}
