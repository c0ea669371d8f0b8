package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/store/storetest"
)

// A byte of the ledger is damaged. Each verb then shows what was written or names the damage, and ends. A change that
// it reports as made is saved, a refused one is not. After vise restore everything is as before (P9).
func TestVerbsOnADamagedLedgerTellTheTruth(t *testing.T) {
	storetest.Slow(t)
	s := newStaged(t, true)
	list := []string{"list", "--agent", "ann", "--limit", "100"}
	truth := s.read(list...)
	sound, err := os.ReadFile(filepath.Join(s.dir, "ledger.db"))
	must(t, err)
	first := storetest.Seed(t) % 1e9
	seeds := make(chan uint64)
	var mu sync.Mutex
	counts := map[string]int{}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for seed := range seeds {
				x := s.copied(t)
				must(t, os.WriteFile(filepath.Join(x.dir, "ledger.db"), storetest.Damage(sound, seed), 0o600))
				said, wrong := x.damaged(list, truth)
				if wrong != "" {
					t.Errorf("seed %d: %s", seed, wrong)
				}
				must(t, os.RemoveAll(x.dir))
				mu.Lock()
				for _, what := range said {
					counts[what]++
				}
				mu.Unlock()
			}
		})
	}
	n := storetest.Amount(16, 2000)
	for i := range n {
		seeds <- first + uint64(i)
	}
	close(seeds)
	all.Wait()
	t.Logf("%d damages: %v", n, counts)
	if counts[namedWhenRead] == 0 || counts[readAsWritten] == 0 {
		t.Error("the damages are all of one kind: the test shows nothing")
	}
	if counts[foundByDoctor]*50 > n {
		t.Error("too many are read without a word")
	}
}

const (
	namedWhenRead = "named when read"
	readAsWritten = "read as written"
	foundByDoctor = "found by doctor alone"
)

// damaged reads a damaged home, changes it and restores it. It returns the result of each step, and what was wrong.
func (s *staged) damaged(list []string, truth string) (said []string, wrong string) {
	x := s.read(list...)
	switch {
	case strings.Contains(x, `"code":"damaged"`) || strings.Contains(x, `"kind":"damaged"`) || strings.Contains(x, `"field":"home"`):
		said = append(said, namedWhenRead)
	case x == truth:
		said = append(said, readAsWritten)
	case strings.Contains(s.read("doctor"), `"ok":false`):
		said = append(said, foundByDoctor)
	default:
		return said, "reads what was not written: " + differing(truth, x)
	}
	c := change{verb: []string{"block", "$queued", "the vendor"}}
	got := s.ask(c, "k")
	show := s.read("show", s.names["$queued"])
	said = append(said, "change "+string(got.outcome()))
	switch got.outcome() {
	case done:
		if again := s.ask(c, "k"); got.exit != 0 || !again.replayed || !strings.Contains(show, `"blocked_by":"the vendor"`) {
			return said, fmt.Sprintf("said to be done: %s%s, and then %s", got.raw, show, again.raw)
		}
		return said, "" // then the restored home has the change
	case notDone:
		if got.exit != 5 || got.Error.Hint == "" || strings.Contains(show, `"blocked_by":"the vendor"`) {
			return said, fmt.Sprintf("refused with %d: %s, and then %s", got.exit, got.raw, show)
		}
	default:
		return said, fmt.Sprintf("exit %d: %s%s", got.exit, got.raw, got.err)
	}
	if x := s.read("restore", "--yes"); strings.Contains(x, `"error"`) {
		return said, "not restored: " + x
	}
	if now := s.read(list...); now != truth {
		return said, "after the restore: " + differing(truth, now)
	}
	return append(said, "restored"), ""
}

// read returns a verb's answer. It must come within the 5 s that the verb can wait for the lock.
func (s *staged) read(args ...string) string {
	begun := time.Now()
	raw, _ := s.command(ctx, append([]string{"--json"}, args...)...).Output()
	if took := time.Since(begun); storetest.Long && took > 5*time.Second {
		s.t.Errorf("vise %q took %v", args, took)
	}
	if !json.Valid(raw) {
		s.t.Errorf("vise %q: no answer: %s", args, raw)
	}
	return planTime.ReplaceAllString(strings.ReplaceAll(string(raw), s.dir, "HOME"), "")
}

// planTime matches the time of a plan's file. It differs in a copy of a home.
var planTime = regexp.MustCompile(`"updated_at":"[^"]*","preview"`)
