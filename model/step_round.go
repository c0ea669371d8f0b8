package model

import "fmt"

// previewReport bounds the preview of a report in events, in Unicode scalars.
const previewReport = 600

// step runs the round's calls in order, all or none, and then promotes its text under the
// rules of docs/lifecycle.md 9. Nothing is ever synthesised.
func (c Round) step(s *step) error {
	text, err := optional("text", c.Text, MaxReport)
	if err != nil {
		return err
	}
	by, err := s.provenance(c.Provenance)
	if err != nil {
		return err
	}
	if c.Turn != 0 {
		if _, err := s.running(s.actingAgent(), c.Turn); err != nil {
			return err
		}
	}
	var completed []completedCall
	before, _ := Focus(s, s.actingAgent())
	outer := s.receipt
	for i, call := range c.Calls {
		focus, _ := Focus(s, s.actingAgentOf(call.Command))
		s.receipt = Receipt{Command: call.Name()}
		if err := call.step(s); err != nil {
			return within(err, fmt.Sprintf("call %d, %s", i+1, call.Name()))
		}
		if s.receipt.CompletedTransition {
			completed = append(completed, completedCall{len(outer.Calls), s.receipt.WorkItemID, focus.ID == s.receipt.WorkItemID})
		}
		outer.Calls = append(outer.Calls, s.receipt)
	}
	s.receipt = outer
	elsewhere, err := s.doneElsewhere(c)
	if err != nil {
		return err
	}
	completed = append(completed, elsewhere...)
	s.receipt.CompletedTransition = len(completed) > 0
	s.promoteRound(c, text, by, completed)
	s.traceRound(c, text, before.ID)
	for _, call := range s.receipt.Calls {
		s.warn(call.Warnings...)
	}
	return nil
}

// completedCall is a call of a round that completed an item.
type completedCall struct {
	call    int
	item    ItemID
	focused bool
}

// actingAgentOf is whose focus counts for a call: the caller's, else that of the item named.
func (s *step) actingAgentOf(c Command) AgentID {
	if id := s.actingAgent(); id != "" {
		return id
	}
	if done, ok := c.(CompleteWorkItem); ok {
		w, _ := s.Item(done.WorkItemID)
		return w.AgentID
	}
	return ""
}

func (s *step) provenance(p ReportOf) (ReportOf, error) {
	switch p {
	case "":
		if s.at.Actor == Operator {
			return ReportOperator, nil
		}
		return ReportSameRound, nil
	case ReportOperator:
		if s.at.Actor != Operator {
			return "", Refuse(CodeRefused, "only the operator's own words have provenance operator").At("provenance").WithHint("leave it out")
		}
		return p, nil
	case ReportSameRound, ReportNearRound, ReportTurnFinal:
		return p, nil
	}
	return "", Refuse(CodeInvalid, "unknown provenance %q", Text(p)).At("provenance").WithHint("use same_round, near_round, turn_final or operator")
}

// Why a round's text is not the report of what it completed.
var (
	manyCompletions = Warning{Kind: WarnMultipleCompletions, Message: "the round completed several work items; its text is nobody's report"}
	missingReport   = Warning{Kind: WarnMissingReport, Message: "completed without a report; vise report gives it one"}
	unfocusedReport = Warning{Kind: WarnUnfocused, Message: "the completed work item was not the focus; the text was not promoted"}
	reportOffered   = Warning{Kind: WarnReportOffered, Message: "the text is not from the completing round; it is offered, not promoted"}
)

func (s *step) promoteRound(c Round, text Text, by ReportOf, completed []completedCall) {
	if len(completed) == 0 {
		return
	}
	if len(completed) > 1 {
		var all []ItemID
		for _, x := range completed {
			all = append(all, x.item)
		}
		for _, x := range completed {
			s.notPromoted(x, manyCompletions, text, by, others(all, x.item))
		}
		return
	}
	x := completed[0]
	s.receipt.AgentID, s.receipt.WorkItemID = s.receipt.Calls[x.call].AgentID, x.item
	switch {
	case text == "":
		s.notPromoted(x, missingReport, text, by, nil)
	case !x.focused && c.WorkItemID != x.item:
		s.notPromoted(x, unfocusedReport, text, by, nil)
	case by != ReportSameRound && by != ReportOperator:
		s.notPromoted(x, reportOffered, text, by, nil)
	default:
		w, _ := s.Item(x.item)
		b := s.promote(w, text, by, s.receipt.Calls[x.call].Warnings)
		if by == ReportSameRound {
			s.event(EventBriefSuppressed, w.ID, Suppressed{Reason: "work_item_completion_report_promoted", BriefID: b.ID})
		}
	}
}

// notPromoted says why a text is not the report, and keeps it to choose from.
func (s *step) notPromoted(x completedCall, why Warning, text Text, by ReportOf, shared []ItemID) {
	call := &s.receipt.Calls[x.call]
	call.Warnings = append(call.Warnings, why)
	s.event(EventCompletionWarning, x.item, why)
	w, _ := s.Item(x.item)
	s.keepOffer(w, text, by, shared)
}

// promote makes text the completion report of w: its summary, one delivery summary, and
// exactly one result brief (docs/lifecycle.md 9).
func (s *step) promote(w WorkItem, text Text, by ReportOf, warnings []Warning) Brief {
	w.ResultSummary = text
	w = s.save(w, true)
	b := Brief{ID: BriefID(s.newID("br-")), AgentID: w.AgentID, WorkItemID: w.ID, BriefKind: "result", Text: text,
		Provenance: by, Warnings: warnings, CreatedAt: s.at.At}
	d := Delivery{ID: DeliveryID(s.newID("dl-")), AgentID: w.AgentID, WorkItemID: w.ID, BriefID: b.ID, Text: text, Provenance: by, CreatedAt: s.at.At}
	s.put(b)
	s.put(d)
	p := Promoted{Revision: w.Revision, Source: by, TextPreview: cut(text, previewReport), Warnings: warnings, DeliveryID: d.ID, BriefID: b.ID}
	s.event(EventReportPromoted, w.ID, p)
	s.receipt.ReportPromoted, s.receipt.ReportSource = true, by
	return b
}

// step takes an explicit later report. It is promoted whatever its provenance, but it
// cannot claim to come from the completing round.
func (c ReportWorkItem) step(s *step) error {
	w, err := s.own(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	if w.State != Completed {
		return Refuse(CodeRefused, "work item %s is open; a report follows its completion", w.Handle).At("work_item_id").WithHint("complete it first")
	}
	text, err := required("text", c.Text, MaxReport)
	if err != nil {
		return err
	}
	by, err := s.provenance(c.Provenance)
	if err != nil {
		return err
	}
	if by == ReportSameRound {
		by = ReportTurnFinal
	}
	if w.ResultSummary == text {
		return nil
	}
	if w.ResultSummary != "" {
		return Refuse(CodeRefused, "work item %s has its report already", w.Handle).At("text").WithHint("a report is given once; see vise show %s", w.Handle)
	}
	s.promote(w, text, by, nil)
	return nil
}
