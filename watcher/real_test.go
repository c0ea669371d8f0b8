package watcher

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.MostlyWait()
	storetest.Main(m, nil)
}

// waitLimit is how long a test waits for something that must happen.
const waitLimit = 20 * time.Second

// fixture is a home on a real disk, a watcher of it, and its notifications.
type fixture struct {
	*testing.T
	home     files.Home
	watcher  *Watcher
	gate     *gate
	notified map[model.ItemID][]files.Plan
	ledger   int
}

// fence is an item that tests save after others, to see all earlier notifications.
const fence model.ItemID = "fence"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newFixture watches items, each with a known plan, and returns once all are watched.
func newFixture(t *testing.T, items ...model.ItemID) *fixture {
	t.Helper()
	return newFixtureOn(t, openWithCloses, items...)
}

func newFixtureOn(t *testing.T, open opener, items ...model.ItemID) *fixture {
	t.Helper()
	home, err := files.NewHome(t.TempDir())
	must(t, err)
	d := &fixture{T: t, home: home, gate: &gate{homeDisk: homeDisk{home}}, notified: map[model.ItemID][]files.Plan{}}
	unknown := map[Item]model.PlanArtifact{}
	for _, id := range append(items, fence) {
		_, err := home.CreatePlan(agent, id, "the first plan of "+string(id)+"\n")
		must(t, err)
		unknown[Item{agent, id}] = model.PlanArtifact{}
	}
	c := Config{Home: home, Ledger: home.Dir() + "/ledger.db"}
	d.watcher = start(context.Background(), c, d.gate, open)
	t.Cleanup(func() {
		d.goOn()
		d.watcher.Close()
	})
	d.watcher.Set(unknown)
	d.until(func() bool { return len(d.notified) == len(unknown) })
	clear(d.notified)
	return d
}

// gate counts the plans that are read, the fence aside, and can delay a read.
type gate struct {
	homeDisk
	reads atomic.Int64
	hold  atomic.Pointer[hold] // nil while the gate is open
}

type hold struct {
	once       sync.Once
	held, over chan struct{}
}

func (g *gate) Plan(agent model.AgentID, id model.ItemID) files.Plan {
	if id != fence {
		g.reads.Add(1)
	}
	if h := g.hold.Load(); h != nil {
		h.once.Do(func() { close(h.held) })
		<-h.over
	}
	return g.homeDisk.Plan(agent, id)
}

// standStill stops the engine while it reads an item, until goOn.
func (d *fixture) standStill(id model.ItemID) {
	h := &hold{held: make(chan struct{}), over: make(chan struct{})}
	d.gate.hold.Store(h)
	d.watcher.Known(Item{agent, id}, model.PlanArtifact{})
	<-h.held
}

func (d *fixture) goOn() {
	if h := d.gate.hold.Swap(nil); h != nil {
		close(h.over)
	}
}

// until reads notifications until enough returns true.
func (d *fixture) until(enough func() bool) {
	d.Helper()
	ctx, stop := context.WithTimeout(context.Background(), waitLimit)
	defer stop()
	for !enough() {
		event, err := d.watcher.Next(ctx)
		if err != nil {
			d.Fatalf("%v; notified so far: %s", err, d.summary())
		}
		d.note(event)
	}
}

func (d *fixture) note(event event) {
	if event.LedgerMoved {
		d.ledger++
	}
	for _, n := range event.Plans {
		d.notified[n.Item.ID] = append(d.notified[n.Item.ID], n.Plan)
	}
}

// untilText reads notifications until the newest text of an item is text.
func (d *fixture) untilText(id model.ItemID, text string) {
	d.Helper()
	d.until(func() bool {
		notified := d.notified[id]
		return len(notified) > 0 && string(notified[len(notified)-1].Raw) == text
	})
}

// settle reads notifications until the events of everything that happened before have come, and the longest wait for a read is over.
func (d *fixture) settle() {
	d.Helper()
	d.passFence()
	<-time.After(quietCap + grace)
	d.passFence()
}

// passFence reads notifications until the fence's: events come in the order of the changes.
func (d *fixture) passFence() {
	d.Helper()
	text := fmt.Sprintln(time.Now())
	d.save(fence, text)
	d.untilText(fence, text)
}

func (d *fixture) save(id model.ItemID, text string) {
	d.Helper()
	must(d, os.WriteFile(d.home.PlanPath(agent, id), []byte(text), 0o600))
}

func (d *fixture) summary() string {
	var b strings.Builder
	for id, notified := range d.notified {
		for _, p := range notified {
			fmt.Fprintf(&b, "%s %s %d bytes; ", id, p.Condition, p.Bytes)
		}
	}
	return b.String()
}
