package watcher

import "time"

// dir is a directory that ought to be watched.
type dir struct {
	path    string
	watched bool // the source took it, and has not said that it is gone
	// plan is of an item's own directory; up is the directory of items that it is in.
	plan *plan
	up   *dir
	// plans are those in a directory of items.
	plans map[*plan]struct{}
	// anyLink is true for the ledger's directory, which may be a link: the operator's choice.
	anyLink bool
}

// wantPlan has an item's directory and the one above it watched, from the next reading on.
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

// ensure puts the watches that p needs and that are missing, before p is read.
func (e *engine) ensure(p *plan) {
	e.put(p.dir.up)
	e.put(p.dir)
}

// put watches d, if that is possible now. What happens in d from here on makes events, what
// happened before does not: whoever puts a watch compares afterwards.
func (e *engine) put(d *dir) {
	if d.watched || e.source == nil || e.short || !d.anyLink && !e.disk.IsDir(d.path) {
		return
	}
	err := e.source.Add(d.path, d.plan != nil)
	d.watched = err == nil
	if isLimit(err) {
		e.short = true
		e.turn(reasonOf(err))
	}
}

// drop ends the watch of d. One whose directory has gone is only forgotten.
func (e *engine) drop(d *dir) {
	if d.watched && e.source != nil {
		e.source.Remove(d.path)
	}
	d.watched = false
}

// dirGone notes that the directory at d's path is no longer the one that was watched,
// and reads again everything that it held.
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

// putAll puts the watches that are missing, the ledger's first.
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
