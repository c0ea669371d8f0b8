package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// Everything at once for half an hour: eight agents with their tools, two consoles, ten verbs a second, two editors of
// plans, a webhook, a driver. Two cores can do that; with more the figures would be those of a full machine. Meanwhile a
// process is killed every two seconds and one is stopped every thirty. The ledger is compacted every 85 seconds,
// first before a life has settled: compacted pages are read with a decompressor, half a megabyte that a process then
// keeps. All processes are started again every ten minutes, or four times in a longer run: only a long life shows
// whether memory leaks or a process is still warming up. No promise is broken, and nothing grows (P1 to P10).
//
// VISE_SOAK gives another duration: VISE_SOAK=30m go test -tags soak ./ui/e2e -run Soak.
func TestASoakBreaksNoPromiseAndLeavesNothingBehind(t *testing.T) {
	storetest.Slow(t)
	d := storetest.Amount(10*time.Second, 30*time.Minute)
	if s := os.Getenv("VISE_SOAK"); s != "" {
		var err error
		if d, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	s := newSoak(t, d)
	s.run()
	s.report()
}

// pace is how often each part of a soak acts; a short run has all parts in less time.
type pace struct {
	tool, verb, edit, hook, keys         time.Duration
	kill, stop, stopped, check, sample   time.Duration
	compact, restart, duration, settling time.Duration
	tell                                 time.Duration
}

func paceOf(d time.Duration) pace {
	p := pace{
		tool: 500 * time.Millisecond, verb: 100 * time.Millisecond, edit: 200 * time.Millisecond, hook: 200 * time.Millisecond, keys: 200 * time.Millisecond,
		kill: 2 * time.Second, stop: 30 * time.Second, stopped: 3 * time.Second, check: 10 * time.Second, sample: 5 * time.Second,
		compact: 85 * time.Second, restart: max(10*time.Minute, d/4), duration: d,
		tell: 5 * time.Minute,
	}
	p.settling = p.restart / 6
	if d < 2*time.Minute {
		p.tool, p.verb, p.kill, p.stop, p.stopped, p.check, p.sample = 200*time.Millisecond, 100*time.Millisecond, time.Second, 4*time.Second, 500*time.Millisecond, 3*time.Second, time.Second
		p.compact, p.restart, p.settling = 5*time.Second, 7*time.Second, 2*time.Second
	}
	return p
}

// soak is a home that everything uses at once.
type soak struct {
	*home
	pace
	agents []string
	ledger *store.Ledger
	began  time.Time
	ctx    context.Context
	stop   context.CancelFunc
	url    string

	mu     sync.Mutex // protects the fields below
	rand   *rand.Rand
	procs  map[string]*proc
	made   []string          // items of verbs that no verb has completed yet
	known  map[string]string // acknowledged items and their objectives
	done   map[string]bool   // acknowledged completions
	checks []check
	gauges *gauges
	counts map[string]int
	laps   map[string][]time.Duration
	beside map[string]*span
	closed map[string]int // what the closed files of the history's copy hold before compression
}

// span is what other calls may have waited for, and when it last went on.
type span struct {
	on    bool
	ended time.Time
}

// proc is a running process that can be killed. A kept one is only started again with all others.
type proc struct {
	process *os.Process
	kept    bool
}

type check struct {
	at       time.Duration
	revision uint64
	inUse    int // bytes of the ledger
	copied   int // bytes of the history's copy, before closed files are compressed
	took     time.Duration
}

func newSoak(t testing.TB, d time.Duration) *soak {
	agents := []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "dan"}
	h := newHome(t, agents...)
	seed := storetest.Seed(t)
	s := &soak{home: h, pace: paceOf(d), agents: agents[:8], ledger: h.open(), rand: rand.New(rand.NewPCG(seed, 1)),
		procs: map[string]*proc{}, known: map[string]string{}, done: map[string]bool{}, gauges: newGauges(), counts: map[string]int{}, laps: map[string][]time.Duration{},
		beside: map[string]*span{besideStopped: {}, besideProof: {}, besideCompaction: {}}, closed: map[string]int{}}
	s.configure()
	if d >= 2*time.Minute {
		s.install()
	}
	s.ctx, s.stop = context.WithTimeout(ctx, d)
	return s
}

// configure gives the driver's agent a program that completes every item that it is given.
func (s *soak) configure() {
	dir := filepath.Join(filepath.Dir(s.dir), "config", "vise")
	must(s.t, os.MkdirAll(dir, 0o700))
	script := filepath.Join(dir, "agent.sh")
	must(s.t, os.WriteFile(script, []byte(`#!/bin/sh
read -r line
id=$(printf %s "$line" | grep -o '"id":"wi-[0-9a-z-]*"' | head -n 1 | cut -d '"' -f 4)
[ -n "$id" ] || exit 0
echo "{\"calls\":[{\"tool\":\"PickWorkItem\",\"input\":{\"work_item_id\":\"$id\",\"reason\":\"its turn\"}}]}"
read -r line
echo "{\"text\":\"done $id\",\"calls\":[{\"tool\":\"CompleteWorkItem\",\"input\":{\"work_item_id\":\"$id\"}}]}"
read -r line
`), 0o700))
	must(s.t, os.WriteFile(filepath.Join(dir, "config.yaml"),
		fmt.Appendf(nil, "agents:\n  dan: {command: [%q], adapter: rounds, turn: {timeout: 30s, lease: 5s}}\n", script), 0o600))
}

// vise returns a verb with the soak's configuration.
func (s *soak) vise(c context.Context, args ...string) *exec.Cmd {
	cmd := s.command(c, args...)
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+filepath.Join(filepath.Dir(s.dir), "config"))
	return cmd
}

func (s *soak) run() {
	s.began = time.Now()
	wait := s.mint()
	var all sync.WaitGroup
	work := func(n int, name string, fn func(string)) {
		for i := range n {
			all.Go(func() { fn(fmt.Sprint(name, " ", i+1)) })
		}
	}
	work(8, "tools", s.useTools)
	work(2, "console", s.watch)
	work(1, "serve", s.serve)
	work(1, "driver", s.drive)
	work(2, "editor", s.edit)
	work(1, "webhook", func(string) { s.deliver(wait) })
	work(1, "verbs", func(string) { s.useVerbs() })
	work(1, "killer", func(string) { s.every(s.kill, s.killOne) })
	work(1, "stopper", func(string) { s.every(s.pace.stop, s.stopOne) })
	work(1, "compactor", func(string) { s.every(s.compact, s.compactOnce) })
	work(1, "restarter", func(string) { s.every(s.restart, s.restartAll) })
	work(1, "checker", func(string) { s.every(s.check, s.checkAll) })
	work(1, "sampler", func(string) { s.every(s.sample, s.sampleAll) })
	work(1, "teller", func(string) { s.every(s.tell, s.tellAll) })
	all.Wait()
	s.checkAll()
}

// every calls fn at a pace until the soak ends.
func (s *soak) every(d time.Duration, fn func()) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			fn()
		}
	}
}

// count counts something for the report.
func (s *soak) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[what]++
}

// These mark calls by what went on during them. A stopped process may have held the lock, or been the next to get it; a proof is the
// soak's own work, on both cores: such calls are counted apart. Compacting is the program's work: such calls are counted among all, and
// told apart too.
const (
	besideStopped    = " beside a stopped process"
	besideProof      = " beside a proof"
	besideCompaction = " beside a compaction"
)

// lap notes how long a call took.
func (s *soak) lap(what string, begun time.Time) {
	took := time.Since(begun)
	s.mu.Lock()
	defer s.mu.Unlock()
	during := func(name string) bool { return s.beside[name].on || begun.Before(s.beside[name].ended) }
	if during(besideCompaction) {
		s.laps[what+besideCompaction] = append(s.laps[what+besideCompaction], took)
	}
	switch {
	case during(besideStopped):
		what += besideStopped
	case during(besideProof):
		what += besideProof
	}
	s.laps[what] = append(s.laps[what], took)
}

// begin notes that something begins beside which calls are told apart, until the returned function.
func (s *soak) begin(name string) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beside[name].on = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		*s.beside[name] = span{ended: time.Now()}
	}
}

func (s *soak) chance(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rand.IntN(n)
}

// enter adds a process to those that can be killed, until the returned function is called.
func (s *soak) enter(name string, p *os.Process, kept bool) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.procs[name] = &proc{process: p, kept: kept}
	s.gauges.begin(name)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.procs, name)
	}
}

// victim returns a process to kill or to stop: any process, but not one that is kept for measurements.
func (s *soak) victim() *os.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	var some []*os.Process
	for _, p := range s.procs {
		if !p.kept {
			some = append(some, p.process)
		}
	}
	if len(some) == 0 {
		return nil
	}
	return some[s.rand.IntN(len(some))]
}

func (s *soak) killOne() {
	if p := s.victim(); p != nil {
		_ = p.Kill()
		s.count("killed")
	}
}

func (s *soak) stopOne() {
	p := s.victim()
	if p == nil || p.Signal(syscall.SIGSTOP) != nil {
		return
	}
	s.count("stopped")
	defer s.begin(besideStopped)()
	select {
	case <-time.After(s.stopped):
	case <-s.ctx.Done():
	}
	_ = p.Signal(syscall.SIGCONT)
}

func (s *soak) compactOnce() {
	defer s.begin(besideCompaction)()
	out, err := s.vise(ctx, "--json", "compact").Output()
	switch {
	case err == nil:
		s.count("compacted")
	case strings.Contains(string(out), "unknown"):
		s.count("compact is no verb here")
	default:
		s.count("compaction refused")
		s.t.Logf("compact: %v %s", err, out)
	}
}

func (s *soak) restartAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.procs {
		_ = p.process.Kill()
	}
	s.counts["restarted all"]++
}

// checkAll looks up what was acknowledged since the last check. It also proves the whole ledger, as often as that takes
// less than a hundredth of the time: a proof copies the ledger, and calls at the same time wait for the disk.
func (s *soak) checkAll() {
	s.mu.Lock()
	known, done := s.known, s.done
	s.known, s.done = map[string]string{}, map[string]bool{}
	s.mu.Unlock()
	err := s.ledger.View(ctx, func(r model.Reader) error {
		s.acknowledged(r, known, done)
		return nil
	})
	if s.keep(err, known, done) {
		if c := s.prove(); c.revision > 0 {
			s.mu.Lock()
			s.checks = append(s.checks, c)
			s.mu.Unlock()
		}
	}
}

// keep counts what was looked up, and reports whether a proof is due.
func (s *soak) keep(err error, known map[string]string, done map[string]bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		// Busy because of a stopped holder: they are looked up the next time.
		s.counts["looks that found the ledger busy"]++
		maps.Copy(s.known, known)
		maps.Copy(s.done, done)
		return false
	}
	s.counts["acknowledged creations looked up"] += len(known)
	s.counts["acknowledged completions looked up"] += len(done)
	n := len(s.checks)
	return n == 0 || time.Since(s.began)-s.checks[n-1].at > 100*s.checks[n-1].took
}

// prove proves a copy of the ledger.
func (s *soak) prove() (c check) {
	defer s.begin(besideProof)()
	begun := time.Now()
	err := s.ledger.ReadCopy(ctx, func(z *store.Ledger) error {
		h, err := z.Check(ctx)
		if err != nil || !h.Healthy() {
			s.t.Errorf("after %v: %d problems %q %v", time.Since(s.began), h.Found, h.Problems, err)
		}
		c.revision = h.Revision
		c.inUse, c.copied = inUse(filepath.Join(s.dir, "ledger.db")), s.historyIn(filepath.Join(s.dir, "journal"))
		return nil
	})
	if errors.Is(err, &model.Error{Code: model.CodeBusy}) {
		s.count("proofs that found the ledger busy")
		return check{}
	}
	if err != nil {
		s.t.Errorf("after %v: %v", time.Since(s.began), err)
	}
	c.at, c.took = time.Since(s.began), time.Since(begun)
	return c
}

// acknowledged expects what was acknowledged, and the invariants of focus and waits.
func (s *soak) acknowledged(r model.Reader, known map[string]string, done map[string]bool) {
	for id, objective := range known {
		_, by, _ := strings.Cut(objective, " of ") // the same agent may have updated it meanwhile
		if w, ok := r.Item(model.ItemID(id)); !ok || !strings.HasSuffix(w.Objective.Raw(), " of "+by) {
			s.t.Errorf("%s was acknowledged as %q and is %q", id, objective, w.Objective.Raw())
		}
	}
	for id := range done {
		if w, _ := r.Item(model.ItemID(id)); w.State != model.Completed {
			s.t.Errorf("%s was acknowledged as completed and is %q", id, w.State)
		}
	}
	for _, a := range r.Agents("", 100) {
		w, ok := r.Item(a.CurrentWorkItemID)
		if a.CurrentWorkItemID != "" && (!ok || w.AgentID != a.ID || w.State == model.Completed) {
			s.t.Errorf("the focus of %s is %q, %s of %s", a.ID, a.CurrentWorkItemID, w.State, w.AgentID)
		}
	}
}
