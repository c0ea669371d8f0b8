package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// previewReport bounds the preview of a report in events, in Unicode scalars.
const previewReport = 600

// step runs the round's calls in order, all or none, and then promotes its text under the
// rules of docs/lifecycle.md 9. vise never makes up a report.
func (c Round) step(s *step) error {
	text, err := optional("text", c.Text, MaxWords)
	if err != nil {
		return err
	}
	by, err := s.provenance(c.Provenance)
	if err != nil {
		return err
	}
	if c.WorkItemID != "" {
		if _, err := s.itemOf(c.WorkItemID, 0); err != nil {
			return err
		}
		s.receipt = Receipt{Command: CommandName(c)}
	}
	if a, _ := s.Agent(s.actingAgent()); c.Turn > a.TurnIndex || c.Turn != 0 && !c.Late {
		if _, err := s.running(s.actingAgent(), c.Turn); err != nil {
			return err
		}
	}
	var completed []completedCall
	before, _ := Focus(s, s.actingAgent())
	outer := s.receipt
	for i, call := range c.Calls {
		focus, _ := Focus(s, s.actingAgentOf(call.Command))
		s.receipt = Receipt{}
		if err := s.judge(call.Command); err != nil {
			if len(c.Calls) > 1 {
				err = within(err, fmt.Sprintf("call %d, %s", i+1, CommandName(call.Command)))
			}
			return err
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
	if err := s.reportNamed(c, text, by, completed); err != nil {
		return err
	}
	s.traceRound(c, text, cmp.Or(c.WorkItemID, before.ID), completed)
	for _, call := range s.receipt.Calls {
		s.warn(call.Warnings...)
	}
	return nil
}

// completedCall is one call of a round, which completed an item.
type completedCall struct {
	call    int
	item    ItemID
	focused bool
}

// actingAgentOf is the agent whose focus counts for a call: the caller or, without one, the owner of the named item.
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
			return "", Refused("only the operator's own words have provenance operator").At("provenance",
				"leave it out")
		}
	}
	return p, oneOf("provenance", p, ReportSameRound, ReportNearRound, ReportTurnFinal, ReportOperator)
}

// The reasons for not using a round's text as the report of an item that it completed.
var (
	manyCompletions = Warning{Kind: warnMultipleCompletions, Message: "the round completed several work items; its text is nobody's report"}
	missingReport   = Warning{Kind: WarnMissingReport, Message: "completed without a report; vise report gives it one"}
	unfocusedReport = Warning{Kind: warnUnfocused, Message: "the completed work item was not the focus; the text was not promoted"}
	preambleReport  = Warning{Kind: warnPreamble, Message: "the text only says what comes next; it is offered, not promoted"}
	reportOffered   = Warning{Kind: WarnReportOffered, Message: "the text is not from the completing round; it is offered, not promoted"}
)

func (s *step) promoteRound(c Round, text Text, by ReportOf, completed []completedCall) {
	if len(completed) == 0 {
		return
	}
	named := slices.IndexFunc(completed, func(x completedCall) bool { return x.item == c.WorkItemID })
	if c.WorkItemID != "" { // the text belongs to the named item only
		for i, x := range completed {
			if i != named {
				s.notPromoted(x, missingReport, "", by, nil)
			}
		}
		if named < 0 {
			return
		}
		completed = completed[named : named+1]
	}
	var all []ItemID
	for _, x := range completed {
		all = append(all, x.item)
	}
	if len(all) == 1 {
		s.receipt.AgentID, s.receipt.WorkItemID = s.receipt.Calls[completed[0].call].AgentID, all[0]
	}
	for _, x := range completed {
		if why := noReport(text, by, x.focused || c.WorkItemID == x.item, len(all)); why.Kind != "" {
			s.notPromoted(x, why, text, by, others(all, x.item))
			continue
		}
		w, _ := s.Item(x.item)
		b := s.promote(w, text, by, s.receipt.Calls[x.call].Warnings)
		if by == ReportSameRound {
			s.event(EventBriefSuppressed, w.ID, suppressed{Reason: "work_item_completion_report_promoted", BriefID: b.ID})
		}
	}
}

// noReport is why a text is not certainly the report of an item that was completed as one of several; without a kind, it is.
func noReport(text Text, by ReportOf, focused bool, completed int) Warning {
	switch {
	case completed > 1:
		return manyCompletions
	case text == "":
		return missingReport
	case by != ReportSameRound && by != ReportOperator:
		return reportOffered
	case !focused:
		return unfocusedReport
	case by != ReportOperator && LooksLikePreamble(text):
		return preambleReport
	}
	return Warning{}
}

// notPromoted warns that a text is not the report, says why, and keeps the text as an offer.
func (s *step) notPromoted(x completedCall, why Warning, text Text, by ReportOf, shared []ItemID) {
	call := &s.receipt.Calls[x.call]
	call.Warnings = append(call.Warnings, why)
	s.event(EventCompletionWarning, x.item, why)
	w, _ := s.Item(x.item)
	s.keepOffer(w, text, by, shared)
}

// promote makes text the completion report of w: its summary, one delivery summary, and
// exactly one result brief (docs/lifecycle.md 9).
func (s *step) promote(w WorkItem, text Text, by ReportOf, warnings []Warning) brief {
	text = s.keptReport(w, text)
	due := w.ReportDue
	w.ResultSummary, w.ReportDue = text, nil
	w = s.save(w, true)
	b := brief{ID: briefID(s.newID("br-")), AgentID: w.AgentID, WorkItemID: w.ID, BriefKind: "result", Text: text,
		Provenance: by, Person: s.at.Person, Warnings: warnings, CreatedAt: s.at.At}
	d := delivery{ID: deliveryID(s.newID("dl-")), AgentID: w.AgentID, WorkItemID: w.ID, BriefID: b.ID, Text: text,
		Provenance: by, CreatedAt: s.at.At}
	s.put(b)
	s.put(d)
	p := promoted{Revision: w.Revision, Source: by, TextPreview: cut(text, previewReport), Warnings: warnings, DeliveryID: d.ID,
		BriefID: b.ID}
	s.event(EventReportPromoted, w.ID, p)
	s.bringReport(w, due)
	s.receipt.ReportPromoted, s.receipt.ReportSource = true, by
	return b
}

// step takes a later, explicit report. It is promoted whatever its provenance, except that it cannot claim to come from the
// completing round.
func (c ReportWorkItem) step(s *step) error {
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	if w.State != Completed {
		return Refused("work item %s is open; a report follows its completion", w.Handle).At("work_item_id",
			"complete it first")
	}
	text, err := required("text", c.Text, MaxWords)
	if err != nil {
		return err
	}
	by, err := s.provenance(c.Provenance)
	if err != nil {
		return err
	}
	return s.reportLater(w, text, by)
}

// reportLater gives a completed item its report, once.
func (s *step) reportLater(w WorkItem, text Text, by ReportOf) error {
	if by == ReportSameRound {
		by = ReportTurnFinal
	}
	if w.ResultSummary != "" && w.ResultSummary == s.keptReport(w, text) {
		return nil
	}
	if w.ResultSummary != "" {
		return Refused("work item %s has its report already", w.Handle).At("text",
			"a report is given once; see vise show %s", w.Handle)
	}
	warnings := s.warnedOf(w)
	s.warn(warnings...)
	s.promote(w, text, by, warnings)
	return nil
}

// reportNamed takes a round's text as the later, explicit report of the named item, if that item was completed before. For an
// open item the round is only part of the trace.
func (s *step) reportNamed(c Round, text Text, by ReportOf, completed []completedCall) error {
	w, _ := s.Item(c.WorkItemID)
	now := slices.ContainsFunc(completed, func(x completedCall) bool { return x.item == c.WorkItemID })
	if c.WorkItemID == "" || w.State != Completed || now || text == "" || c.Refused != "" {
		return nil
	}
	return s.reportLater(w, text, by)
}

// trailOfCompletion is how many newest events of an item are searched for those of its completion.
const trailOfCompletion = 20

// doneElsewhere are the items that a round completed through its own tools: the agent calls the tools itself, and another
// program reports the round. Only a completion in the round's turn that the ledger recorded counts.
func (s *step) doneElsewhere(c Round) ([]completedCall, error) {
	if len(c.Done) == 0 {
		return nil, nil
	}
	a, ok := s.Agent(s.actingAgent())
	if !ok || c.Turn == 0 {
		return nil, Invalid("items done elsewhere belong to a turn").At("done", "name the turn")
	}
	var since time.Time // when a turn that is over began is not known
	if a.holds(c.Turn) {
		since = a.Turn.StartedAt
	}
	var out []completedCall
	for _, id := range c.Done {
		w, err := s.itemOf(id, 0)
		if err != nil {
			return nil, err
		}
		if w.State != Completed || w.ResultSummary != "" {
			continue
		}
		found, focused := s.completedSince(since, w)
		if !found {
			continue
		}
		s.receipt.Calls = append(s.receipt.Calls, Receipt{Command: CommandName(CompleteWorkItem{}), AgentID: w.AgentID, WorkItemID: w.ID,
			ItemRevision: w.Revision, CompletedTransition: true, Warnings: s.warnedOf(w)})
		out = append(out, completedCall{len(s.receipt.Calls) - 1, w.ID, focused})
	}
	return out, nil
}

// sampleTodos bounds the unfinished todos that a warning shows.
const sampleTodos = 5

func (c CompleteWorkItem) step(s *step) error {
	w, err := s.itemOf(c.WorkItemID, c.SeenRevision)
	if err != nil {
		return err
	}
	if err := validDecisions(c.LinkedTodos); err != nil {
		return err
	}
	if w.State == Completed {
		s.warn(s.warnedOf(w)...)
		return nil
	}
	warnings := completionWarnings(s, w)
	if w.BlockedBy != "" && s.at.Actor != Operator {
		warnings = append(warnings, Warning{Kind: warnCompletedBlocked,
			Message: "it was still blocked: " + cut(w.BlockedBy, rowText).String()})
	}
	s.warn(warnings...)
	if err := s.mayClear(w); err != nil {
		return err
	}
	forced, err := s.mayComplete(w, c.Force)
	if err != nil {
		return err
	}
	if err := s.mayUnverified(w); err != nil {
		return err
	}
	waits := s.ItemWaits(w.AgentID, w.ID)
	w = unblocked(w)
	w.State = Completed
	w = s.save(w, true)
	s.keepRule(w)
	s.receipt.CompletedTransition = true
	s.cancelWaits(w.ID, waits, "work_item_completed")
	s.releaseFocus(w, "work_item_completed")
	done := completion(w, warnings, forced)
	done.LinkedTodos = c.LinkedTodos
	s.event(EventWorkItemWritten, w.ID, done)
	s.completed = append(s.completed, w.ID)
	return nil
}

// mayComplete refuses a completion while blocking work of the item runs (docs/lifecycle.md 8); the operator can force it.
func (s *step) mayComplete(w WorkItem, force bool) (forced bool, err error) {
	if force {
		if err := s.may(onlyForce); err != nil {
			return false, err
		}
	}
	what := ""
	if tasks := s.BlockingTasks(w.AgentID, w.ID); len(tasks) > 0 {
		what = "task " + string(tasks[0].ID)
	}
	for _, d := range s.Delegations(w.AgentID, w.ID) {
		if d.Blocking {
			what = "delegation " + string(d.ID)
		}
	}
	if what == "" {
		return false, nil
	}
	if !force {
		return false, Refuse(CodeUnfinishedExecution, "work item %s has blocking work that still runs: %s", w.Handle, Text(what)).
			WithHint("wait for it, or stop it; a person can use --force")
	}
	return true, nil
}

func completion(w WorkItem, warnings []Warning, forced bool) Written {
	e := Written{Action: "completed", Revision: w.Revision, Warnings: warnings, WarningCount: len(warnings), Forced: forced}
	done, running, total := w.TodoCounts()
	e.UnfinishedTodos, e.InProgressTodos = total-done, running
	e.PendingTodos = e.UnfinishedTodos - running
	e.WithUnfinishedTodos = e.UnfinishedTodos > 0
	return e
}

// warnedOf are the warnings with which a completed item was completed.
func (s *step) warnedOf(w WorkItem) []Warning {
	for _, e := range s.Entries(w.ID, trailOfCompletion) {
		if done := DataOf[Written](e); e.Kind == EventWorkItemWritten && done.Action == "completed" {
			return done.Warnings
		}
	}
	return completionWarnings(s, w)
}

// completionWarnings are the warnings that stay with the report.
func completionWarnings(f Facts, w WorkItem) []Warning {
	out := unfinished(w)
	if e := EvidenceOf(f, w); e.Policy != "" && e.State != EvidenceVerified {
		out = append(out, Warning{Kind: WarnUnverified, Message: e.Words().String()})
	}
	return out
}

// unfinished warns of todos that are not completed (docs/lifecycle.md 8).
func unfinished(w WorkItem) []Warning {
	done, running, total := w.TodoCounts()
	if done == total {
		return nil
	}
	u := Warning{
		Kind: warnUnfinishedTodos, PendingCount: total - done - running, InProgressCount: running,
		Message: fmt.Sprintf("%d of %d todos are unfinished", total-done, total),
	}
	for _, t := range w.TodoList {
		if t.State != TodoCompleted && len(u.Sample) < sampleTodos {
			u.Sample = append(u.Sample, t)
		}
	}
	return []Warning{u}
}
