package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/storetest"
)

// storm is how many saves a storm has.
func storm() int {
	if testing.Short() {
		return 1000
	}
	return 10_000
}

// saveAs saves in place or by rename, in turn.
func (d *fixture) saveAs(i int, id model.ItemID, text string) {
	if i%2 == 0 {
		d.save(id, text)
		return
	}
	temp := filepath.Join(d.home.PlanDir(agent, id), "temp")
	must(d, os.WriteFile(temp, []byte(text), 0o600))
	must(d, os.Rename(temp, d.home.PlanPath(agent, id)))
}

func TestAStormOfSavesIsReadFewTimes(t *testing.T) {
	d := newFixture(t, "wi-1")
	before := d.gate.reads.Load()
	began := time.Now()
	for i := range storm() {
		d.saveAs(i, "wi-1", fmt.Sprintf("save %d\n", i))
	}
	took := time.Since(began)
	d.untilText("wi-1", fmt.Sprintf("save %d\n", storm()-1))
	reads := d.gate.reads.Load() - before
	t.Logf("%d saves in %s: %d reads, %d notified", storm(), took, reads, len(d.notified["wi-1"]))
	// One read at each cap and each gap, one at the end, and a few for an empty file.
	if most := (2+soonMost)*int64(took/quietCap+1) + int64(took/rewriteGap) + 4; reads > most {
		t.Errorf("read %d times, want %d at most", reads, most)
	}
}

// A save is seen at once if the one before is less than half a second old; in a storm there is a gap.
func TestAPlanSavedAgainSoonIsReadAtOnce(t *testing.T) {
	now := time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)
	var p plan
	for i := range soonMost + 1 {
		if p.whole(now); !p.due.Equal(now) {
			t.Errorf("save %d waits %s", i, p.due.Sub(now))
		}
		p.judge(files.Plan{}, now)
		now = now.Add(rewriteGap / 3)
	}
	if p.whole(now); !p.due.Equal(now.Add(quiet)) {
		t.Errorf("in a storm a save waits %s", p.due.Sub(now))
	}
	now = now.Add(quietCap)
	if p.whole(now); !p.due.Equal(now) {
		t.Errorf("a second later a save waits %s", p.due.Sub(now))
	}
}

func TestAStormOverManyPlansEndsRight(t *testing.T) {
	storetest.Slow(t)
	var items []model.ItemID
	for i := range 500 {
		items = append(items, model.ItemID(fmt.Sprintf("wi-%d", i)))
	}
	d := newFixture(t, items...)
	before := d.gate.reads.Load()
	last := map[model.ItemID]string{}
	began := time.Now()
	for i := range storm() {
		id := items[i*7919%len(items)]
		last[id] = fmt.Sprintf("save %d\n", i)
		d.saveAs(i, id, last[id])
	}
	took := time.Since(began)
	d.until(func() bool {
		for id, text := range last {
			if notified := d.notified[id]; len(notified) == 0 || string(notified[len(notified)-1].Raw) != text {
				return false
			}
		}
		return true
	})
	t.Logf("%d saves of %d plans in %s: %d reads, right %s after the last",
		storm(), len(items), took, d.gate.reads.Load()-before, time.Since(began)-took)
	for id, notified := range d.notified {
		for _, p := range notified {
			if !hasText(p.PlanArtifact) {
				t.Errorf("%s was notified to be %s, %d bytes", id, p.Condition, p.Bytes)
			}
		}
	}
}

// A watcher that was stopped has lost events; it notices that, and reads everything.
func TestEventsThatAreLostAreMadeGoodByLooking(t *testing.T) {
	limit := readInt(t, "/proc/sys/fs/inotify/max_queued_events")
	if limit > 50_000 {
		t.Skipf("the system keeps %d events", limit)
	}
	d := newFixture(t, "wi-1", "wi-2")
	d.standStill(fence)
	saves := limit / 2 // of four events each
	for i := range saves {
		d.saveAs(1, "wi-1", fmt.Sprintf("save %d\n", i))
	}
	must(t, os.RemoveAll(d.home.PlanDir(agent, "wi-2")))
	_, err := d.home.CreatePlan(agent, "wi-2", "lost\n")
	must(t, err)
	d.goOn()
	d.untilText("wi-1", fmt.Sprintf("save %d\n", saves-1))
	d.untilText("wi-2", "lost\n")
	d.checkWatched("wi-2")
}

// checkWatched expects that a save is notified by an event, before any sweep could find it.
func (d *fixture) checkWatched(id model.ItemID) {
	d.Helper()
	if mode := d.watcher.Mode(); mode.Every > 0 {
		d.Skipf("other processes use what the system has: %v", mode)
	}
	began := time.Now()
	d.save(id, "watched\n")
	d.untilText(id, "watched\n")
	if took := time.Since(began); took > sweepEvery/4 {
		d.Errorf("%s was notified after %s: its directory is not watched", id, took)
	}
}

func readInt(t *testing.T, path string) (n int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("not known here: %v", err)
	}
	if _, err := fmt.Sscan(string(b), &n); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}
