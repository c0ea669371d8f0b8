package watcher

import "time"

// lookAtDue reads the plans that are due, looksPerTurn at most, and sets soonest anew.
func (e *eye) lookAtDue(now time.Time) {
	looks := 0
	e.soonest = time.Time{}
	for p := range e.dirty {
		if !now.Before(p.due) && looks < looksPerTurn {
			looks++
			if !e.look(p, now) {
				delete(e.dirty, p)
				continue
			}
		}
		if e.soonest.IsZero() || p.due.Before(e.soonest) {
			e.soonest = p.due
		}
	}
}

// look reads a plan once and tells what is news. again is true if it is to be read again
// at its due time.
func (e *eye) look(p *plan, now time.Time) (again bool) {
	e.ensure(p)
	p.seen = e.disk.Stat(p.item.Agent, p.item.ID)
	fresh := e.disk.Plan(p.item.Agent, p.item.ID)
	isNews, tooEarly := p.judge(fresh, now)
	if isNews {
		e.news.plan(PlanNews{p.item, fresh, p.seen})
	}
	return tooEarly
}

// sweep looks at the size and times of everything, whatever events said. What it finds
// changed and no event has told of was written past its watch (through a link, by
// mmap, below a directory that was replaced), so the watch is put anew too.
func (e *eye) sweep(now time.Time) {
	e.errors = 0
	if e.source == nil || e.short {
		if !now.Before(e.retryAt) {
			e.reopen(now)
		}
	} else {
		e.putAll()
	}
	e.ledger.touch(now)
	for _, p := range e.plans {
		if _, soon := e.dirty[p]; soon || e.disk.Stat(p.item.Agent, p.item.ID) == p.seen {
			continue
		}
		e.drop(p.dir)
		e.drop(p.dir.up)
		e.ensure(p)
		e.touch(p, now)
	}
	e.swept = now
}

func (e *eye) sweepAt() time.Time {
	if e.mode.Polling() {
		return e.swept.Add(e.mode.Every)
	}
	return e.swept.Add(sweepEvery)
}

// distrust takes an error of the source: events were lost, so everything is read again.
func (e *eye) distrust(now time.Time) {
	if e.errors++; e.errors > errorsPerSweep {
		e.fall("file events keep failing", now)
		return
	}
	e.rewatch()
	e.ledger.touch(now)
	for _, p := range e.plans {
		e.touch(p, now)
	}
}

// reopen tries to get events, or more of them. What happened without them is for the
// sweep to find that follows.
func (e *eye) reopen(now time.Time) {
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

// fall gives the source up for a while.
func (e *eye) fall(reason string, now time.Time) {
	e.closeSource()
	e.retryAt = now.Add(retryEvery)
	e.turn(reason)
	e.ledger.touch(now)
	for _, p := range e.plans {
		e.touch(p, now)
	}
}

func (e *eye) closeSource() {
	if e.source == nil {
		return
	}
	e.source.Close()
	e.source = nil
	for _, d := range e.dirs {
		d.watched = false
	}
}

// turn sets the mode: polling for a reason, or none.
func (e *eye) turn(reason string) {
	mode := Mode{}
	if reason != "" {
		mode = Mode{Every: pollEvery, Reason: reason}
	}
	if mode != e.mode {
		e.mode = mode
		e.news.turn(mode)
	}
}
