package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// writeFor is how long each number of writers is measured.
const writeFor = 3 * time.Second

// writers measures sustained changes: many goroutines on one ledger, many processes on one home, and the state that a
// killed writer leaves.
func (b *bench) writers() {
	all := b.shapes(false)
	for _, s := range []shape{all[0], all[len(all)-1]} {
		h := b.untouched(s)
		for _, n := range []int{1, 8, 64} {
			b.oneHolder(h, n, "", store.Options{})
		}
		b.oneHolder(h, 64, " with plan files", store.Options{Plans: h.files(b)})
		for _, n := range []int{1, 8, 64} {
			b.oneEach(h, n)
		}
		b.killed(h)
		for _, n := range []int{1, 8} {
			b.servers(h, n)
		}
	}
}

var made atomic.Int64

func measuredCreate(ctx context.Context, l *store.Ledger, agent model.AgentID) error {
	n := made.Add(1)
	_, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprintf("w-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), n), Actor: model.Operator, Agent: agent,
		Command: model.CreateWorkItem{Objective: "Written while it was measured"}})
	return err
}

// oneHolder runs n goroutines that create items as fast as they can.
func (b *bench) oneHolder(h *measuredHome, n int, with string, o store.Options) {
	l, err := store.Open(h.dir, o)
	b.must(err)
	defer l.Close()
	ctx := context.Background()
	until := time.Now().Add(writeFor)
	took := make([][]float64, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			for time.Now().Before(until) {
				began := time.Now()
				if err := measuredCreate(ctx, l, agentName(i%h.agents)); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], ms(time.Since(began)))
			}
		})
	}
	all.Wait()
	every := slices.Concat(took...)
	b.report.add(figure{Row: fmt.Sprintf("changes a second, one holder, %d writers%s", n, with), Program: "vise", Size: h.String(), Unit: "/s",
		P50: float64(len(every)) / writeFor.Seconds(), Latency50: at(every, 50), Latency99: at(every, 99), N: len(every)})
}

// servers runs n agents, each with a server of its own: they create, list and rename in turns.
func (b *bench) servers(h *measuredHome, n int) {
	of := &home{t: b.T, dir: h.dir, program: b.vise}
	took := make([][]float64, n)
	var ready, all sync.WaitGroup
	ready.Add(n)
	for i := range n {
		all.Go(func() {
			d := &tools{home: of, agent: string(agentName(i % h.agents))}
			defer d.close()
			d.do(call{agent: d.agent, kind: create, text: "The first"}, fmt.Sprintf("first-%d-%d", time.Now().UnixNano(), i), 0)
			ready.Done()
			ready.Wait()
			for until, k := time.Now().Add(writeFor), 0; time.Now().Before(until); k++ {
				c := call{agent: d.agent, kind: []kind{create, look, rename}[k%3], item: d.made, text: "Written while it was measured"}
				began := time.Now()
				if a, ok := d.do(c, fmt.Sprintf("s-%d-%d-%d", time.Now().UnixNano(), i, k), 0); !ok || a.code != "" {
					b.Errorf("%+v: %q", c, a.code)
					return
				}
				took[i] = append(took[i], ms(time.Since(began)))
			}
		})
	}
	all.Wait()
	every := slices.Concat(took...)
	b.report.add(figure{Row: fmt.Sprintf("calls of tools a second, %d MCP servers", n), Program: "vise", Size: h.String(), Unit: "/s",
		P50: float64(len(every)) / writeFor.Seconds(), Latency50: at(every, 50), Latency99: at(every, 99), N: len(every)})
}

// oneEach runs n loops that start a process for each change.
func (b *bench) oneEach(h *measuredHome, n int) {
	until := time.Now().Add(writeFor)
	counts := make([]int, n)
	var failed atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for i := range n {
		all.Go(func() {
			for time.Now().Before(until) {
				c := exec.Command(b.vise, "new", "Written while it was measured", "--actor", "operator", "--home", h.dir, "--agent", string(agentName(i%h.agents)))
				if err := c.Run(); err != nil {
					failed.Add(1)
				}
				counts[i]++
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	total := 0
	for _, c := range counts {
		total += c
	}
	b.report.add(figure{Row: fmt.Sprintf("changes a second, a process each, %d at once", n), Program: "vise", Size: h.String(), Unit: "/s",
		P50: float64(total) / took.Seconds(), Failed: int(failed.Load()), Spread: float64(slices.Max(counts)) / float64(max(1, slices.Min(counts))), N: total})
}

// killed kills writers during a change, and times the next opening with its first page.
func (b *bench) killed(h *measuredHome) {
	self, err := os.Executable()
	b.must(err)
	var took []float64
	lost, acknowledged := 0, 0
	for range 7 {
		c := exec.Command(self, "-test.run", "TestWriteUntilKilled")
		c.Env = append(os.Environ(), "VISE_BENCH_WRITES="+h.dir)
		out, err := c.StdoutPipe()
		b.must(err)
		b.must(c.Start())
		said := make(chan []string)
		go func() {
			var ids []string
			for lines := bufio.NewScanner(out); lines.Scan(); {
				ids = append(ids, lines.Text())
			}
			said <- ids
		}()
		<-time.After(300 * time.Millisecond)
		b.must(c.Process.Kill())
		ids := <-said
		_ = c.Wait() // it was killed
		began := time.Now()
		l, err := store.Open(h.dir, store.Options{})
		b.must(err)
		b.must(l.View(context.Background(), func(r model.Reader) error {
			r.Rows(agentName(0), model.QueuedRunnable, nil, 20)
			return nil
		}))
		took = append(took, ms(time.Since(began)))
		b.must(l.View(context.Background(), func(r model.Reader) error {
			for _, id := range ids {
				acknowledged++
				if _, ok := r.Item(model.ItemID(id)); !ok {
					lost++
				}
			}
			return nil
		}))
		l.Close()
	}
	if acknowledged == 0 {
		b.Error("no change was acknowledged before the kill")
	}
	b.report.add(figure{Row: "open and first page after kill -9", Program: "vise", Size: h.String(), Unit: "ms", P50: at(took, 50), P99: at(took, 99), Failed: lost, N: acknowledged})
}

// TestWriteUntilKilled is the writer that is killed.
func TestWriteUntilKilled(t *testing.T) {
	dir := os.Getenv("VISE_BENCH_WRITES")
	if dir == "" {
		t.Skip("a part of TestMeasure")
	}
	at, err := files.NewHome(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.Open(dir, store.Options{Plans: at})
	if err != nil {
		t.Fatal(err)
	}
	var one sync.Mutex
	for i := range 8 {
		go func() {
			for n := 0; ; n++ {
				in, err := l.Apply(context.Background(), model.Envelope{Key: fmt.Sprintf("k-%d-%d-%d", os.Getpid(), i, n), Actor: model.Operator,
					Agent: agentName(0), Command: model.CreateWorkItem{Objective: "Written until killed"}})
				if err == nil {
					one.Lock()
					_, _ = io.WriteString(os.Stdout, string(in.WorkItemID)+"\n")
					one.Unlock()
				}
			}
		}()
	}
	select {}
}
