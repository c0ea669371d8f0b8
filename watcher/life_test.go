package watcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/storetest"
)

func TestAWatcherNeedsAHome(t *testing.T) {
	if _, err := Start(context.Background(), Config{}); err == nil {
		t.Error("a watcher without a home started")
	}
}

func TestAHomeThatComesLaterIsWatched(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, err := files.NewHome(filepath.Join(t.TempDir(), "later"))
	must(t, err)
	w, err := Start(context.Background(), Config{Home: home, Ledger: home.Dir() + "/ledger.db"})
	must(t, err)
	defer w.Close()
	d := &fixture{T: t, home: home, watcher: w, notified: map[model.ItemID][]files.Plan{}}
	w.Set(map[Item]model.PlanArtifact{{agent, "wi-1"}: {}})
	d.until(func() bool { return len(d.notified["wi-1"]) == 1 })
	if got := d.notified["wi-1"][0].Condition; got != model.PlanMissing {
		t.Errorf("got %s, want missing", got)
	}
	must(t, os.Mkdir(home.Dir(), 0o700))
	commit(t, home.Dir()+"/ledger.db")
	_, err = home.CreatePlan(agent, "wi-1", "here\n")
	must(t, err)
	d.untilText("wi-1", "here\n")
	d.until(func() bool { return d.ledger > 0 })
}

// Everything above an item's directory is replaced: the watches are lost, and no event says so.
func TestAHomeThatIsReplacedIsWatchedAnew(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	d := newFixture(t, "wi-1")
	above := filepath.Dir(d.home.ItemsDir(agent))
	must(t, os.Rename(above, above+"-away"))
	_, err := d.home.CreatePlan(agent, "wi-1", "replaced\n")
	must(t, err)
	d.untilText("wi-1", "replaced\n")
	d.checkWatched("wi-1")
}

// The directory above is removed with everything in it, and made again.
func TestADirectoryOfItemsThatIsMadeAgainIsWatched(t *testing.T) {
	d := newFixture(t, "wi-1")
	must(t, os.RemoveAll(d.home.ItemsDir(agent)))
	_, err := d.home.CreatePlan(agent, "wi-1", "again\n")
	must(t, err)
	d.untilText("wi-1", "again\n")
	d.checkWatched("wi-1")
}

func TestADirectoryThatIsALinkIsNotWatched(t *testing.T) {
	storetest.Slow(t)
	d := newFixture(t, "wi-1")
	elsewhere := t.TempDir()
	must(t, os.RemoveAll(d.home.PlanDir(agent, "wi-1")))
	must(t, os.Symlink(elsewhere, d.home.PlanDir(agent, "wi-1")))
	d.until(func() bool { return len(d.notified["wi-1"]) > 0 })
	if got := d.notified["wi-1"][0].Condition; got != model.PlanOutsideHome {
		t.Errorf("got %s, want outside_home", got)
	}
	d.settle()
	before := d.gate.reads.Load()
	for i := range 10 {
		must(t, os.WriteFile(filepath.Join(elsewhere, "plan.md"), fmt.Append(nil, i), 0o600))
	}
	d.settle()
	if reads := d.gate.reads.Load() - before; reads > 1 {
		t.Errorf("%d reads: events of another directory were ended", reads)
	}
}

// fsnotify cannot end the watch of a directory that was moved and then removed. It reports that while it holds the lock
// that the engine needs to end the same watch.
func TestDirectoriesThatComeAndGoDoNotStopTheWatcher(t *testing.T) {
	items := []model.ItemID{"wi-1", "wi-2", "wi-3"}
	d := newFixtureOn(t, func() (source, error) {
		s, err := openWithCloses()
		return slow{s}, err
	}, items...)
	d.standStill(fence)
	away := filepath.Join(t.TempDir(), "away")
	for _, id := range items {
		must(t, os.Rename(d.home.PlanDir(agent, id), away))
		must(t, os.RemoveAll(away))
		_, err := d.home.CreatePlan(agent, id, "again\n")
		must(t, err)
	}
	d.goOn()
	for _, id := range items {
		d.untilText(id, "again\n")
	}
	d.checkWatched("wi-1")
}

// slow lets fsnotify go on before a watch is ended.
type slow struct{ source }

func (s slow) Remove(dir string) {
	<-time.After(time.Millisecond)
	s.source.Remove(dir)
}

func TestAnItemThatIsNotWatchedAnyMoreIsNotTold(t *testing.T) {
	d := newFixture(t, "wi-1")
	d.standStill("wi-1")
	d.goOn()
	d.standStill(fence) // wi-1 is news that nobody has read
	d.watcher.Set(map[Item]model.PlanArtifact{{agent, fence}: {}})
	d.goOn()
	d.standStill(fence)
	d.goOn()
	d.until(func() bool { return len(d.notified[fence]) > 0 })
	if notified := d.notified["wi-1"]; len(notified) > 0 {
		t.Errorf("notified of an item that is not watched: %s", d.summary())
	}
}

func TestNextEndsWithItsContextOrTheWatcher(t *testing.T) {
	d := newFixture(t)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	next := func() {
		_, err := d.watcher.Next(ctx)
		ended <- err
	}
	go next()
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
	ctx = context.Background()
	go next()
	go next()
	d.watcher.Close()
	d.watcher.Close()
	for range 2 {
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
	d.watcher.Set(nil) // nobody reads, nobody waits
	d.watcher.Known(Item{agent, "wi-1"}, model.PlanArtifact{})
}

func TestAWatcherEndsWithItsContext(t *testing.T) {
	home, err := files.NewHome(t.TempDir())
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	w, err := Start(ctx, Config{Home: home})
	must(t, err)
	stop()
	if _, err := w.Next(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

func TestAClosedWatcherLeavesNothing(t *testing.T) {
	count := func() (goroutines, descriptors int) {
		entries, _ := os.ReadDir("/proc/self/fd")
		return runtime.NumGoroutine(), len(entries)
	}
	home, err := files.NewHome(t.TempDir())
	must(t, err)
	_, err = home.CreatePlan(agent, "wi-1", "x")
	must(t, err)
	round := func() {
		w, err := Start(context.Background(), Config{Home: home, Ledger: home.Dir() + "/ledger.db"})
		must(t, err)
		w.Set(map[Item]model.PlanArtifact{{agent, "wi-1"}: {}})
		_, err = w.Next(context.Background())
		must(t, err)
		w.Close()
	}
	round()
	goroutines, descriptors := count()
	for range 20 {
		round()
	}
	g, fd := count()
	for deadline := time.Now().Add(waitLimit); g > goroutines && time.Now().Before(deadline); g, fd = count() {
		runtime.Gosched() // one that reported its end may not have ended yet
	}
	if g > goroutines || fd > descriptors {
		t.Errorf("after 20 watchers: %d goroutines, before %d; %d descriptors, before %d", g, goroutines, fd, descriptors)
	}
}

// The caller's goroutines may call all at once; the race detector checks that.
func TestAWatcherIsForManyGoroutines(t *testing.T) {
	d := newFixture(t, "wi-1", "wi-2")
	one, two := Item{agent, "wi-1"}, Item{agent, "wi-2"}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 100 {
				d.watcher.Set(map[Item]model.PlanArtifact{one: {}, {agent, fence}: {}})
				d.watcher.Known(two, model.PlanArtifact{})
				d.watcher.Set(map[Item]model.PlanArtifact{one: {}, two: {}, {agent, fence}: {}})
				_ = d.watcher.Mode().String()
				must(t, os.WriteFile(d.home.PlanPath(agent, "wi-2"), fmt.Append(nil, i), 0o600))
			}
		})
	}
	wg.Wait()
	d.save("wi-1", "done\n")
	d.untilText("wi-1", "done\n")
}
