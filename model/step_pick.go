package model

import (
	"cmp"
	"slices"
	"time"
)

func (c PickWorkItem) step(s *step) error {
	w, err := s.openItem(c.WorkItemID, c.SeenRevision, "pick")
	if err != nil {
		return err
	}
	reason, err := optional("reason", c.Reason, MaxReason)
	if err != nil {
		return err
	}
	if c.ClearBlocker && reason == "" {
		return Invalid("clear_blocker needs a reason").At("reason",
			"say why the blocker is gone; picking for inspection needs no clear_blocker")
	}
	a, err := s.agent(w.AgentID)
	if err != nil {
		return err
	}
	if err := s.mayAutoPick(a, w); err != nil {
		return err
	}
	t := s.transition(a, w, reason)
	if c.ClearBlocker {
		if err := s.mayClear(w); err != nil {
			return err
		}
		w = s.clearBlocker(w, &t)
	}
	s.see(w)
	s.focus(a, w, t)
	return nil
}

// mayAutoPick applies docs/lifecycle.md 7 to the scheduler: it picks only if the agent allows it, only a runnable item, and
// never while the agent has a focus.
func (s *step) mayAutoPick(a Agent, w WorkItem) error {
	if s.at.Actor != Scheduler {
		return nil
	}
	_, focused := Focus(s, a.ID)
	if a.AutoPick && !focused && schedulingIn(s, w) == Runnable {
		return nil
	}
	return Refused("the scheduler may not pick %s for agent %s", w.Handle, a.ID).WithHint("the agent or a person picks")
}

func (s *step) transition(a Agent, w WorkItem, reason Text) Transition {
	t := Transition{CurrentWorkItemID: w.ID, Reason: reason, SwitchKind: switchPick, Warnings: []Warning{}}
	prev, ok := Focus(s, a.ID)
	if ok {
		t.PreviousWorkItemID = prev.ID
		t.PreviousReadiness = schedulingIn(s, prev).Readiness()
	}
	switch {
	case ok && prev.ID == w.ID:
		t.SwitchKind = switchSame
	case t.PreviousReadiness == readyToRun:
		t.SwitchKind = switchOverride
	case s.at.Actor == Scheduler:
		t.SwitchKind = SwitchAutoPick
	}
	return t
}

// clearBlocker makes w free to run: it clears the blocker and cancels the item's waits.
func (s *step) clearBlocker(w WorkItem, t *Transition) WorkItem {
	waits := s.ItemWaits(w.AgentID, w.ID)
	s.stillNeedsInput(w)
	if w.BlockedBy == "" && len(waits) == 0 {
		return w
	}
	w = s.save(unblocked(w), true)
	t.BlockerCleared = true
	t.CancelledWaits = s.cancelWaits(w.ID, waits, "pick_work_item_clear_blocker")
	s.event(EventWorkItemWritten, w.ID, Written{Action: "unblocked", Revision: w.Revision, Changed: []string{"blocked_by"}})
	return w
}

// focus moves the focus to w. Leaving runnable work needs a reason; a missing one is a warning (docs/lifecycle.md 6).
func (s *step) focus(a Agent, w WorkItem, t Transition) {
	t.CurrentReadiness, t.FocusMode = readyToRun, focusRunnable
	if is := schedulingIn(s, w); is != Runnable {
		t.CurrentReadiness, t.FocusMode = is.Readiness(), FocusInspection
	}
	required := t.SwitchKind == switchOverride
	missing := required && t.Reason == ""
	if missing {
		t.Warnings = []Warning{{Kind: warnMissingPickReason,
			Message: "work that can go on was left without a reason; give one next time (reason, --reason)"}}
		s.warn(t.Warnings...)
	}
	if a.CurrentWorkItemID != w.ID {
		a.CurrentWorkItemID, a.UpdatedAt = w.ID, s.at.At
		s.put(a)
	}
	if prev, ok := s.Item(t.PreviousWorkItemID); ok && prev.ID != w.ID {
		s.event(EventFocusReleased, prev.ID, Released{Reason: ReleasedByPick, Readiness: t.PreviousReadiness, Revision: prev.Revision})
	}
	s.event(EventWorkItemPicked, w.ID, Picked{Transition: t, ReasonRequired: required, ReasonMissing: missing})
	s.receipt.Transition = &t
}

// ReportOffers are the offered reports of a completed item. The operator can choose one or decline all.
type ReportOffers struct {
	AgentID    AgentID       `json:"agent_id"`
	WorkItemID ItemID        `json:"work_item_id"`
	Offers     []ReportOffer `json:"offers"`
}

// ReportOffer is one offered report; the list is oldest first.
type ReportOffer struct {
	Text       Text     `json:"text"`
	Provenance ReportOf `json:"provenance"`
	// SharedWith are other items that the same round completed; the text can belong to one of them.
	SharedWith []ItemID  `json:"shared_with,omitempty"`
	At         time.Time `json:"at"`
}

// Bounds of an offer: the texts that an item keeps, and the items that a round can complete.
const (
	maxOffers         = 5
	maxRoundCompleted = 50
)

// offeredNews is the data of work_item_completion_report_offered.
type offeredNews struct {
	Source      ReportOf `json:"source"`
	TextPreview Text     `json:"text_preview"`
	SharedWith  []ItemID `json:"shared_with,omitempty"`
}

// declinedNews is the data of work_item_completion_report_declined.
type declinedNews struct {
	// Offers is the number of declined reports.
	Offers int `json:"offers"`
}

func (c OfferReport) step(s *step) error {
	if len(c.WorkItemIDs) == 0 || len(c.WorkItemIDs) > maxRoundCompleted {
		return Invalid("a report is offered for 1 to %d work items", maxRoundCompleted).At("work_item_ids",
			"name those that the round completed")
	}
	text, err := optional("text", c.Text, MaxWords)
	if err != nil {
		return err
	}
	by, err := s.provenance(c.Provenance)
	if err != nil {
		return err
	}
	for _, id := range c.WorkItemIDs {
		w, err := s.itemOf(id, 0)
		if err != nil {
			return err
		}
		if w.State != Completed {
			return Refused("work item %s is open; a report follows its completion", w.Handle).At("work_item_ids",
				"complete it first: CompleteWorkItem")
		}
		if w.ResultSummary == "" {
			s.settleOffer(w, text, by, others(c.WorkItemIDs, id))
		}
	}
	return nil
}

func others(all []ItemID, id ItemID) []ItemID {
	return slices.DeleteFunc(slices.Clone(all), func(x ItemID) bool { return x == id })
}

// settleOffer promotes the text if it is certainly the item's report, else keeps it as an offer.
func (s *step) settleOffer(w WorkItem, text Text, by ReportOf, shared []ItemID) {
	_, focused := s.completedSince(time.Time{}, w)
	text = s.keptReport(w, text)
	if why := noReport(text, by, focused || by == ReportOperator, len(shared)+1); why.Kind != "" {
		s.offerWords(w, text, by, shared, why)
		return
	}
	b := s.promote(w, text, by, s.warnedOf(w))
	s.event(EventBriefSuppressed, w.ID, suppressed{Reason: "work_item_completion_report_promoted", BriefID: b.ID})
}

// offerWords keeps a text and warns why it is not the report. For words that are already offered it does nothing.
func (s *step) offerWords(w WorkItem, text Text, by ReportOf, shared []ItemID, why Warning) {
	if x, _ := s.Offers(w.AgentID, w.ID); !x.has(text) {
		s.warn(why)
		s.event(EventCompletionWarning, w.ID, why)
		s.keepOffer(w, text, by, shared)
	}
}

func (o ReportOffers) has(text Text) bool {
	return slices.ContainsFunc(o.Offers, func(o ReportOffer) bool { return o.Text == text })
}

// keepOffer adds a text to an item's offers, once.
func (s *step) keepOffer(w WorkItem, text Text, by ReportOf, shared []ItemID) {
	x, _ := s.Offers(w.AgentID, w.ID)
	if text = s.keptReport(w, text); text == "" || x.has(text) {
		return
	}
	x.AgentID, x.WorkItemID = w.AgentID, w.ID
	x.Offers = append(slices.Clone(x.Offers), ReportOffer{Text: text, Provenance: by, SharedWith: shared, At: s.at.At})
	x.Offers = x.Offers[max(0, len(x.Offers)-maxOffers):]
	s.put(x)
	if w.ResultSummary != "" { // kept beside the report: nobody is asked
		return
	}
	s.countOffers(w, len(x.Offers))
	s.event(EventReportOffered, w.ID, offeredNews{Source: by, TextPreview: cut(text, previewReport), SharedWith: shared})
}

// countOffers notes how many reports are offered. It is bookkeeping and does not change the command's receipt, except for the
// item's revision.
func (s *step) countOffers(w WorkItem, n int) {
	answer := s.receipt
	w.Offered = n
	w = s.save(w, false)
	if answer.WorkItemID == w.ID {
		answer.ItemRevision = w.Revision
	}
	s.receipt = answer
}

// step declines all offered reports, so that nobody is asked any more. The texts can still be read, and one can still be
// chosen.
func (c DeclineReport) step(s *step) error {
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	if !w.OffersReport() {
		return nil
	}
	s.event(EventReportDeclined, w.ID, declinedNews{Offers: w.Offered})
	s.countOffers(w, 0)
	return nil
}

// completedSince reads from the item's events whether it was completed at or after an instant, and whether it was the focus
// then.
func (s *step) completedSince(since time.Time, w WorkItem) (found, focused bool) {
	for _, e := range s.Entries(w.ID, trailOfCompletion) {
		if e.At.Before(since) {
			break
		}
		switch e.Kind {
		case EventWorkItemWritten:
			found = found || DataOf[Written](e).Action == "completed"
		case EventFocusReleased:
			focused = focused || DataOf[Released](e).Reason == "work_item_completed"
		}
	}
	return found, focused && found
}

// Acknowledge notes that the operator has seen the need of an item. The item stays quiet until something new happens to it. The
// item itself does not change.
type Acknowledge struct {
	WorkItemID ItemID `json:"work_item_id"`
	// Withdraw takes the acknowledgement back, and brings back the snooze that it ended.
	Withdraw     bool     `json:"withdraw,omitempty"`
	Snooze       *snoozed `json:"snooze,omitempty"`
	SeenRevision uint64   `json:"seen_revision,omitempty"`
}

// Seen is the record of an acknowledgement.
type Seen struct {
	AgentID    AgentID `json:"agent_id"`
	WorkItemID ItemID  `json:"work_item_id"`
	// Matter names what the operator saw (Inboxed.Matter); empty if that was taken back.
	Matter string    `json:"matter,omitempty"`
	At     time.Time `json:"at"`
	// Snooze is the snooze of the entry; nil without one.
	Snooze *snoozed `json:"snooze,omitempty"`
}

// seenNews is the data of work_item_acknowledged.
type seenNews struct {
	Need      Need      `json:"need"`
	Since     time.Time `json:"since"`
	Withdrawn bool      `json:"withdrawn,omitempty"`
}

func (c Acknowledge) step(s *step) error {
	w, x, err := c.matter(s)
	switch {
	case err != nil:
		return err
	case x.Need == "" && !s.batch:
		return Refused("work item %s needs nothing from you", w.Handle).At("work_item_id",
			"vise inbox lists what does")
	case x.Need == "" || x.Seen == !c.Withdraw:
		return nil
	}
	seen := Seen{AgentID: w.AgentID, WorkItemID: w.ID, Matter: x.Matter(), At: s.at.At}
	if before, _ := s.Seen(w.AgentID, w.ID); c.Withdraw { // an acknowledgement ends a snooze
		seen.Matter, seen.Snooze = "", cmp.Or(c.Snooze, before.Snooze)
	} else if x.Need == NeedReview {
		s.see(w)
	}
	s.put(seen)
	s.event(EventAcknowledged, w.ID, seenNews{Need: x.Need, Since: x.Since, Withdrawn: c.Withdraw})
	return nil
}

// matter is the item's entry in the inbox.
func (c Acknowledge) matter(s *step) (w WorkItem, x Inboxed, err error) {
	if w, err = s.itemOf(c.WorkItemID, c.SeenRevision); err != nil {
		return w, x, err
	}
	a, _ := s.Agent(w.AgentID)
	x, _ = InboxOf(s, w, s.ItemWaits(w.AgentID, w.ID), a.CurrentWorkItemID == w.ID)
	return w, x, nil
}

func describeSeen(d seenNews) string {
	what := map[Need]string{
		NeedAnswer: "its question", NeedNudge: "that it stalled", NeedPickup: "that its answer waits", NeedReview: "its news",
		NeedChoice: "that a report is offered", NeedReport: "that it has no report", NeedLook: "its unfinished todos",
	}[d.Need]
	if d.Withdrawn {
		return "acknowledgement taken back: " + what
	}
	return "acknowledged: " + what
}
