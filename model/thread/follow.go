package thread

import (
	"cmp"
	"slices"
	"strings"

	"vise/model"
)

// Wanted is how a WorkItem wants its thread to stand.
type Wanted struct {
	Status Status
	// Next is what the work waits for; empty when it waits for nothing.
	Next model.Text
	// Lift: only a thread that was made to wait is meant; its wait is over.
	Lift bool
	// GivenUp is why the work is given up, and what was tried a dead end; empty: it is none.
	GivenUp model.Text
	// Anyway is why the work ends although the thread speaks against it.
	Anyway model.Text
}

// Lifted is how the thread of an item stands once what it waited for is gone and nobody has
// taken it up: as it would without the wait.
func Lifted(v model.View) Wanted {
	if v.IsCurrent {
		return Wanted{Status: InProgress, Lift: true}
	}
	return Wanted{Status: Paused, Lift: true}
}

// WantedOf is how the thread of an item should stand after an act on the item: picked, it
// became the focus; left, it was the focus until then. False: the act says nothing about
// threads. Completed work resolves its thread, work that waits for the operator pauses it,
// other waiting blocks it, and what wakes the item is the thread's next action.
func WantedOf(v model.View, picked, left bool) (Wanted, bool) {
	switch {
	case v.State == model.Completed:
		return Wanted{Status: Resolved}, true
	case !v.IsRunnable && v.NeedsOperator:
		return Wanted{Status: Paused, Next: awaited(v)}, true
	case !v.IsRunnable:
		return Wanted{Status: Blocked, Next: awaited(v)}, true
	case picked:
		return Wanted{Status: InProgress}, true
	case left:
		return Wanted{Status: Paused}, true
	}
	return Wanted{}, false
}

// awaited is in words what would wake the item.
func awaited(v model.View) model.Text {
	for _, w := range v.ActiveWaits {
		if w.Ask.Question != "" {
			return "an answer to: " + w.Ask.Question
		}
		if what := w.WaitsFor(); what != "" {
			return what
		}
	}
	if v.BlockedBy != "" {
		return v.BlockedBy
	}
	return "the operator's input"
}

// Follow makes a thread stand as its WorkItem wants. An ended thread stays as it is; a parked
// one is refused like any other write.
type Follow struct {
	Thread ID
	Wanted
}

// Do implements Command.
func (c Follow) Do(f Facts, s Stamp) (Change, error) {
	p := plan(f, s)
	before, err := Find(f, c.Thread)
	if err != nil {
		return Change{}, err
	}
	p.Receipt.Thread = before
	if before.Status.Ended() || c.Lift && !before.Waits() {
		return p.Change, nil
	}
	if err := p.mayWrite(before, false); err != nil {
		return Change{}, err
	}
	after := before
	after.Status, after.NextAction = c.Status, c.next(before.NextAction)
	if c.GivenUp != "" {
		after.DeadEnds = append(slices.Clone(after.DeadEnds), before.deadEnd(c.GivenUp, s.At))
	}
	pointed := f.Pointer().ID == before.ID
	if after.Status == before.Status && after.NextAction == before.NextAction && pointed == (after.Status == InProgress) {
		return p.Change, nil
	}
	if after.Status == InProgress {
		if err := p.pauseOthers(after.ID, model.Text("resumed "+string(after.ID))); err != nil {
			return Change{}, err
		}
		p.point(after.ID)
	} else if pointed {
		p.point("")
	}
	p.save(c.event(), before, after)
	if c.Anyway != "" && len(p.Events) > 0 {
		p.Events[len(p.Events)-1].Note = "all the same: " + c.Anyway
	}
	return p.Change, nil
}

func (c Follow) event() eventKind {
	switch c.Status {
	case InProgress:
		return resumed
	case Resolved, Abandoned:
		return closed
	}
	return updated
}

// The words around what is waited for, by which it is found again.
const (
	waitFor = "Wait for: "
	andThen = "; then: "
)

// next is the next action while the work waits: what it waits for, then what was to be
// done anyway; that alone once it goes on.
func (c Follow) next(now model.Text) model.Text {
	rest := now.Raw()
	if waiting, ok := strings.CutPrefix(rest, waitFor); ok {
		_, rest, _ = strings.Cut(waiting, andThen)
	}
	switch {
	case c.Next != "" && rest != "":
		return model.Text(waitFor + c.Next.Raw() + andThen + rest)
	case c.Next != "":
		return model.Text(waitFor) + c.Next
	case c.Status == InProgress || c.Lift:
		return model.Text(rest)
	}
	return now
}

// Waits reports whether a wait of its item made the thread stand.
func (t Thread) Waits() bool {
	return !t.Status.Ended() && t.Status != InProgress && strings.HasPrefix(t.NextAction.Raw(), waitFor)
}

// deadEnd is what was tried, as an entry that tells others not to try it again.
func (t Thread) deadEnd(why, at model.Text) deadEnd {
	return deadEnd{Hypothesis: cmp.Or(t.Hypothesis, t.Goal), Reason: why, Confidence: "unknown", CreatedAt: at}
}
