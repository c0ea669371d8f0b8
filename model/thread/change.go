package thread

import (
	"errors"
	"slices"
	"strings"

	"vise/model"
)

// Scene is what a command knows of the outside: when, who, and the repository.
type Scene struct {
	At model.Text
	// Actor is who wished it, Source through which door.
	Actor, Source string
	Git           Git
	Lineages      Lineages
}

// Facts is what a command may ask of a repository's threads.
type Facts interface {
	Pointer() Pointer
	// Thread says false for a thread that is not there; a file that cannot be trusted is
	// an error with code damaged.
	Thread(ID) (Thread, bool, error)
	// Threads lists those that can be read, in no order.
	Threads() ([]Thread, error)
}

// Change is what a command makes: the events first, then the threads, then the pointer, in
// the order in which they are written.
type Change struct {
	Events  []Event
	Threads []Thread
	// Point is nil when the pointer stays.
	Point  *Pointer
	Answer Answer
}

// Empty reports that there is nothing to write.
func (c Change) Empty() bool { return len(c.Events) == 0 && len(c.Threads) == 0 && c.Point == nil }

// Answer is what a command says to its author.
type Answer struct {
	Thread    Thread
	Judgement Judgement
	// Changed are the fields whose value changed, sorted.
	Changed []Field
	Patched Patched
	// Ignored are the patch's keys that no patch can change.
	Ignored []model.Text
	// Paused is the thread that was active before and is paused now.
	Paused  ID
	Rebound bool
	// Fresh are the gaps that a run left; Opened those of them that are new, Cleared those
	// that it answered.
	Fresh, Opened, Cleared []Gap
	// Repeated is the dead end that a new hypothesis repeats; told once.
	Repeated *DeadEnd
	// Compliance is set by Finalize.
	Compliance *Compliance
}

// planner builds a Change.
type planner struct {
	Change
	facts Facts
	scene Scene
}

func plan(f Facts, s Scene) *planner { return &planner{facts: f, scene: s} }

func (p *planner) event(k EventKind, id ID) *Event {
	p.Events = append(p.Events, Event{Kind: k, Thread: id, At: p.scene.At, Source: p.scene.Source, Actor: p.scene.Actor, Git: p.scene.Git})
	return &p.Events[len(p.Events)-1]
}

// judge asks the branch-safe rules about t.
func (p *planner) judge(t Thread, fallback bool) (Judgement, error) {
	return Judge(t.Git, fallback, p.scene.Git, p.scene.Lineages)
}

// mayWrite refuses to write a parked thread unless its author rebinds it deliberately.
func (p *planner) mayWrite(t Thread, rebind bool) error {
	j, err := p.judge(t, false)
	if err != nil {
		return err
	}
	p.Answer.Judgement = j
	if j.Loadable || rebind {
		return nil
	}
	return model.Refuse(model.CodeRefused, "thread %s is parked: %s", t.ID, j.Warning).
		WithHint("it wakes %s; or take it over with --rebind", j.Wake()).At("git_context")
}

// save writes t as it is after the command, with the git context of here and now. Where
// nothing changed, nothing is written.
func (p *planner) save(k EventKind, before, after Thread) {
	after, did := after.Tidy()
	p.Answer.Patched.Evicted = append(p.Answer.Patched.Evicted, did.Evicted...)
	p.Answer.Patched.Shortened = append(p.Answer.Patched.Shortened, did.Shortened...)
	after.Git = contextOf(p.scene.Git, p.scene.At, before.Git)
	changes := Compare(before, after)
	p.Answer.Changed = changedFields(changes)
	if k == Updated && len(changes) == 0 && sameContext(before.Git, after.Git) && !before.overLong() {
		p.Answer.Thread = before
		return
	}
	p.evictions(after.ID)
	if p.moves() {
		p.Answer.Rebound = true
		p.event(Rebound, after.ID).Note = model.Text("from " + p.Answer.Judgement.place() + ": " + string(p.Answer.Judgement.Reason))
	}
	e := p.event(k, after.ID)
	e.Changes, e.Fields = changes, p.Answer.Changed
	if k == Closed {
		e.Status = after.Status
	}
	p.put(after)
}

// put stores t as it is.
func (p *planner) put(t Thread) {
	t.UpdatedAt = p.scene.At
	if t.CreatedAt == "" {
		t.CreatedAt = p.scene.At
	}
	p.Threads = append(p.Threads, t)
	p.Answer.Thread = t
}

func (p *planner) moves() bool { return p.Answer.Judgement.Reason != "" && p.Answer.Judgement.Moves() }

func (p *planner) evictions(id ID) {
	for _, e := range p.Answer.Patched.Evicted {
		ev := p.event(Evicted, id)
		ev.Fields = []Field{e.Field}
		ev.Detail = object{"field": string(e.Field), "entry": e.value}
	}
}

func (t Thread) overLong() bool {
	return slices.ContainsFunc(t.Problems(), func(p Problem) bool { return p.Kind == OverLong })
}

func sameContext(a, b *GitContext) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Available == b.Available && a.Branch == b.Branch && a.Head == b.Head && a.Dirty == b.Dirty
}

// pauseOthers pauses the thread that the pointer names, when another one takes its place.
// Its git context stays: it was saved where it was saved. One that cannot be written stays
// as it is; that must not keep anybody from other work.
func (p *planner) pauseOthers(now ID, why model.Text) error {
	prior, _, err := ActiveOf(p.facts)
	if errors.Is(err, &model.Error{Code: model.CodeDamaged}) || err == nil && (prior.ID == "" || prior.ID == now || !prior.writable()) {
		return nil
	}
	if err != nil {
		return err
	}
	e := p.event(AutoPaused, prior.ID)
	e.Note, e.Fields = why, []Field{StatusField}
	e.Changes = []FieldChange{{Field: StatusField, Old: model.Text(prior.Status), New: model.Text(Paused)}}
	prior.Status = Paused
	p.put(prior)
	p.Answer.Paused = prior.ID
	return nil
}

// point moves the pointer to id, or empties it.
func (p *planner) point(id ID) {
	old := p.facts.Pointer()
	if old.Present && old.ID == id {
		return
	}
	next := old.To(id, p.scene.At)
	p.Point = &next
}

// Source says how the active thread was found.
type Source string

// The sources of an active thread.
const (
	FromPointer  Source = "active_snapshot"
	FromFallback Source = "thread_fallback"
)

// ActiveOf finds the active thread: the one that the pointer names while it is in
// progress; where the pointer leads to none such, as a crash can leave it, the newest in
// progress. An empty pointer is believed. A zero thread: none.
func ActiveOf(f Facts) (Thread, Source, error) {
	p := f.Pointer()
	if p.Present && p.ID == "" {
		return Thread{}, "", nil
	}
	if p.Present {
		t, ok, err := f.Thread(p.ID)
		if err != nil {
			return Thread{}, FromPointer, err
		}
		if ok && t.Status == InProgress {
			return t, FromPointer, nil
		}
	}
	all, err := f.Threads()
	if err != nil {
		return Thread{}, "", err
	}
	for _, t := range Newest(all) {
		if t.Status == InProgress {
			return t, FromFallback, nil
		}
	}
	return Thread{}, "", nil
}

// Newest sorts threads, the last saved first.
func Newest(list []Thread) []Thread {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b Thread) int {
		if c := strings.Compare(b.UpdatedAt.Raw(), a.UpdatedAt.Raw()); c != 0 {
			return c
		}
		return strings.Compare(string(b.ID), string(a.ID))
	})
	return out
}
