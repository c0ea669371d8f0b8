package model

import (
	"encoding/json"
	"slices"
	"time"
)

// ReportOffers are the reports that are offered for a completed item: somebody may choose
// one, nobody has to.
type ReportOffers struct {
	AgentID    AgentID       `json:"agent_id"`
	WorkItemID ItemID        `json:"work_item_id"`
	Offers     []ReportOffer `json:"offers"`
}

// ReportOffer is one of them, oldest first.
type ReportOffer struct {
	Text       Text     `json:"text"`
	Provenance ReportOf `json:"provenance"`
	// SharedWith are other items that the same round completed: the text may be theirs.
	SharedWith []ItemID  `json:"shared_with,omitempty"`
	At         time.Time `json:"at"`
}

// Bounds of an offer: how many an item keeps, and how many items a round may complete.
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
	// Offers is how many were declined.
	Offers int `json:"offers"`
}

func (c OfferReport) step(s *step) error {
	if len(c.WorkItemIDs) == 0 || len(c.WorkItemIDs) > maxRoundCompleted {
		return Refuse(CodeInvalid, "a report is offered for 1 to %d work items", maxRoundCompleted).At("work_item_ids").
			WithHint("name those that the round completed")
	}
	text, err := optional("text", c.Text, MaxReport)
	if err != nil {
		return err
	}
	by, err := s.provenance(c.Provenance)
	if err != nil {
		return err
	}
	for _, id := range c.WorkItemIDs {
		w, err := s.own(id, 0)
		if err != nil {
			return err
		}
		if w.State != Completed {
			return Refuse(CodeRefused, "work item %s is open; a report follows its completion", w.Handle).At("work_item_ids").
				WithHint("complete it first: CompleteWorkItem")
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

// settleOffer promotes the text if it is certain whose report it is, else keeps it. The
// order of the reasons is that of promoteRound.
func (s *step) settleOffer(w WorkItem, text Text, by ReportOf, shared []ItemID) {
	_, focused := s.completedSince(time.Time{}, w)
	certain := by == ReportSameRound || by == ReportOperator
	switch {
	case len(shared) > 0:
		s.offerWords(w, text, by, shared, manyCompletions)
	case text == "":
		s.offerWarning(w, missingReport)
	case !certain:
		s.offerWords(w, text, by, nil, reportOffered)
	case !focused && by != ReportOperator:
		s.offerWords(w, text, by, nil, unfocusedReport)
	default:
		b := s.promote(w, text, by, unfinished(w))
		s.event(EventBriefSuppressed, w.ID, Suppressed{Reason: "work_item_completion_report_promoted", BriefID: b.ID})
	}
}

// offerWords keeps a text and says why it is not the report. Words that are offered already are
// no news.
func (s *step) offerWords(w WorkItem, text Text, by ReportOf, shared []ItemID, why Warning) {
	if x, _ := s.Offers(w.AgentID, w.ID); !x.has(text) {
		s.offerWarning(w, why)
		s.keepOffer(w, text, by, shared)
	}
}

func (s *step) offerWarning(w WorkItem, why Warning) {
	s.warn(why)
	s.event(EventCompletionWarning, w.ID, why)
}

func (o ReportOffers) has(text Text) bool {
	return slices.ContainsFunc(o.Offers, func(o ReportOffer) bool { return o.Text == text })
}

// keepOffer adds a text to what is offered for an item, once.
func (s *step) keepOffer(w WorkItem, text Text, by ReportOf, shared []ItemID) {
	x, _ := s.Offers(w.AgentID, w.ID)
	if text == "" || x.has(text) {
		return
	}
	x.AgentID, x.WorkItemID = w.AgentID, w.ID
	x.Offers = append(slices.Clone(x.Offers), ReportOffer{Text: text, Provenance: by, SharedWith: shared, At: s.at.At})
	x.Offers = x.Offers[max(0, len(x.Offers)-maxOffers):]
	s.put(x)
	s.countOffers(w, len(x.Offers))
	s.event(EventReportOffered, w.ID, offeredNews{Source: by, TextPreview: cut(text, previewReport), SharedWith: shared})
}

// countOffers notes how many reports are to choose from. It is bookkeeping, and no answer of
// the command at hand.
func (s *step) countOffers(w WorkItem, n int) {
	answer := s.receipt
	w.Offered = n
	w = s.save(w, false)
	if answer.WorkItemID == w.ID {
		answer.ItemRevision = w.Revision
	}
	s.receipt = answer
}

// step ends the asking: none of the offered reports is it. They stay to be read, and one can
// still be chosen.
func (c DeclineReport) step(s *step) error {
	w, err := s.own(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	if s.at.Actor != Operator {
		return Refuse(CodeRefused, "the operator chooses among offered reports").At("work_item_id").
			WithHint("write the report as text beside CompleteWorkItem")
	}
	if !w.OffersReport() {
		return nil
	}
	s.event(EventReportDeclined, w.ID, declinedNews{Offers: w.Offered})
	s.countOffers(w, 0)
	return nil
}

// completedSince reads from the item's trail whether it was completed at or after an
// instant, and whether it was the focus then.
func (s *step) completedSince(since time.Time, w WorkItem) (found, focused bool) {
	for _, e := range s.Entries(w.ID, trailOfCompletion) {
		if e.At.Before(since) {
			break
		}
		switch e.Kind {
		case EventWorkItemWritten:
			var x Written
			found = found || json.Unmarshal(e.Data, &x) == nil && x.Action == "completed"
		case EventFocusReleased:
			var x Released
			focused = focused || json.Unmarshal(e.Data, &x) == nil && x.Reason == "work_item_completed"
		}
	}
	return found, focused && found
}
