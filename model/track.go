package model

import (
	"slices"
	"time"
)

// Bounds of the events that are read for one strip; older events of the agent are not read.
const (
	trackMost = 5000
	trackPage = 200
)

// trackKept is how long a step is kept: longer than a strip, which also shows what began before it.
const trackKept = 24 * time.Hour

// Track is the content of an agent's latest events, kept so that only new events are read again.
type Track struct {
	// newest and oldest are the last and the first event that were read; from since on, all events are known.
	newest, oldest Entry
	since          time.Time
	read           int
	steps          []trackStep
}

// trackStep is the content of one event, or all work of one minute.
type trackStep struct {
	kind trackKind
	at   time.Time
	// from is the start of the ended turn.
	from time.Time
	// events counts the work in a minute; of is the step's wait, permission or item.
	events int
	of     string
}

type trackKind int

const (
	trackWork trackKind = iota
	trackTurn
	trackFailed
	trackCompleted
	trackAsked
	trackAnswered
	trackUnasked // a wait of any kind ended
	trackTriggered
	trackLooked // something happened to an item: somebody has seen its trigger
)

// ReadTrack reads an agent's events from an instant on that before does not hold. It reads about most events, and returns how
// many it read and whether all are known now.
func ReadTrack(r Reader, m FleetMember, since time.Time, before Track, most int) (t Track, read int, whole bool) {
	t = before
	if m.Last == nil {
		return Track{}, 0, true
	}
	if news := m.Last.Seq - t.newest.Seq; t.newest.Seq == 0 || news > trackPage {
		t = Track{newest: *m.Last, since: m.Last.At.Add(time.Nanosecond)}
	} else if news > 0 {
		entries := r.HistoryBefore(m.Agent.ID, Position{}, int(news))
		read += len(entries)
		slices.Reverse(entries)
		t = t.after(entries)
	}
	for t.since.After(since) && t.read < trackMost && read < most {
		entries := r.HistoryBefore(m.Agent.ID, t.oldest.Position(), trackPage)
		read += len(entries)
		t = t.before(entries, len(entries) < trackPage)
	}
	return t, read, !t.since.After(since) || t.read >= trackMost
}

// after is the track with newer events (oldest first), without those that no strip shows any more.
func (t Track) after(entries []Entry) Track {
	t.newest, t.read = entries[len(entries)-1], t.read+len(entries)
	t.steps = appendSteps(slices.Clone(t.steps), entries)
	if gone := t.newest.At.Add(-trackKept); t.since.Before(gone) {
		t.steps = slices.DeleteFunc(t.steps, func(s trackStep) bool { return s.at.Before(gone) })
		t.since = gone
	}
	return t
}

// before is the track with older events (newest first); all: there are no others.
func (t Track) before(entries []Entry, all bool) Track {
	if len(entries) > 0 {
		t.oldest, t.read = entries[len(entries)-1], t.read+len(entries)
		t.since = t.oldest.At
		slices.Reverse(entries)
		t.steps = append(appendSteps(nil, entries), t.steps...)
	}
	if all {
		t.since = time.Time{}
	}
	return t
}

func appendSteps(steps []trackStep, entries []Entry) []trackStep {
	for _, e := range entries {
		for _, s := range stepsOf(e) {
			if n := len(steps); n > 0 && s.kind == trackWork && steps[n-1].kind == trackWork && sameMinute(s, steps[n-1]) {
				steps[n-1].events++
				continue
			}
			steps = append(steps, s)
		}
	}
	return steps
}

func sameMinute(a, b trackStep) bool {
	return a.at.Truncate(time.Minute).Equal(b.at.Truncate(time.Minute))
}

// stepsOf are the steps in an event.
func stepsOf(e Entry) (out []trackStep) {
	add := func(kind trackKind, of string) { out = append(out, trackStep{kind: kind, at: e.At, of: of}) }
	switch e.Kind {
	case EventTurnEnded:
		d := DataOf[TurnNews](e)
		turn := trackStep{kind: trackTurn, at: e.At, from: e.At}
		if d.Reason != leaseExpired && d.Reason != holderDied { // else nobody knows when it stopped
			turn.from = e.At.Add(-time.Duration(d.DurationMS) * time.Millisecond)
		}
		out = append(out, turn)
		if d.Outcome == TurnFailed || d.Outcome == TurnTimedOut {
			add(trackFailed, "")
		}
		return out
	case EventWaitTriggered:
		if d := DataOf[TriggerNews](e); d.Kind != WaitOperator {
			add(trackTriggered, string(e.WorkItemID))
		}
		return out
	case EventWaitRegistered:
		d := DataOf[registered](e)
		for _, id := range d.Cancelled {
			add(trackUnasked, string(id))
		}
		if d.Kind == WaitOperator {
			add(trackAsked, string(d.WaitID))
		}
	case EventWaitsCancelled:
		for _, id := range DataOf[cancelled](e).WaitIDs {
			add(trackUnasked, string(id))
		}
		add(trackLooked, string(e.WorkItemID))
	case EventOperatorAnswered:
		add(trackAnswered, string(DataOf[answered](e).WaitID))
	case EventPermissionAsked:
		add(trackAsked, string(DataOf[permissionEvent](e).PermissionID))
	case EventPermissionAnswered, EventPermissionEnded:
		add(trackAnswered, string(DataOf[permissionEvent](e).PermissionID))
	case EventWorkItemWritten:
		d := DataOf[Written](e)
		if d.Action == "completed" {
			add(trackCompleted, "")
		}
		if d.PlanStatus == NeedsInput {
			add(trackAsked, string(e.WorkItemID))
		} else if d.PlanStatus != "" {
			add(trackUnasked, string(e.WorkItemID))
		}
		add(trackLooked, string(e.WorkItemID))
	case EventWorkItemPicked, EventAcknowledged:
		add(trackLooked, string(e.WorkItemID))
	}
	if e.isWork() {
		out = append(out, trackStep{kind: trackWork, at: e.At, events: 1})
	}
	return out
}

// isWork reports whether the event is an act of its agent.
func (e Entry) isWork() bool {
	if e.Kind == EventPlanRefreshed || e.Kind == EventTodosRefreshed {
		return e.Actor != Operator
	}
	by, ok := e.Actor.Agent()
	return ok && by == e.AgentID
}

// Turns counts the turns that ended since an instant.
func (t Track) Turns(since time.Time) (n int) {
	for _, s := range slices.Backward(t.steps) {
		if s.at.Before(since) {
			break
		}
		if s.kind == trackTurn {
			n++
		}
	}
	return n
}
