package watcher

import "time"

// dir is a directory to watch.
type dir struct {
	path    string
	watched bool // the source watches it, and has not reported that it is gone
	// plan is set for an item's own directory; up is then the agent's directory of items.
	plan *plan
	up   *dir
	// plans are the plans in a directory of items.
	plans map[*plan]struct{}
	// anyLink is true for the ledger's directory, which the operator may make a link.
	anyLink bool
}

// wantPlan registers an item's directory and the one above it. The next read of the plan
// starts their watches.
func (e *engine) wantPlan(p *plan) {
	above := e.disk.ItemsDir(p.item.Agent)
	up := e.dirs[above]
	if up == nil {
		up = &dir{path: above, plans: map[*plan]struct{}{}}
		e.dirs[above] = up
	}
	p.dir = &dir{path: e.disk.PlanDir(p.item.Agent, p.item.ID), plan: p, up: up}
	e.dirs[p.dir.path] = p.dir
	up.plans[p] = struct{}{}
}

// unwantPlan is the reverse of wantPlan.
func (e *engine) unwantPlan(p *plan) {
	e.drop(p.dir)
	delete(e.dirs, p.dir.path)
	up := p.dir.up
	delete(up.plans, p)
	if len(up.plans) == 0 {
		e.drop(up)
		delete(e.dirs, up.path)
	}
}

// ensure starts the missing watches that p needs, before p is read.
func (e *engine) ensure(p *plan) {
	e.put(p.dir.up)
	e.put(p.dir)
}

// put watches d, if that is possible now. Only later changes in d cause events, so the caller
// compares after put.
func (e *engine) put(d *dir) {
	if d.watched || e.source == nil || e.short || !d.anyLink && !e.disk.IsDir(d.path) {
		return
	}
	err := e.source.Add(d.path, d.plan != nil)
	d.watched = err == nil
	if isLimit(err) {
		e.short = true
		e.giveBack()
		e.turn(reasonOf(err))
	}
}

// giveBack ends the watches of some plans, if there are many. The sweep compares these.
func (e *engine) giveBack() {
	n := spareWatches
	for _, p := range e.plans {
		if n > 0 && p.dir.watched && len(e.plans) > 4*spareWatches {
			e.drop(p.dir)
			n--
		}
	}
}

// drop ends the watch of d. If the directory is gone, drop only forgets the watch.
func (e *engine) drop(d *dir) {
	if d.watched && e.source != nil {
		e.source.Remove(d.path)
	}
	d.watched = false
}

// dirGone notes that the directory at d's path is no longer the watched one, and schedules a
// read of all plans that were in it.
func (e *engine) dirGone(d *dir, now time.Time) {
	e.drop(d)
	if d.plan != nil {
		e.touch(d.plan, now)
	}
	for p := range d.plans {
		e.drop(p.dir)
		e.touch(p, now)
	}
}

// putAll starts the missing watches, the ledger's first.
func (e *engine) putAll() {
	e.short = false
	if e.ledgerDir != nil {
		e.put(e.ledgerDir)
	}
	for _, d := range e.dirs {
		e.put(d)
	}
	if !e.short && e.source != nil {
		e.turn("")
	}
}
