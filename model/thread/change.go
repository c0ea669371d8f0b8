package thread

import (
	"cmp"
	"slices"

	"vise/model"
)

// Stamp is what a command knows about the outside: the time, the actor, and the repository.
type Stamp struct {
	At model.Text
	// Actor made the request, and Source is the frontend.
	Actor, Source string
	Git           Git
	Lineages      Lineages
}

// Facts is what a command can read about a repository's threads.
type Facts interface {
	Pointer() Pointer
	// Thread returns false for a thread that does not exist. A file that cannot be trusted is an error with code damaged.
	Thread(ID) (Thread, bool, error)
	// Threads returns the threads that can be read, in no order.
	Threads() ([]Thread, error)
}

// Change is the result of a command. The events are written first, then the threads, then the pointer.
type Change struct {
	Events  []Event
	Threads []Thread
	// Point is nil if the pointer stays.
	Point   *Pointer
	Receipt Receipt
}

// Empty reports whether there is nothing to write.
func (c Change) Empty() bool { return len(c.Events) == 0 && len(c.Threads) == 0 && c.Point == nil }

// Receipt is the answer to a command.
type Receipt struct {
	Thread Thread
	Check  BranchCheck
	// Changed are the fields whose value changed, sorted.
	Changed []Field
	Patched Patched
	// Ignored are the keys of the patch that no patch can change.
	Ignored []model.Text
	// Paused is the thread that was active before and is now paused.
	Paused  ID
	Rebound bool
	// Fresh are the gaps that a run left, and Opened are the new ones among them. Cleared are the gaps that the run answered.
	Fresh, Opened, Cleared []Gap
	// Repeated is the dead end that a new hypothesis repeats. It is reported once.
	Repeated *deadEnd
	// Kept are the files with the content that another program saved during the write.
	Kept []model.Text
	// Compliance is set by Finalize.
	Compliance *compliance
	// NotKept is the reason why Finalize wrote nothing.
	NotKept model.Text
	// Claimed are the commands of a run that are verified although nobody saw how they ended.
	Claimed []model.Text
}

// planner builds a Change.
type planner struct {
	Change
	facts Facts
	stamp Stamp
}

func plan(f Facts, s Stamp) *planner { return &planner{facts: f, stamp: s} }

func (p *planner) event(k eventKind, id ID) *Event {
	p.Events = append(p.Events, Event{Kind: k, Thread: id, At: p.stamp.At, Source: p.stamp.Source, Actor: p.stamp.Actor, Git: p.stamp.Git})
	return &p.Events[len(p.Events)-1]
}

// check applies the branch rules to t.
func (p *planner) check(t Thread, fallback bool) (BranchCheck, error) {
	return CheckBranch(t.Git, fallback, p.stamp.Git, p.stamp.Lineages)
}

// mayWrite refuses to write a parked thread, unless its author explicitly rebinds it.
func (p *planner) mayWrite(t Thread, rebind bool) error {
	j, err := p.check(t, false)
	if err != nil {
		return err
	}
	p.Receipt.Check = j
	if j.Loadable || rebind {
		return nil
	}
	return model.Refused("thread %s is parked: %s", t.ID, j.Warning).
		WithHint("it wakes %s; or take it over with --rebind", j.Wake()).At("git_context")
}

// save writes t as it is after the command, with the present git context. If nothing changed, it writes nothing. A thread in progress
// becomes the active one, and one that is not in progress is no longer active.
func (p *planner) save(k eventKind, before, after Thread) error {
	after = after.Tidy(&p.Receipt.Patched)
	after.Git = contextOf(p.stamp.Git, p.stamp.At, before.Git)
	changes := Compare(before, after)
	p.Receipt.Changed = changedFields(changes)
	if k == updated && len(changes) == 0 && sameContext(before.Git, after.Git) && !before.has(overLong) {
		p.Receipt.Thread = before
		return nil
	}
	if after.Status == InProgress {
		if err := p.pauseOthers(after.ID, model.Text(k)+" "+model.Text(after.ID)); err != nil {
			return err
		}
		p.point(after.ID)
	} else if p.facts.Pointer().ID == after.ID {
		p.point("")
	}
	p.evictions(after.ID)
	if p.moves() {
		p.Receipt.Rebound = true
		p.event(rebound, after.ID).Note = model.Text("from " + p.Receipt.Check.place() + ": " + string(p.Receipt.Check.Reason))
	}
	e := p.event(k, after.ID)
	e.Changes, e.Fields = changes, p.Receipt.Changed
	if k == closed {
		e.Status = after.Status
	}
	p.put(after)
	return nil
}

// put adds t to the change, with the present time as its update.
func (p *planner) put(t Thread) {
	t.UpdatedAt = p.stamp.At
	if t.CreatedAt == "" {
		t.CreatedAt = p.stamp.At
	}
	p.Threads = append(p.Threads, t)
	p.Receipt.Thread = t
}

func (p *planner) moves() bool { return p.Receipt.Check.Reason != "" && p.Receipt.Check.Moves() }

func (p *planner) evictions(id ID) {
	for _, e := range p.Receipt.Patched.Evicted {
		ev := p.event(evicted, id)
		ev.Fields = []Field{e.Field}
		ev.Detail = e
	}
}

func sameContext(a, b *GitContext) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Available == b.Available && a.Branch == b.Branch && a.Head == b.Head && a.Dirty == b.Dirty
}

// pauseOthers pauses the thread that the pointer names when another one replaces it. Its git context stays, because the thread belongs to
// the place where it was saved. A thread that cannot be written stays as it is, so that it does not prevent other work.
func (p *planner) pauseOthers(now ID, why model.Text) error {
	prior, _, err := ActiveOf(p.facts)
	if model.HasCode(err, model.CodeDamaged) || err == nil && (prior.ID == "" || prior.ID == now || !prior.writable()) {
		return nil
	}
	if err != nil {
		return err
	}
	e := p.event(autoPaused, prior.ID)
	e.Note, e.Fields = why, []Field{statusField}
	e.Changes = []fieldChange{{Field: statusField, Old: model.Text(prior.Status), New: model.Text(Paused)}}
	prior.Status = Paused
	p.put(prior)
	p.Receipt.Paused = prior.ID
	return nil
}

// point moves the pointer to id, or empties it if id is empty.
func (p *planner) point(id ID) {
	old := p.facts.Pointer()
	if old.Present && old.ID == id {
		return
	}
	next := old.To(id, p.stamp.At)
	p.Point = &next
}

// Source says how the active thread was found.
type Source string

const (
	fromPointer  Source = "active_snapshot"
	FromFallback Source = "thread_fallback"
)

// ActiveOf finds the active thread: the thread that the pointer names, while it is in progress. If the pointer names no such thread, as
// after a crash, it is the newest thread in progress. If the pointer is empty, as after AICTX closed another thread, it is the only thread
// in progress. A zero thread means that there is none.
func ActiveOf(f Facts) (Thread, Source, error) {
	p := f.Pointer()
	emptied := p.Present && p.ID == ""
	if p.Present && !emptied {
		t, ok, err := f.Thread(p.ID)
		if err != nil {
			return Thread{}, fromPointer, err
		}
		if ok && t.Status == InProgress {
			return t, fromPointer, nil
		}
	}
	all, err := f.Threads()
	going := without(Newest(all), func(t Thread) bool { return t.Status != InProgress })
	if err != nil || len(going) == 0 || emptied && len(going) > 1 {
		return Thread{}, "", err
	}
	return going[0], FromFallback, nil
}

// NoneActive says that no thread is active, and how to go on: with the thread that recommends one of the commands, if there is one.
func NoneActive(f Facts, commands ...Execution) *model.Error {
	all, err := f.Threads()
	live := without(Newest(all), func(t Thread) bool { return t.Status.Ended() || t.phantom() })
	said := model.NotFound("no thread is active")
	if err != nil || len(live) == 0 {
		return said.WithHint("vise thread start GOAL begins one")
	}
	wants := slices.IndexFunc(live, func(t Thread) bool {
		return slices.ContainsFunc(commands, func(e Execution) bool { return t.recommends(e.Command) })
	})
	t := live[max(wants, 0)]
	return said.WithHint("%s goes on with %q, vise thread start GOAL begins another, vise thread list shows them", t.goOn(), t.Goal)
}

// Newest sorts threads, the last saved first.
func Newest(list []Thread) []Thread {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b Thread) int {
		return cmp.Or(cmp.Compare(b.UpdatedAt, a.UpdatedAt), cmp.Compare(b.ID, a.ID))
	})
	return out
}
