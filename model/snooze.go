package model

import (
	"slices"
	"time"
)

// Snooze hides an item's need from the inbox until a time or, without one, until the item's next change. A new need of the item
// is shown at once. The item itself does not change.
type Snooze struct {
	WorkItemID ItemID `json:"work_item_id"`
	// Until is the end of the snooze; zero: the item's next change.
	Until time.Time `json:"until,omitzero"`
	// Withdraw ends the snooze now.
	Withdraw     bool   `json:"withdraw,omitempty"`
	SeenRevision uint64 `json:"seen_revision,omitempty"`
}

// maxSnooze is the longest snooze.
const maxSnooze = 366 * 24 * time.Hour

// snoozed is a snooze in the record of what the operator has seen.
type snoozed struct {
	// Matter names the snoozed need (Inboxed.Matter).
	Matter string `json:"matter"`
	// Until is the end of the snooze; zero: it ends when the item's UpdatedAt changes.
	Until     time.Time `json:"until,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// of reports whether the snooze is for this entry of this item; if so, only its time can have ended it.
func (z *snoozed) of(x Inboxed, w WorkItem) bool {
	return z != nil && z.Matter == x.Matter() && (!z.Until.IsZero() || z.UpdatedAt.Equal(w.UpdatedAt))
}

// Hidden reports whether an entry is still snoozed.
func (x Inboxed) Hidden(now time.Time) bool {
	return x.Snoozed && (x.SnoozedUntil.IsZero() || now.Before(x.SnoozedUntil))
}

// snoozeNews is the data of work_item_snoozed. Without until the snooze ends with the item's next change.
type snoozeNews struct {
	Need      Need      `json:"need"`
	Until     time.Time `json:"until,omitzero"`
	Withdrawn bool      `json:"withdrawn,omitempty"`
}

func (c Snooze) step(s *step) error {
	w, x, err := Acknowledge{WorkItemID: c.WorkItemID, SeenRevision: c.SeenRevision}.matter(s)
	hidden := x.Hidden(s.at.At)
	switch {
	case err != nil:
		return err
	case x.Need == "":
		return Refused("work item %s needs nothing from you", w.Handle).At("work_item_id",
			"vise inbox lists what does")
	case c.Withdraw && !hidden, !c.Withdraw && hidden && x.SnoozedUntil.Equal(c.Until):
		return nil
	case !c.Withdraw && !c.Until.IsZero() && (!c.Until.After(s.at.At) || c.Until.Sub(s.at.At) > maxSnooze):
		where := "in the future"
		if c.Until.After(s.at.At) {
			where = "within a year from now"
		}
		return Invalid("%s is not %s", Text(c.Until.Format(time.RFC3339)), where).At("until",
			"say a time to come, such as 2h or tomorrow 9:00")
	}
	seen, _ := s.Seen(w.AgentID, w.ID)
	seen.AgentID, seen.WorkItemID, seen.Snooze = w.AgentID, w.ID, nil
	if !c.Withdraw {
		seen.Snooze = &snoozed{Matter: x.Matter(), Until: c.Until, UpdatedAt: w.UpdatedAt}
	}
	s.put(seen)
	s.event(EventSnoozed, w.ID, snoozeNews{Need: x.Need, Until: c.Until, Withdrawn: c.Withdraw})
	return nil
}

// inverse is the command that undoes c after it was carried out; nil if c changed nothing.
func (c Snooze) inverse(s *step) *Snooze {
	if _, made := s.records[RecordName{KindSeen, string(c.WorkItemID)}]; !made {
		return nil
	}
	before, _ := s.before.Seen(s.receipt.AgentID, c.WorkItemID)
	if z := before.Snooze; z != nil && (c.Withdraw || z.Until.IsZero() || z.Until.After(s.at.At)) {
		return &Snooze{WorkItemID: c.WorkItemID, Until: z.Until}
	}
	return &Snooze{WorkItemID: c.WorkItemID, Withdraw: true}
}

func describeSnooze(d snoozeNews) string {
	switch {
	case d.Withdrawn:
		return "back in the inbox"
	case d.Until.IsZero():
		return "hidden until it changes"
	}
	return "hidden until " + d.Until.Format(time.RFC3339)
}

// snoozedHorizon bounds how many snoozed entries are read.
const snoozedHorizon = 500

// SnoozedEntries are the entries whose snooze is over, by need, and the first limit hidden entries, in the order in which their
// snoozes end. hidden is the number of hidden entries, up to snoozedHorizon.
func SnoozedEntries(r Reader, now time.Time, limit int) (back map[Need][]Inboxed, later []Inboxed, hidden int) {
	back = map[Need][]Inboxed{}
	scanned := 0
	r.Inbox(Snoozed, func(x Inboxed) bool {
		scanned++
		if !x.Hidden(now) {
			x.Snoozed = false
			back[x.Need] = append(back[x.Need], x)
			return scanned < snoozedHorizon
		}
		if hidden++; len(later) < limit {
			later = append(later, x)
		}
		return scanned < snoozedHorizon
	})
	return back, later, hidden
}

// mergeEntries visits the entries of a need in its order, including those whose snooze is over.
func mergeEntries(r Reader, need Need, back []Inboxed, visit func(Inboxed) bool) {
	order := Inboxed.older
	if !need.OfOpenItem() {
		order = func(a, b Inboxed) int { return b.older(a) }
	}
	slices.SortStableFunc(back, order)
	more := true
	upTo := func(last func(Inboxed) bool) {
		for ; more && len(back) > 0 && last(back[0]); back = back[1:] {
			more = visit(back[0])
		}
	}
	r.Inbox(need, func(x Inboxed) bool {
		upTo(func(y Inboxed) bool { return order(y, x) < 0 })
		more = more && visit(x)
		return more
	})
	upTo(func(Inboxed) bool { return true })
}

func (x Inboxed) older(y Inboxed) int { return x.Since.Compare(y.Since) }
