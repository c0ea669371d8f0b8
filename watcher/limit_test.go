package watcher

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/store/files"
)

const exhausted = "watching by polling, every 2s (inotify limit reached)"

// limited is a watcher of n plans on a system with so many watches.
type limited struct {
	*stage
	t     *testing.T
	items []Item
}

func newLimited(t *testing.T, n, watches int) *limited {
	home, err := files.NewHome("/home")
	must(t, err)
	x := &limited{t: t, stage: &stage{disk: &fakeDisk{Home: home, plans: map[Item]fakePlan{}}, system: newFakeSystem(),
		ended: make(chan struct{})}}
	x.system.limit = watches
	x.began = time.Now()
	x.watcher = start(context.Background(), Config{Home: home}, x.disk, x.system.open)
	go x.listen()
	known := map[Item]model.PlanArtifact{}
	for i := range n {
		it := Item{agent, model.ItemID(fmt.Sprintf("wi-%d", i))}
		x.items = append(x.items, it)
		x.disk.put(it, fakePlan{text: "old"}, true)
		known[it] = model.NewPlanArtifact(agent, it.ID, []byte("old"), time.Time{})
	}
	x.watcher.Set(known)
	return x
}

func (x *limited) close() {
	x.watcher.Close()
	<-x.ended
}

// watched is how many plans have a watch.
func (x *limited) watched() int { return strings.Count(x.system.list(), "/wi-") }

// changed saves a plan without an event and returns after how long it was told.
func (x *limited) changed(it Item) time.Duration {
	x.changes++
	x.disk.put(it, fakePlan{text: fmt.Sprint("new ", x.changes), changed: x.changes}, true)
	began := time.Now()
	for {
		told := x.passFor(100 * time.Millisecond)
		if slices.ContainsFunc(told, func(s string) bool { return strings.Contains(s, " "+string(it.ID)+" ok") }) {
			return time.Since(began)
		}
		if time.Since(began) > time.Minute {
			x.t.Fatalf("%s is not told", it.ID)
		}
	}
}

// With a watch for each plan nothing is said. With one less the sweep finds what changes, and the watcher says how late.
func TestPlansWithoutAWatchAreSweptAndThatIsSaid(t *testing.T) {
	const plans = 10
	for _, less := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			x := newLimited(t, plans, 1+plans-less) // one is of the directory above
			defer x.close()
			x.passFor(time.Second)
			said := x.watcher.Mode().String()
			if want := map[int]string{0: "watching", 1: exhausted}[less]; said != want || x.watched() != plans-less {
				t.Errorf("%d are watched, and it says %q, want %q", x.watched(), said, want)
			}
			for _, it := range x.items {
				if took := x.changed(it); took > sweepEvery+quiet || less == 1 && took > pollEvery+2*quiet {
					t.Errorf("%d less: %s was told after %s", less, it.ID, took)
				}
			}
		})
	}
}

// A sweep compares a bounded number of plans, and the watcher says how long all take.
func TestASweepIsBounded(t *testing.T) {
	for _, c := range []struct {
		plans, watches int
		said, every    time.Duration
	}{
		{polledPerSweep, 0, pollEvery, pollEvery}, {polledPerSweep + 1, 0, 2 * pollEvery, 2 * pollEvery},
		{sweptPerSweep, math.MaxInt, 0, sweepEvery}, {sweptPerSweep + 1, math.MaxInt, 0, 2 * sweepEvery},
	} {
		synctest.Test(t, func(t *testing.T) {
			plans, every := c.plans, c.every
			x := newLimited(t, plans, c.watches)
			defer x.close()
			x.passFor(time.Second)
			if got := x.watcher.Mode().Every; got != c.said {
				t.Errorf("%d plans are said to be compared every %s, want %s", plans, got, c.said)
			}
			var most time.Duration
			for i := 0; i < plans; i += plans / 8 {
				most = max(most, x.changed(x.items[i]))
			}
			if most > every+2*quiet {
				t.Errorf("of %d plans one was told after %s", plans, most)
			}
		})
	}
}

// At the system's limit a watcher of many plans leaves some watches to others; one of few, such as those on a screen, keeps its own.
func TestManyPlansLeaveWatchesToOthers(t *testing.T) {
	const most = 4 * spareWatches
	for plans, left := range map[int]int{most: 0, most + 1: spareWatches} {
		synctest.Test(t, func(t *testing.T) {
			x := newLimited(t, plans, plans) // one less than it needs
			defer x.close()
			x.passFor(time.Second)
			if got := plans - 1 - x.watched(); got != left {
				t.Errorf("of %d plans %d are watched: it leaves %d, want %d", plans, x.watched(), got, left)
			}
			if took := x.changed(x.items[0]); took > pollEvery+2*quiet {
				t.Errorf("told after %s", took)
			}
		})
	}
}
