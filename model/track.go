package model

import (
	"slices"
	"time"
)

// Bounds of what is read for one strip: of an agent with more events, older ones are left unread.
const (
	trackMost = 5000
	trackPage = 200
)

// Track is what an agent's latest events tell, kept so that only news is read again.
type Track struct {
	// newest and oldest are the events that were read last and first; since is from when on all are known.
	newest, oldest Entry
	since          time.Time
	read           int
	steps          []trackStep
}

// trackStep is what one event tells, or all work of one minute.
type trackStep struct {
	kind trackKind
	at   time.Time
	// from is when a turn began that ended.
	from time.Time
	// events counts those of a minute's work; of is the wait, permission or item that it is about.
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
	trackUnasked // a wait ended, of whatever kind
	trackTriggered
	trackLooked // something happened to an item: what it was triggered with was looked at
)

// ReadTrack reads an agent's events from an instant on, as far as before does not hold them. It reads about most
// events, and says how many it did and whether all are known then.
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

// after is the track with newer events, oldest first, without those that no strip shows any more.
func (t Track) after(entries []Entry) Track {
	t.newest, t.read = entries[len(entries)-1], t.read+len(entries)
	t.steps = appendSteps(slices.Clone(t.steps), entries)
	if gone := t.newest.At.Add(-MaxStrip); t.since.Before(gone) {
		if at, _ := slices.BinarySearchFunc(t.steps, gone, trackStep.compare); at > 0 {
			t.steps, t.since = t.steps[at:], gone
		}
	}
	return t
}

// before is the track with older events, newest first; all: there are no others.
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

func (s trackStep) compare(at time.Time) int { return s.at.Compare(at) }

func sameMinute(a, b trackStep) bool {
	return a.at.Truncate(time.Minute).Equal(b.at.Truncate(time.Minute))
}

// stepsOf are what an event tells.
func stepsOf(e Entry) (out []trackStep) {
	add := func(kind trackKind, of string) { out = append(out, trackStep{kind: kind, at: e.At, of: of}) }
	switch e.Kind {
	case EventTurnEnded:
		d := DataOf[TurnNews](e)
		turn := trackStep{kind: trackTurn, at: e.At, from: e.At}
		if d.Reason != leaseExpired { // else nobody knows when it stopped
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

// isWork reports whether the event is something that its agent did.
func (e Entry) isWork() bool {
	if e.Kind == EventPlanRefreshed || e.Kind == EventTodosRefreshed {
		return e.Actor != Operator
	}
	by, ok := e.Actor.Agent()
	return ok && by == e.AgentID
}

// Turns counts the turns since an instant that ended.
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
