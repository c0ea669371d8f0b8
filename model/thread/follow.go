package thread

import (
	"cmp"
	"slices"
	"strings"

	"vise/model"
)

// Wanted is the state that a WorkItem wants for its thread.
type Wanted struct {
	Status Status
	// Next is what the work waits for, or empty.
	Next model.Text
	// Todo is the item's current todo. It becomes the next action of a suspended thread that has none.
	Todo model.Text
	// Lift: only a thread that waits because of the item is changed; its wait is over.
	Lift bool
	// GivenUp is the reason why the work is given up, which makes it a dead end. If it is empty, there is no dead end.
	GivenUp model.Text
	// Anyway is the reason for ending the work although the thread speaks against it.
	Anyway model.Text
}

// Lifted returns the state of an item's thread when the wait has ended and nobody has picked the item: the state that it would have without
// the wait.
func Lifted(v model.View) Wanted {
	if v.IsCurrent {
		return Wanted{Status: InProgress, Lift: true}
	}
	return Wanted{Status: Paused, Lift: true}
}

// WantedOf returns the state that an item's thread should have after a command on the item. picked means that the item became the focus,
// left that it was the focus before. It returns false if the command says nothing about threads. Completed work resolves its thread. Work
// that waits for the operator pauses it. Other waits block it. What wakes the item becomes the thread's next action.
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
		return Wanted{Status: Paused, Todo: CurrentTodo(v.TodoList)}, true
	}
	return Wanted{}, false
}

// CurrentTodo is the text of the todo that comes first.
func CurrentTodo(list []model.Todo) model.Text {
	todo, _ := model.WorkItem{TodoList: list}.CurrentTodo()
	return todo.Text
}

// awaited describes what would wake the item.
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

// Follow gives a thread the state that its WorkItem wants. An ended thread stays as it is. A parked thread is refused like any other write.
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
	err = p.save(c.event(), before, after)
	if c.Anyway != "" && len(p.Events) > 0 {
		p.Events[len(p.Events)-1].Note = "all the same: " + c.Anyway
	}
	return p.Change, err
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

// The words around the awaited event, by which it is found again.
const (
	waitFor = "Wait for: "
	andThen = "; then: "
)

// next returns the next action. While the work waits, it is the awaited event followed by the original next action. When the work
// continues, it is the original one alone.
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
	return cmp.Or(now, c.Todo)
}

// Waits reports whether a wait of the item stopped the thread.
func (t Thread) Waits() bool {
	return !t.Status.Ended() && t.Status != InProgress && strings.HasPrefix(t.NextAction.Raw(), waitFor)
}

// deadEnd returns the attempt as an entry that tells others not to try it again.
func (t Thread) deadEnd(why, at model.Text) deadEnd {
	return deadEnd{Hypothesis: cmp.Or(t.Hypothesis, t.Goal), Reason: why, Confidence: "unknown", CreatedAt: at}
}
