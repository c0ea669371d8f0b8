package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.Main(m, map[string]func([]string){
		"apply": applyForEver, "count": applyAndCount, "once": applyOnce, "tell": applyAndTell, "hold": holdOpen, "read": readForAWhile, "damage": readDamaged,
		"mutate": mutate,
	}, func() {
		for _, dir := range benchDirs {
			os.RemoveAll(dir)
		}
	})
}

// applyForEver creates work items and prints each acknowledged key.
func applyForEver(args []string) {
	l, err := store.Open(args[0], store.Options{})
	must(err)
	for i := 0; ; i++ {
		key := fmt.Sprintf("%s-%d", args[1], i)
		_, err := l.Apply(ctx, objective(key))
		must(err)
		fmt.Println(key)
	}
}

// applyAndCount creates a given number of work items, and says when it is done.
func applyAndCount(args []string) {
	n, err := strconv.Atoi(args[2])
	must(err)
	l, err := store.Open(args[0], store.Options{})
	must(err)
	for i := range n {
		_, err := l.Apply(ctx, objective(fmt.Sprintf("%s-%d", args[1], i)))
		must(err)
	}
	fmt.Println("done")
}

// applyOnce creates one work item, while strace records it.
func applyOnce(args []string) {
	l, err := store.Open(args[0], store.Options{})
	must(err)
	_, err = l.Apply(ctx, objective(args[1]))
	must(err)
	must(l.Close())
}

// applyAndTell creates one work item and prints the result, then whether the item is there.
func applyAndTell(args []string) {
	l, err := store.Open(args[0], store.Options{})
	must(err)
	_, err = l.Apply(ctx, objective(args[1]))
	var e *model.Error
	switch {
	case err == nil:
		fmt.Println("ok")
	case errors.As(err, &e):
		fmt.Println(e.Code)
	default:
		fmt.Println("failed")
	}
}

// holdOpen stays in a transaction until it gets a line.
func holdOpen(args []string) {
	l, err := store.Open(args[0], store.Options{Command: "vise mcp"})
	must(err)
	must(l.View(ctx, func(model.Reader) error {
		fmt.Println("inside")
		storetest.ReadLine()
		return nil
	}))
}

// readForAWhile reads without a pause, and prints how often.
func readForAWhile(args []string) {
	d, _ := time.ParseDuration(args[1])
	l, err := store.Open(args[0], store.Options{})
	must(err)
	fmt.Println("ready")
	storetest.ReadLine()
	n := 0
	for end := time.Now().Add(d); time.Now().Before(end); n++ {
		must(l.View(ctx, func(r model.Reader) error { r.Rows("ada", model.QueuedRunnable, nil, 20); return nil }))
	}
	fmt.Println(n)
}

func newHome(t testing.TB) (string, *store.Ledger) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	l, err := store.Create(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return dir, l
}

func healthy(t testing.TB, l *store.Ledger) store.Health {
	t.Helper()
	h, err := l.Check(ctx)
	if err != nil || !h.Healthy() {
		t.Fatalf("%d problems, %q, %v", h.Found, h.Problems, err)
	}
	return h
}

// A killed process loses nothing that it acknowledged and leaves nothing half done; a retry by key does nothing twice.
func TestKilledProcessesLoseNothing(t *testing.T) {
	storetest.Slow(t)
	for _, processes := range []int{1, 8} {
		t.Run(fmt.Sprint(processes, " at a time"), func(t *testing.T) {
			dir, l := newHome(t)
			storetest.KeepOnFailure(t, dir)
			seed := storetest.Seed(t)
			kills := storetest.Amount(24, 1000)
			var acknowledged []string
			for round := range kills / processes {
				acknowledged = append(acknowledged, killAll(t, dir, processes, round, rand.New(rand.NewPCG(seed, uint64(round))))...)
			}
			commits := healthy(t, l).Commits
			eachOnce(t, l, acknowledged)
			t.Logf("%d kills, %d acknowledged, %d committed", kills, len(acknowledged), commits)
		})
	}
}

// killAll lets processes write for a while, kills each, and returns what they acknowledged.
func killAll(t *testing.T, dir string, processes, round int, rng *rand.Rand) (acknowledged []string) {
	var all sync.WaitGroup
	lines := make([][]string, processes)
	for i := range lines {
		c := storetest.Start(t, "apply", dir, fmt.Sprintf("r%d-%d", round, i))
		n := 1 + rng.IntN(15)
		all.Go(func() {
			for range n {
				if line := c.Line(); line != "" {
					lines[i] = append(lines[i], line)
				}
			}
			c.Process.Kill()
			for line := c.Line(); line != ""; line = c.Line() {
				lines[i] = append(lines[i], line)
			}
			c.Wait()
		})
	}
	all.Wait()
	return slices.Concat(lines...)
}

// eachOnce expects that every acknowledged key is known, and that nothing was done twice.
func eachOnce(t *testing.T, l *store.Ledger, acknowledged []string) {
	t.Helper()
	for _, key := range acknowledged {
		if r, err := l.Apply(ctx, objective(key)); err != nil || !r.Replayed {
			t.Fatalf("%s: acknowledged, and its retry got %+v, %v", key, r, err)
		}
	}
	seen := map[model.Text]int{}
	must(l.View(ctx, func(r model.Reader) error {
		for _, row := range r.Rows("ada", model.QueuedRunnable, nil, 1<<30) {
			if seen[row.Objective]++; seen[row.Objective] > 1 {
				t.Errorf("%s was carried out twice", row.Objective)
			}
		}
		return nil
	}))
}

// Seven processes that read without a pause do not block a writer: it makes 50 changes a second and more.
func TestReadersDoNotStarveAWriter(t *testing.T) {
	storetest.Slow(t)
	const readers, least = 7, 50
	dir, l := newHome(t)
	d := storetest.Amount("1s", "10s")
	var children []*storetest.Child
	for range readers {
		c := storetest.Start(t, "read", dir, d)
		c.Expect("ready")
		children = append(children, c)
	}
	for _, c := range children {
		c.Say("go")
	}
	span, _ := time.ParseDuration(d)
	var laps []time.Duration
	for begun := time.Now(); time.Since(begun) < span; {
		one := time.Now()
		err := applied(l, objective(fmt.Sprint("w", len(laps))))
		if errors.Is(err, &model.Error{Code: model.CodeBusy}) && !storetest.Long {
			continue // the machine is busy with other things
		}
		must(err)
		laps = append(laps, time.Since(one))
	}
	reads := 0
	for _, c := range children {
		n, err := strconv.Atoi(c.Line())
		must(err)
		reads += n
	}
	if len(laps) == 0 {
		t.Fatal("no change was made")
	}
	slices.Sort(laps)
	rate := float64(len(laps)) / span.Seconds()
	t.Logf("%.0f changes a second beside %.0f reads; p99 %v, longest %v", rate, float64(reads)/span.Seconds(), laps[len(laps)*99/100], laps[len(laps)-1])
	if storetest.Long && rate < least {
		t.Errorf("%.0f changes a second beside readers, want %d", rate, least)
	}
}

func TestProcessesThatWriteTogetherLoseNothing(t *testing.T) {
	const processes, each = 6, 40
	dir, l := newHome(t)
	var children []*storetest.Child
	for i := range processes {
		children = append(children, storetest.Start(t, "count", dir, fmt.Sprint("p", i), fmt.Sprint(each)))
	}
	for _, c := range children {
		c.Expect("done")
	}
	if h := healthy(t, l); h.Revision != processes*each {
		t.Errorf("revision %d after %d commands", h.Revision, processes*each)
	}
}

// A ledger that a stopped process holds is reported with the holder's name, and can still be read.
func TestStoppedHolderIsNamedAndReadAround(t *testing.T) {
	dir, l := newHome(t)
	must(applied(l, objective("k1")))
	c := storetest.Start(t, "hold", dir)
	c.Expect("inside")
	must(c.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatal(status, err)
	}
	store.LockOf(l).Limit = 100_000_000 // 0.1 s
	err := applied(l, objective("k2"))
	var busy *model.Error
	if !errors.As(err, &busy) || busy.Code != model.CodeBusy || !strings.Contains(err.Error(), fmt.Sprintf("pid %d (vise mcp)", c.Process.Pid)) {
		t.Errorf("got %v", err)
	}
	if strings.Contains(err.Error(), "stopped") != strings.Contains(busy.Hint, "kill -CONT") {
		t.Errorf("%v, with the hint %q", err, busy.Hint)
	}
	err = l.ReadCopy(ctx, func(z *store.Ledger) error {
		return z.View(ctx, func(r model.Reader) error {
			if r.Revision() != 1 {
				t.Errorf("revision %d", r.Revision())
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
	must(c.Process.Signal(syscall.SIGCONT))
	c.Say("go on")
	store.LockOf(l).Limit = 5_000_000_000
	if err := applied(l, objective("k2")); err != nil {
		t.Error(err)
	}
}

func applied(l *store.Ledger, e model.Envelope) error {
	_, err := l.Apply(ctx, e)
	return err
}

// The ledger's file is replaced under the lock, as by a compaction, or somebody deletes the lock file. No acknowledged
// change of other writers is lost.
func TestReplacedFilesUnderLoadCostNothing(t *testing.T) {
	storetest.Slow(t)
	for _, c := range []struct {
		name    string
		replace func(dir string, l *store.Ledger) error
	}{
		{"ledger replaced", func(dir string, l *store.Ledger) error {
			lock := store.LockOf(l)
			if err := lock.Acquire(ctx); err != nil {
				return err
			}
			defer lock.Release()
			path := filepath.Join(dir, "ledger.db")
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path+".copy", raw, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".copy", path)
		}},
		{"ledger compacted", func(_ string, l *store.Ledger) error {
			_, _, err := l.Compact(ctx)
			return err
		}},
		{"lock file deleted", func(dir string, _ *store.Ledger) error { return os.Remove(filepath.Join(dir, "ledger.lock")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			const writers, times = 3, 20
			each := storetest.Amount(60, 3334)
			dir, l := newHome(t)
			var wg sync.WaitGroup
			for w := range writers {
				mine, err := store.Open(dir, store.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer mine.Close()
				wg.Go(func() {
					for i := range each {
						if err := applied(mine, objective(fmt.Sprintf("w%d-%d", w, i))); err != nil {
							t.Error(err)
						}
					}
				})
			}
			for range times {
				if err := c.replace(dir, l); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Error(err)
				}
				if err := l.View(ctx, func(model.Reader) error { return nil }); err != nil {
					t.Error(err)
				}
			}
			wg.Wait()
			for w := range writers {
				for i := range each {
					if r, err := l.Apply(ctx, objective(fmt.Sprintf("w%d-%d", w, i))); err != nil || !r.Replayed {
						t.Fatalf("w%d-%d: %+v, %v", w, i, r, err)
					}
				}
			}
			healthy(t, l)
		})
	}
}

// benchDir outlives one benchmark, for the ledgers that several of them share.
func benchDir(b *testing.B) string {
	dir, err := os.MkdirTemp("", "vise-bench-*")
	must(err)
	benchDirs = append(benchDirs, dir)
	return filepath.Join(dir, "home")
}

var benchDirs []string
