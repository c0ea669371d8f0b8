package watcher

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"vise/model"
)

const (
	planFile = "plan.md"
	// readsPerTurn is how many plans the engine reads before it handles events again, so
	// that events and notices of the ledger do not wait for thousands of plans.
	readsPerTurn = 32
	// polledPerSweep is how many plans a sweep compares without events, which takes some milliseconds; sweptPerSweep is how many with
	// events.
	polledPerSweep, sweptPerSweep = 2000, 250
	// spareWatches is how many watches a watcher of more plans than four times as many gives back at the system's limit: plans on a screen
	// and other programs need some too.
	spareWatches = 64
	// errorsPerSweep is how many errors between two sweeps mean that the source is broken.
	errorsPerSweep = 100
	// missedMost is how many sweeps in a row may find a change that had no event: some writes have none (through a link, by mmap), and a
	// sweep can come just before an event.
	missedMost = 1
)

// engine is the one goroutine that reads. It shares only requests and news with others.
type engine struct {
	disk     disk
	open     opener
	requests *requests
	news     *news

	source source // nil without events
	short  bool   // the source has no watches left
	errors int    // of the source, since the last sweep
	missed int    // sweeps that found a change, since the last event
	mode   Mode   // the same as in news

	ledger    ledger
	ledgerDir *dir // nil if the ledger has no file
	dirs      map[string]*dir
	plans     map[Item]*plan
	dirty     map[*plan]struct{} // to read at their due times
	round     []*plan            // to compare in the next sweeps

	soonest        time.Time // no plan in dirty is due before; zero if none is dirty
	swept, retryAt time.Time
}

// newEngine opens the source and watches the ledger before Start returns.
func newEngine(c Config, d disk, open opener, w *requests, n *news) *engine {
	e := &engine{
		disk: d, open: open, requests: w, news: n,
		dirs: map[string]*dir{}, plans: map[Item]*plan{}, dirty: map[*plan]struct{}{},
	}
	if c.Ledger != "" {
		e.ledger.path = filepath.Clean(c.Ledger)
		e.ledgerDir = &dir{path: filepath.Dir(e.ledger.path), anyLink: true}
		e.dirs[e.ledgerDir.path] = e.ledgerDir
	}
	now := time.Now()
	e.reopen(now)
	e.ledger.mark = markOf(e.ledger.path)
	e.swept = now
	return e
}

func (e *engine) run(ctx context.Context) {
	defer e.closeSource()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		alarm := e.alarm()
		timer.Reset(time.Until(alarm))
		events, trouble, whole := e.channels()
		select {
		case <-ctx.Done():
			return
		case <-e.requests.fresh:
			e.takeRequests(time.Now())
		case event, ok := <-events:
			e.take(event, ok, time.Now())
		case path := <-whole:
			e.takeWhole(path, time.Now())
		case <-trouble:
			e.lost(time.Now())
		case <-timer.C:
		}
		now := time.Now()
		if now.Round(0).Sub(alarm.Round(0)) > sweepEvery {
			e.touchAll(now) // this process, or the machine, stood still
		}
		e.act(now)
	}
}

func (e *engine) channels() (<-chan fsnotify.Event, <-chan error, <-chan string) {
	if e.source == nil {
		return nil, nil, nil
	}
	return e.source.Events(), e.source.Trouble(), e.source.Whole()
}

// alarm is the time of the next task if nothing happens before.
func (e *engine) alarm() time.Time {
	at := e.sweepAt()
	if !e.soonest.IsZero() {
		at = earlier(at, e.soonest)
	}
	if !e.ledger.due.IsZero() {
		at = earlier(at, e.ledger.due)
	}
	return at
}

// act does what is due.
func (e *engine) act(now time.Time) {
	if e.ledger.moved(now) {
		e.news.ledgerMoved()
	}
	if !e.soonest.IsZero() && !now.Before(e.soonest) {
		e.readDue(now)
	}
	if !now.Before(e.sweepAt()) {
		e.sweep(now)
	}
}

// takeRequests starts and ends watches as requested.
func (e *engine) takeRequests(now time.Time) {
	items, isSet, known := e.requests.take()
	if isSet {
		for item, p := range e.plans {
			if _, keep := items[item]; !keep {
				e.forget(p)
			}
		}
		for item, artifact := range items {
			e.begin(item, artifact, now)
		}
		e.turn(e.mode.Reason) // it takes longer to compare more
	}
	for item, artifact := range known {
		if p := e.plans[item]; p != nil {
			p.knows(artifact)
			e.readNow(p, now)
		}
	}
}

// begin starts to watch an item's plan. An invalid id has no plan.
func (e *engine) begin(item Item, known model.PlanArtifact, now time.Time) {
	if e.plans[item] != nil || e.disk.PlanDir(item.Agent, item.ID) == "" {
		return
	}
	p := &plan{item: item}
	p.knows(known)
	e.plans[item] = p
	e.wantPlan(p)
	e.readNow(p, now)
}

func (e *engine) forget(p *plan) {
	e.unwantPlan(p)
	delete(e.plans, p.item)
	delete(e.dirty, p)
	e.news.forget(p.item)
}

// take handles an event of the source for the ledger, a plan or a directory. It ignores all
// other files in those directories.
func (e *engine) take(event fsnotify.Event, ok bool, now time.Time) {
	e.missed = 0
	switch {
	case !ok:
		e.fall("file events have ended", now)
	case e.ledgerDir != nil && event.Name == e.ledger.path:
		e.ledger.touch(now)
	case filepath.Base(event.Name) == planFile:
		d := e.dirs[filepath.Dir(event.Name)]
		switch {
		case d == nil || d.plan == nil:
		case event.Has(fsnotify.Create):
			e.came(d.plan, now)
		default:
			e.touch(d.plan, now)
		}
	default:
		d := e.dirs[event.Name]
		if d != nil && event.Has(fsnotify.Create) {
			e.dirGone(d, now)
			e.put(d) // the new directory, watched before it is read
		} else if d != nil && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) {
			e.dirGone(d, now)
		}
	}
}

// takeWhole schedules a read of a plan that its writer has closed.
func (e *engine) takeWhole(path string, now time.Time) {
	if d := e.dirs[filepath.Dir(path)]; d != nil && d.plan != nil {
		d.plan.whole(now)
		e.schedule(d.plan)
	}
}

// touch schedules a read of p after a quiet time.
func (e *engine) touch(p *plan, now time.Time) {
	p.touch(now)
	e.schedule(p)
}

// came schedules a read of p as soon as no write follows.
func (e *engine) came(p *plan, now time.Time) {
	p.came(now)
	e.schedule(p)
}

// readNow schedules a read of p at once.
func (e *engine) readNow(p *plan, now time.Time) {
	p.due = now
	e.schedule(p)
}

func (e *engine) schedule(p *plan) {
	e.dirty[p] = struct{}{}
	if e.soonest.IsZero() || p.due.Before(e.soonest) {
		e.soonest = p.due
	}
}
