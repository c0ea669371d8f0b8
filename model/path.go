package model

import (
	"cmp"
	"iter"
	"time"
)

// Path is an agent's next work and the work after it, each item with its reason. It is derived, and the same in every frontend.
type Path struct {
	Steps []PathStep `json:"order"`
}

// PathStep is an item on the path.
type PathStep struct {
	Row
	// Position is the item's place among the workable items, from 1; 0: it is not workable.
	Position int  `json:"position,omitempty"`
	Because  Text `json:"because"`
}

// Bounds of a path: how many workable items it shows, and how many others.
const (
	pathReady   = 5
	pathWaiting = 5
)

// PathOf derives an agent's path at a moment.
func PathOf(f Facts, id AgentID, now time.Time) Path {
	steps := []PathStep{}
	for r := range ready(f, id) {
		if len(steps) == pathReady {
			break
		}
		oldest := len(steps) == 0 || steps[len(steps)-1].Class != QueuedRunnable
		steps = append(steps, PathStep{Row: r, Position: len(steps) + 1, Because: because(r, oldest, now)})
	}
	for _, r := range held(f, id, pathWaiting) {
		step := PathStep{Row: r, Because: because(r, false, now)}
		w, _ := f.Item(r.ID)
		if said := newestReply(f, w); said.Unread() && (!r.NeedsOperator || said.Settles(f.ItemWaits(id, r.ID))) {
			step.Because = NotYetRead
		}
		steps = append(steps, step)
	}
	return Path{steps}
}

// ready are the agent's workable items, in the order in which they are offered.
func ready(f Facts, id AgentID) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, class := range Classes[:3] {
			for r := range candidates(f, id, class) {
				if !stalled(f, r) && !yield(r) {
					return
				}
			}
		}
	}
}

// held are the first items that are not workable: stalled ones, then those that wait for the operator, then blocked ones.
func held(f Facts, id AgentID, limit int) (rows []Row) {
	for _, class := range Classes[:3] {
		for r := range candidates(f, id, class) {
			if r.Stalled = stalled(f, r); r.Stalled {
				rows = append(rows, r)
			}
		}
	}
	for _, class := range []Class{WaitingForOperator, BlockedClass} {
		rows = append(rows, f.Rows(id, class, nil, limit)...)
	}
	return rows[:min(limit, len(rows))]
}

// because says in a few words why an item is in its place; oldest: it is the first of the queue.
func because(r Row, oldest bool, now time.Time) Text {
	ago := func(t time.Time) string { return spanWords(now.Sub(t)) }
	switch {
	case r.Stalled:
		return "stalled: its turns changed nothing"
	case r.Class == CurrentRunnable:
		return "it works"
	case r.Class == TriggeredBlocked:
		by := Text(cmp.Or(Spaced(r.Wait.TriggeredBy), "its wait"))
		if r.Wait.Checked != "" {
			by += " (" + r.Wait.Checked + ")"
		}
		return Textf("news from %s %s ago, to be reviewed", by, ago(r.Wait.LastTriggeredAt))
	case r.Class == QueuedRunnable:
		why := "queued " + ago(r.UpdatedAt)
		if r.Priority != "" {
			why += ", priority " + string(r.Priority)
		} else if oldest {
			why += ", the oldest"
		}
		return Text(why)
	case r.Wait.Kind == WaitOperator:
		return "waits for you: " + cmp.Or(r.Wait.Question, "an answer")
	case r.Scheduling == WaitingOperator:
		return "its plan needs your input"
	case !r.Wait.WakeAt.IsZero():
		return Text("waits until " + r.Wait.WakeAt.Format(time.RFC3339) + ", " + dueWords(r.Wait.WakeAt, now))
	case r.Wait.Kind != "":
		words := "waits for " + waitWords(Wait{Kind: r.Wait.Kind, Source: r.Wait.Source, Resource: r.Wait.Resource})
		if r.Wait.Checked != "" {
			words += ": " + r.Wait.Checked.Raw()
		}
		return Text(words)
	}
	return "blocked: " + r.BlockedBy
}

// spanWords is a length of time in its largest full unit.
func spanWords(d time.Duration) string {
	for _, x := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= x.unit {
			return Counted(int(d/x.unit), x.name)
		}
	}
	return Counted(max(0, int(d/time.Second)), "second")
}
