package e2e

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	service "vise/store/home"
	"vise/watcher"
)

// manyPlans and manyAgents are the numbers of plans and agents of a fleet.
const (
	manyPlans  = 5000
	manyAgents = 100
	manySize   = "5k/100"
	// fleetAgents are more than a screen shows.
	fleetAgents = 1000
)

// restFor is longer than several checks of the watcher, which come every five seconds.
const restFor = 12 * time.Second

// watched measures the cost of many plans at rest and when one is saved, and of many agents when nothing is due.
func (b *bench) watched() {
	b.pass(b.home(shape{10_000, manyAgents}))
	b.pass(b.home(shape{10_000, fleetAgents}))
	home, err := files.NewHome(b.T.TempDir())
	b.must(err)
	known := map[watcher.Item]model.PlanArtifact{}
	for i := range manyPlans {
		it := watcher.Item{Agent: agentName(i % manyAgents), ID: model.ItemID(fmt.Sprintf("wi-%d", i))}
		b.must(os.MkdirAll(home.PlanDir(it.Agent, it.ID), 0o700))
		b.must(os.WriteFile(home.PlanPath(it.Agent, it.ID), []byte("# The plan\n\nas it was\n"), 0o600))
		known[it] = home.Plan(it.Agent, it.ID).PlanArtifact
	}
	w, err := watcher.Start(context.Background(), watcher.Config{Home: home})
	b.must(err)
	defer w.Close()
	w.Set(known)
	b.saves(home, w) // so that all are watched
	before := processor()
	<-time.After(restFor)
	b.report.add(figure{Row: fmt.Sprintf("%d watched plans, processor at rest", manyPlans), Program: "vise", Size: manySize, Unit: "%",
		P50: 100 * (processor() - before).Seconds() / restFor.Seconds(), N: 1})
}

// saves replaces one of the plans by a whole file, again and again.
func (b *bench) saves(home files.Home, w *watcher.Watcher) {
	const times = 30
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	var took []float64
	var used time.Duration
	for i := range times {
		it := watcher.Item{Agent: agentName(i % manyAgents), ID: model.ItemID(fmt.Sprintf("wi-%d", i))}
		path := home.PlanPath(it.Agent, it.ID)
		b.must(os.WriteFile(path+".new", fmt.Appendf(nil, "# The plan\n\nsaved for the %d. time\n", i), 0o600))
		cpu, began := processor(), time.Now()
		b.must(os.Rename(path+".new", path))
		for seen := false; !seen; {
			e, err := w.Next(ctx)
			b.must(err)
			for _, p := range e.Plans {
				seen = seen || p.Item == it
			}
		}
		if i > 0 { // the first save waits until all are watched
			took, used = append(took, ms(time.Since(began))), used+processor()-cpu
		}
	}
	b.report.add(figure{Row: fmt.Sprintf("one of %d watched plans saved to its news", manyPlans), Program: "vise", Size: manySize, Unit: "ms",
		P50: at(took, 50), P99: at(took, 99), CPU: ms(used) / float64(len(took)), N: len(took)})
}

// pass times the scheduler with many idle agents: its first pass, which reads them all, and one after an agent has changed.
func (b *bench) pass(h *measuredHome) {
	l := resting{b.open(h), make(chan struct{})}
	n := 0
	s := &service.Scheduler{Ledger: l, NewKey: func() string {
		n++
		return fmt.Sprintf("bench-fleet-%d-%d", time.Now().UnixNano(), n)
	}}
	look := func() {
		ctx, stop := context.WithCancel(context.Background())
		over := make(chan struct{})
		go func() {
			_ = s.Run(ctx)
			close(over)
		}()
		<-l.rests
		stop()
		<-over
	}
	look()
	b.each(fmt.Sprintf("scheduler's first pass over %d agents, nothing due", h.agents), h.String(), "ms", 20, nil, look)

	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = s.Run(ctx) })
	<-l.rests
	change := func() {
		to := model.Text(fmt.Sprint("As of ", time.Now().UnixNano()))
		_, err := l.Apply(ctx, model.Envelope{Key: "bench-pass " + string(to), Actor: model.Operator, Agent: agentName(0),
			Command: model.UpdateWorkItem{WorkItemID: "wi-0000-00000003", Objective: &to}})
		b.must(err)
	}
	b.each(fmt.Sprintf("scheduler's pass over %d agents, one changed", h.agents), h.String(), "ms", 20, change, func() { <-l.rests })
	stop()
	running.Wait()
}

// resting is a ledger that reports when the scheduler has nothing left to do.
type resting struct {
	*store.Ledger
	rests chan struct{}
}

func (l resting) Follow(ctx context.Context, after uint64) (uint64, error) {
	select {
	case l.rests <- struct{}{}:
	case <-ctx.Done():
	}
	return l.Ledger.Follow(ctx, after)
}

// processor returns the processor time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
