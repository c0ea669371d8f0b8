package model

import (
	"fmt"
	"time"
)

// Need is why an item needs the operator's attention. It is derived, like a class.
type Need string

// The needs, the most pressing first. What an agent cannot do by itself comes before what
// only waits to be looked at.
const (
	// NeedAnswer: it asks, or its plan needs input.
	NeedAnswer Need = "asks"
	// NeedNudge: it was offered to its agent often enough, and nothing came of it.
	NeedNudge Need = "stalled"
	// NeedPickup: it was answered, and no turn has taken the answer yet.
	NeedPickup Need = "answered"
	// NeedReview: it was triggered, and its agent has not looked at it.
	NeedReview Need = "triggered"
	// NeedChoice: it was completed without a report, and one is offered.
	NeedChoice Need = "report_offered"
	// NeedReport: it was completed without a report.
	NeedReport Need = "unreported"
	// NeedLook: it was completed with todos that are not.
	NeedLook Need = "unfinished"
)

// Needs is their order.
var Needs = []Need{NeedAnswer, NeedNudge, NeedPickup, NeedReview, NeedChoice, NeedReport, NeedLook}

// OfOpenItem reports whether it is a need of work that goes on. Those are read longest
// waiting first, the needs of finished work newest first.
func (n Need) OfOpenItem() bool {
	switch n {
	case NeedAnswer, NeedNudge, NeedPickup, NeedReview:
		return true
	}
	return false
}

// NeedTally counts the items of an agent with a need that nobody acknowledged.
func NeedTally(n Need) Tally { return Tally("need:" + n) }

// Inboxed is an item as the inbox shows it.
type Inboxed struct {
	Row
	Need Need `json:"need"`
	// Since is when the need arose.
	Since time.Time `json:"since"`
	// Seen: the operator acknowledged it. Only a question stays in the inbox then, because
	// nothing but an answer ends it.
	Seen bool `json:"seen,omitempty"`
}

// Urgent reports whether it waits for the operator's word, and nobody acknowledged it.
func (x Inboxed) Urgent() bool {
	return !x.Seen && (x.Need == NeedAnswer || x.Need == NeedNudge || x.Need == NeedChoice)
}

// Matter is what an acknowledgement is about: the same need since another instant is news.
func (x Inboxed) Matter() string { return fmt.Sprintf("%s@%d", x.Need, x.Since.UnixNano()) }

// InboxOf is an item's place in the inbox; ok is false when it has none.
func InboxOf(f Facts, w WorkItem, waits []Wait, current bool) (x Inboxed, ok bool) {
	x.Row = RowOf(w, waits, current)
	if x.Need, x.Since = needOf(f, w, waits, x.Row); x.Need == "" {
		return x, false
	}
	seen, acknowledged := f.Seen(w.AgentID, w.ID)
	x.Seen = acknowledged && seen.Matter == x.Matter()
	return x, !x.Seen || x.Need == NeedAnswer
}

// needOf is an item's most pressing need, and since when it has it.
func needOf(f Facts, w WorkItem, waits []Wait, r Row) (Need, time.Time) {
	switch {
	case w.State == Completed:
		return needOfDone(f, w)
	case r.NeedsOperator:
		return NeedAnswer, askedSince(w, waits)
	}
	if t, ok := f.Attempt(w.AgentID, w.ID); ok && t.Stalled && t.TickKey == tickKey(offerReason(r.Class), r) {
		return NeedNudge, t.LastAt
	}
	if n := len(w.Replies); n > 0 {
		if m, ok := f.Message(w.Replies[n-1].MessageID); ok && m.Status == MessageQueued {
			return NeedPickup, w.Replies[n-1].At
		}
	}
	if r.Class == TriggeredBlocked && !r.IsCurrent {
		return NeedReview, r.Wait.LastTriggeredAt
	}
	return "", time.Time{}
}

func needOfDone(f Facts, w WorkItem) (Need, time.Time) {
	done, _, total := w.TodoCounts()
	_, declined := f.Offers(w.AgentID, w.ID) // unless one waits to be chosen
	switch {
	case w.OffersReport():
		return NeedChoice, w.UpdatedAt
	case w.ResultSummary == "" && !declined:
		return NeedReport, w.UpdatedAt
	case done < total:
		return NeedLook, w.UpdatedAt
	}
	return "", time.Time{}
}

// askedSince is when the oldest question was asked that has no answer; a plan that needs
// input says it with the item's last change.
func askedSince(w WorkItem, waits []Wait) time.Time {
	for _, x := range waits {
		if x.Kind == WaitOperator && !x.Triggered() {
			return x.CreatedAt
		}
	}
	return w.UpdatedAt
}
