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
	// looksPerTurn bounds the plans read before the eye turns to events again, so that
	// neither they nor the ledger's frames wait for thousands of plans.
	looksPerTurn = 32
	// errorsPerSweep is how many errors between two sweeps show that the source is broken.
	errorsPerSweep = 100
)

// eye is the one goroutine that looks. Nothing in it is shared but wishes and news.
type eye struct {
	disk   disk
	open   opener
	wishes *wishes
	news   *news

	source source // nil without events
	short  bool   // the source has no watches left for us
	errors int    // of the source, since the last sweep
	mode   Mode   // as news has it

	ledger    ledger
	ledgerDir *dir // nil if the ledger has no file
	dirs      map[string]*dir
	plans     map[Item]*plan
	dirty     map[*plan]struct{} // to be read at their due times

	soonest        time.Time // no plan in dirty is due before; zero if none is dirty
	swept, retryAt time.Time
}

// newEye opens the source and watches the ledger, before anyone waits for it.
func newEye(c Config, d disk, open opener, w *wishes, n *news) *eye {
	e := &eye{
		disk: d, open: open, wishes: w, news: n,
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

func (e *eye) run(ctx context.Context) {
	defer e.closeSource()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(time.Until(e.alarm()))
		events, trouble, whole := e.channels()
		select {
		case <-ctx.Done():
			return
		case <-e.wishes.fresh:
			e.grant(time.Now())
		case event, ok := <-events:
			e.hear(event, ok, time.Now())
		case path := <-whole:
			e.hearWhole(path, time.Now())
		case <-trouble:
			e.distrust(time.Now())
		case <-timer.C:
		}
		e.act(time.Now())
	}
}

func (e *eye) channels() (<-chan fsnotify.Event, <-chan error, <-chan string) {
	if e.source == nil {
		return nil, nil, nil
	}
	var whole <-chan string
	if c := closesOf(e.source); c != nil {
		whole = c.Whole()
	}
	return e.source.Events(), e.source.Trouble(), whole
}

// alarm is when there is something to do, if nothing happens before.
func (e *eye) alarm() time.Time {
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
func (e *eye) act(now time.Time) {
	if e.ledger.tell(now) {
		e.news.ledgerMoved()
	}
	if !e.soonest.IsZero() && !now.Before(e.soonest) {
		e.lookAtDue(now)
	}
	if !now.Before(e.sweepAt()) {
		e.sweep(now)
	}
}

// grant takes up what the door wished for.
func (e *eye) grant(now time.Time) {
	items, isSet, known := e.wishes.take()
	if isSet {
		for item, p := range e.plans {
			if _, keep := items[item]; !keep {
				e.forget(p)
			}
		}
		for item, artifact := range items {
			e.admit(item, artifact, now)
		}
	}
	for item, artifact := range known {
		if p := e.plans[item]; p != nil {
			p.known = artifact
			e.hurry(p, now)
		}
	}
}

// admit begins to watch an item's plan. An id that is not valid has no plan to watch.
func (e *eye) admit(item Item, known model.PlanArtifact, now time.Time) {
	if e.plans[item] != nil || e.disk.PlanDir(item.Agent, item.ID) == "" {
		return
	}
	p := &plan{item: item, known: known}
	e.plans[item] = p
	e.wantPlan(p)
	e.hurry(p, now)
}

func (e *eye) forget(p *plan) {
	e.unwantPlan(p)
	delete(e.plans, p.item)
	delete(e.dirty, p)
	e.news.forget(p.item)
}

// hear takes an event of the source: of the ledger, of a plan, or of a directory.
// Everything else in those directories is nobody's business here.
func (e *eye) hear(event fsnotify.Event, ok bool, now time.Time) {
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
			e.dirCame(d, now)
		} else if d != nil && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) {
			e.dirGone(d, now)
		}
	}
}

// hearWhole has a plan read that a writer has closed.
func (e *eye) hearWhole(path string, now time.Time) {
	if d := e.dirs[filepath.Dir(path)]; d != nil && d.plan != nil {
		d.plan.whole(now)
		e.schedule(d.plan)
	}
}

// touch has p read when it has been quiet.
func (e *eye) touch(p *plan, now time.Time) {
	p.touch(now)
	e.schedule(p)
}

// came has p read once no write follows.
func (e *eye) came(p *plan, now time.Time) {
	p.came(now)
	e.schedule(p)
}

// hurry has p read at once.
func (e *eye) hurry(p *plan, now time.Time) {
	p.due = now
	e.schedule(p)
}

func (e *eye) schedule(p *plan) {
	e.dirty[p] = struct{}{}
	if e.soonest.IsZero() || p.due.Before(e.soonest) {
		e.soonest = p.due
	}
}
