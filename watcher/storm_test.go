package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store/files"
)

// storm is how many saves a storm has.
func storm() int {
	if testing.Short() {
		return 1000
	}
	return 10_000
}

// saveAs saves in place or by rename, in turn.
func (d *desk) saveAs(i int, id model.ItemID, text string) {
	if i%2 == 0 {
		d.save(id, text)
		return
	}
	temp := filepath.Join(d.home.PlanDir(agent, id), "temp")
	must(d, os.WriteFile(temp, []byte(text), 0o600))
	must(d, os.Rename(temp, d.home.PlanPath(agent, id)))
}

func TestAStormOfSavesIsReadFewTimes(t *testing.T) {
	d := newDesk(t, "wi-1")
	before := d.reads.Load()
	began := time.Now()
	for i := range storm() {
		d.saveAs(i, "wi-1", fmt.Sprintf("save %d\n", i))
	}
	took := time.Since(began)
	d.untilText("wi-1", fmt.Sprintf("save %d\n", storm()-1))
	reads := d.reads.Load() - before
	t.Logf("%d saves in %s: %d reads, %d told", storm(), took, reads, len(d.told["wi-1"]))
	// One at each cap, one at the end, and a few that met an empty file.
	if most := 2*int64(took/quietCap) + 4; reads > most {
		t.Errorf("read %d times, want %d at most", reads, most)
	}
}

func TestAStormOverManyPlansEndsRight(t *testing.T) {
	var items []model.ItemID
	for i := range 500 {
		items = append(items, model.ItemID(fmt.Sprintf("wi-%d", i)))
	}
	d := newDesk(t, items...)
	before := d.reads.Load()
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
			if told := d.told[id]; len(told) == 0 || string(told[len(told)-1].Raw) != text {
				return false
			}
		}
		return true
	})
	t.Logf("%d saves of %d plans in %s: %d reads, right %s after the last",
		storm(), len(items), took, d.reads.Load()-before, time.Since(began)-took)
	for id, told := range d.told {
		for _, p := range told {
			if !hasText(p.PlanArtifact) {
				t.Errorf("%s was told to be %s, %d bytes", id, p.Condition, p.Bytes)
			}
		}
	}
}

// A watcher that stood still (a stopped process) has lost events; it knows that, and looks.
func TestEventsThatAreLostAreMadeGoodByLooking(t *testing.T) {
	limit := readInt(t, "/proc/sys/fs/inotify/max_queued_events")
	if limit > 50_000 {
		t.Skipf("the system keeps %d events", limit)
	}
	home, err := files.NewHome(t.TempDir())
	must(t, err)
	d := &desk{T: t, home: home, told: map[model.ItemID][]files.Plan{}}
	items := map[Item]model.PlanArtifact{}
	for _, id := range []model.ItemID{"wi-1", "wi-2", "wi-3"} {
		_, err := home.CreatePlan(agent, id, "old\n")
		must(t, err)
		items[Item{agent, id}] = model.PlanArtifact{}
	}
	g := &gated{homeDisk: homeDisk{home}, held: make(chan struct{}), open: make(chan struct{})}
	d.watcher = start(context.Background(), Config{Home: home}, g, openSource)
	defer d.watcher.Close()
	defer g.free()
	d.watcher.Set(items)
	<-g.held // the eye stands still now
	for i := range limit {
		d.saveAs(i, model.ItemID(fmt.Sprintf("wi-%d", 1+i%2)), fmt.Sprintf("save %d\n", i))
	}
	must(t, os.RemoveAll(home.PlanDir(agent, "wi-3")))
	_, err = home.CreatePlan(agent, "wi-3", "lost\n")
	must(t, err)
	g.free()
	d.untilText("wi-1", fmt.Sprintf("save %d\n", limit-2))
	d.untilText("wi-2", fmt.Sprintf("save %d\n", limit-1))
	d.untilText("wi-3", "lost\n")
	began := time.Now()
	d.save("wi-3", "watched\n")
	d.untilText("wi-3", "watched\n")
	if took := time.Since(began); took > sweepEvery/2 {
		t.Errorf("told after %s: its directory is not watched any more", took)
	}
}

// gated holds every read back until it is free, and says when the first is held.
type gated struct {
	homeDisk
	once, freed sync.Once
	held, open  chan struct{}
}

func (g *gated) Plan(agent model.AgentID, id model.ItemID) files.Plan {
	g.once.Do(func() { close(g.held) })
	<-g.open
	return g.homeDisk.Plan(agent, id)
}

func (g *gated) free() { g.freed.Do(func() { close(g.open) }) }

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
