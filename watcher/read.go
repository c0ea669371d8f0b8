package watcher

import (
	"maps"
	"slices"
	"time"
)

// readDue reads the plans that are due, at most readsPerTurn, and sets soonest.
func (e *engine) readDue(now time.Time) {
	reads := 0
	e.soonest = time.Time{}
	for p := range e.dirty {
		if !now.Before(p.due) && reads < readsPerTurn {
			reads++
			if !e.read(p, now) {
				delete(e.dirty, p)
				continue
			}
		}
		if e.soonest.IsZero() || p.due.Before(e.soonest) {
			e.soonest = p.due
		}
	}
}

// read reads a plan once and reports a difference as news. again means that the plan must be
// read again at its due time.
func (e *engine) read(p *plan, now time.Time) (again bool) {
	e.ensure(p)
	p.seen = e.disk.Stat(p.item.Agent, p.item.ID)
	fresh := e.disk.Plan(p.item.Agent, p.item.ID)
	isNews, tooEarly := p.judge(fresh, now)
	if isNews {
		e.news.plan(PlanNews{p.item, fresh})
	}
	return tooEarly
}

// sweep compares the size and times of everything, or of many plans the next ones, independent of events. If a file changed
// without an event, it was written past its watch (through a link, by mmap, below a
// directory that was replaced), so sweep also starts the watch again.
func (e *engine) sweep(now time.Time) {
	e.errors = 0
	if e.source == nil || e.short {
		if !now.Before(e.retryAt) {
			e.reopen(now)
		}
	} else {
		e.putAll()
	}
	found := e.ledger.due.IsZero() && markOf(e.ledger.path) != e.ledger.mark
	e.ledger.touch(now)
	for _, p := range e.nextOfRound() {
		_, soon := e.dirty[p]
		if soon || e.plans[p.item] != p || e.disk.Stat(p.item.Agent, p.item.ID) == p.seen {
			continue
		}
		e.drop(p.dir)
		e.drop(p.dir.up)
		e.ensure(p)
		e.touch(p, now)
		found = true
	}
	e.swept = now
	if !found || e.source == nil || e.short {
		return
	}
	if e.missed++; e.missed > missedMost {
		e.fall("file events do not arrive", now)
	}
}

// nextOfRound returns the plans that a sweep compares. A round is of all plans.
func (e *engine) nextOfRound() (some []*plan) {
	if len(e.round) == 0 {
		e.round = slices.Collect(maps.Values(e.plans))
	}
	n := sweptPerSweep
	if e.mode.Polling() {
		n = polledPerSweep
	}
	n = min(n, len(e.round))
	some, e.round = e.round[:n], e.round[n:]
	return some
}

func (e *engine) sweepAt() time.Time {
	if e.mode.Polling() {
		return e.swept.Add(pollEvery)
	}
	return e.swept.Add(sweepEvery)
}

// lost handles an error of the source. Events were lost, so everything is read again.
func (e *engine) lost(now time.Time) {
	if e.errors++; e.errors > errorsPerSweep {
		e.fall("file events keep failing", now)
		return
	}
	for _, d := range e.dirs { // it is not known which watches still work
		e.drop(d)
	}
	e.putAll()
	e.touchAll(now)
}

func (e *engine) touchAll(now time.Time) {
	e.ledger.touch(now)
	for _, p := range e.plans {
		e.touch(p, now)
	}
}

// reopen tries to get events, or more watches. The following sweep finds the changes that
// had no event.
func (e *engine) reopen(now time.Time) {
	e.retryAt = now.Add(retryEvery)
	if e.source == nil {
		source, err := e.open()
		if err != nil {
			e.turn(reasonOf(err))
			return
		}
		e.source = source
	}
	e.putAll()
}

// fall closes the source for a while.
func (e *engine) fall(reason string, now time.Time) {
	e.missed = 0
	e.closeSource()
	e.retryAt = now.Add(retryEvery)
	e.turn(reason)
	e.touchAll(now)
}

func (e *engine) closeSource() {
	if e.source == nil {
		return
	}
	e.source.Close()
	e.source = nil
	for _, d := range e.dirs {
		d.watched = false
	}
}

// turn sets the mode: polling for a reason, or events if the reason is empty.
func (e *engine) turn(reason string) {
	mode := Mode{}
	if reason != "" {
		mode = Mode{Every: pollEvery * time.Duration(1+(len(e.plans)-1)/polledPerSweep), Reason: reason}
	}
	if mode != e.mode {
		e.mode = mode
		e.news.turn(mode)
	}
}
