package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// The reasons if a turn ends because its lease ran out, or because its holder has died.
const (
	leaseExpired = "lease_expired"
	holderDied   = "holder_died"
)

// maxTurnMessages bounds the messages that one turn takes.
const maxTurnMessages = 50

func (c ClaimTurn) step(s *step) error {
	a, err := s.agentFor(c.AgentID, "run turns of")
	if err != nil {
		return err
	}
	ttl, err := lease(c.TTLMS)
	if err != nil {
		return err
	}
	holder, err := required("holder", c.Holder, MaxReason)
	if err != nil {
		return err
	}
	if a.Posture == Stopped {
		return Refused("agent %s is stopped", a.ID).At("agent_id", "resume it first")
	}
	if a.Turn.Runs(s.at.At) {
		held := fmt.Sprintf("a turn of agent %s runs, held by %s", a.ID, a.Turn.Holder)
		if until := a.Turn.until(); !until.IsZero() {
			held += " until " + until.Format(time.RFC3339)
		}
		return Refused("%s", held).At("agent_id", "wait for its end; one turn runs at a time")
	}
	if c.Tick != "" && (a.Offered == nil || a.Offered.Key != c.Tick) {
		return Refused("the offer of tick %s to agent %s has ended", Text(c.Tick), a.ID).At("tick",
			"look again: another turn answered it, or something changed")
	}
	seen := candidatesKey(s, a.ID)
	a = s.sweepTurn(a, 0).begun(seen, s.at.At)
	a.TurnIndex++
	a.Turn = &turn{Index: a.TurnIndex, Holder: holder, Process: c.Process, Tick: c.Tick, Candidates: seen,
		StartedAt: s.at.At, BeatAt: s.at.At, ExpiresAt: s.at.At.Add(ttl)}
	if w, ok := Focus(s, a.ID); ok {
		a.Turn.WorkItemID = w.ID
	}
	if a.Offered != nil && a.Offered.Key == c.Tick {
		a.Turn.OfferedID, a.Offered = a.Offered.WorkItemID, nil
	}
	a.Turn.Rechecks, a.DueRechecks = a.DueRechecks, nil
	a.Turn.Told = s.tellOf(a.ID, a.Turn.WorkItemID, a.Turn.OfferedID)
	a.Posture, a.UpdatedAt = Awake, s.at.At
	s.takeMessages(&a, "")
	s.put(a)
	s.receipt.Turn, s.receipt.Messages = a.TurnIndex, a.Turn.Messages
	s.event(EventTurnStarted, a.Turn.WorkItemID, TurnNews{Turn: a.TurnIndex, Holder: holder, Tick: c.Tick, Messages: a.Turn.Messages})
	return nil
}

// agentFor is a known agent. An actor that is an agent can name only itself; do names the act in the refusal.
func (s *step) agentFor(id AgentID, do string) (Agent, error) {
	a, ok := s.Agent(id)
	if !ok {
		return a, unknownAgent(id)
	}
	s.receipt.AgentID = a.ID
	if caller, isAgent := s.at.Actor.Agent(); isAgent && caller != a.ID {
		return a, Refuse(CodeNotOwner, "agent %s cannot %s agent %s", caller, do, a.ID).At("agent_id", "act for yourself")
	}
	return a, nil
}

func lease(ms int64) (time.Duration, error) {
	if ms == 0 {
		return DefaultLease, nil
	}
	if ms < 0 || ms > maxLease.Milliseconds() {
		return 0, Invalid("ttl_ms must be between 1 and %d", maxLease.Milliseconds()).At("ttl_ms",
			"beat while the turn runs")
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// takeMessages hands the queued messages to the turn: all, or the answers to one question.
func (s *step) takeMessages(a *Agent, to WaitID) {
	for _, m := range s.QueuedMessages(a.ID, maxTurnMessages) {
		if to != "" && m.WaitID != to {
			continue
		}
		m.TurnIndex = a.TurnIndex
		s.mark(m, MessageSent)
		a.Turn.Messages = append(a.Turn.Messages, m.ID)
		a.Turn.Heard = a.Turn.Heard || m.Origin == Operator
		a.QueuedInput--
	}
}

// sweepTurn ends a turn whose lease ran out, and the turn gone, whose holder has died. The work item stays unchanged; the turn's messages
// wait again.
func (s *step) sweepTurn(a Agent, gone int) Agent {
	switch {
	case a.Turn == nil:
		return a
	case a.Turn.Index == gone:
		return s.endTurn(a, EndTurn{Turn: gone, Outcome: TurnInterrupted, Reason: holderDied})
	case !a.Turn.Runs(s.at.At):
		return s.endTurn(a, EndTurn{Turn: a.Turn.Index, Outcome: TurnInterrupted, Reason: leaseExpired})
	}
	return a
}

func (s *step) endTurn(a Agent, c EndTurn) Agent {
	t := *a.Turn
	c.Usage = cmp.Or(c.real(), t.Usage)
	// A turn that failed without a round has not read its messages either.
	again := c.Outcome == TurnInterrupted || t.Rounds == 0 && c.Outcome != TurnCompleted
	for _, id := range t.Messages {
		m, ok := s.Message(id)
		if !ok || m.Status != MessageSent {
			continue
		}
		status := MessageDone
		if again || m.Source == answerSource && (c.Outcome == TurnFailed || c.Outcome == TurnTimedOut) {
			status = MessageQueued
			a.QueuedInput++
		}
		s.mark(m, status)
	}
	a.Turn, a.UpdatedAt = nil, s.at.At
	if again {
		a.DueRechecks = slices.Concat(t.Rechecks, a.DueRechecks)
	} else {
		s.wasTold(t.Told)
	}
	a = a.ended(t, c, s.at.At)
	s.put(a)
	s.offerFinal(t, c.Final)
	s.summarise(a.ID, t.WorkItemID, c.Final)
	s.spend(cmp.Or(t.WorkItemID, t.About), c.Usage)
	if t.cameToNothing(c) {
		s.attempted(t)
	}
	s.event(EventTurnEnded, t.WorkItemID, TurnNews{Turn: t.Index, Outcome: c.Outcome, Reason: c.Reason, Code: c.Code,
		Rounds: t.Rounds, RestUntil: a.restUntil(), Progress: t.Progress || c.Commit != "", Commit: c.Commit, Usage: c.Usage,
		Final: cut(c.Final, previewReport), BriefSuppressed: t.Promoted, DurationMS: s.at.At.Sub(t.StartedAt).Milliseconds()})
	return a
}

// offerFinal offers a turn's last words as report of the items that it completed without one, and keeps them beside short reports.
func (s *step) offerFinal(t turn, final Text) {
	final = trimmed(final)
	silent := slices.DeleteFunc(slices.Clone(t.Unreported), func(id ItemID) bool {
		w, ok := s.Item(id)
		if ok && w.ResultSummary != "" && w.ResultSummary != final {
			s.keepOffer(w, final, ReportTurnFinal, nil)
		}
		return !ok || w.State != Completed || w.ResultSummary != ""
	})
	for _, id := range silent {
		w, _ := s.Item(id)
		s.keepOffer(w, final, ReportTurnFinal, others(silent, id))
	}
}

// holds reports whether a turn is the agent's present one.
func (a Agent) holds(turn int) bool { return a.Turn != nil && a.Turn.Index == turn }

// running loads the agent with the named turn, and refuses a holder whose turn is over.
func (s *step) running(id AgentID, turn int) (Agent, error) {
	a, err := s.agentFor(id, "run turns of")
	if err != nil {
		return a, err
	}
	if !a.holds(turn) || !a.Turn.Runs(s.at.At) {
		return a, Refuse(CodeStale, "turn %d of agent %s is over", turn, a.ID).At("turn",
			"claim a turn first; nothing was written")
	}
	return a, nil
}

func (c BeatTurn) step(s *step) error {
	ttl, err := lease(c.TTLMS)
	if err != nil {
		return err
	}
	a, err := s.running(c.AgentID, c.Turn)
	if err != nil {
		return err
	}
	s.receipt.Turn = a.Turn.Index
	t := *a.Turn
	used := cmp.Or(c.real(), t.Usage)
	hears := c.Hear || c.HearAnswer != ""
	if t.Lives != nil && !hears && used == t.Usage { // the storage renews the lease
		return nil
	}
	t.BeatAt, t.ExpiresAt, t.Usage, t.Messages = s.at.At, s.at.At.Add(ttl), used, slices.Clone(t.Messages)
	a.Turn = &t
	if had := len(t.Messages); hears {
		s.takeMessages(&a, c.HearAnswer)
		s.receipt.Messages = a.Turn.Messages[had:]
	}
	s.put(a)
	return nil
}

func (c EndTurn) step(s *step) error {
	if err := oneOf("outcome", c.Outcome, TurnCompleted, TurnFailed, TurnAborted, TurnTimedOut, TurnInterrupted); err != nil {
		return err
	}
	a, err := s.running(c.AgentID, c.Turn)
	if err != nil {
		return err
	}
	s.receipt.Turn = a.Turn.Index
	s.endTurn(a, c)
	return nil
}

// maxDue bounds what one Tick fires; the next Tick continues. This many hold the ledger for some ten milliseconds.
const maxDue = 250

// maxRechecks bounds the rechecks in one Tick, and those that a turn is told of.
const maxRechecks = 100

func (c Tick) step(s *step) error {
	a, err := s.agentFor(c.AgentID, "run turns of")
	if err != nil {
		return err
	}
	if swept := s.sweepTurn(a, c.Gone); a.Turn != nil && swept.Turn == nil {
		s.receipt.Turn, a = a.Turn.Index, swept
	}
	rechecks := s.fire(a)
	s.rest(a, rechecks)
	return nil
}

// rest offers a candidate if no wait was triggered. A trigger can change the order, so the next Tick decides then.
func (s *step) rest(a Agent, rechecks []DueRecheck) {
	fired := len(s.events) > 0 && len(s.receipt.TriggeredWaits) > 0
	a, _ = s.Agent(a.ID)
	d := Decide(s, a.ID, s.at.At)
	s.receipt.Decision = &d
	if fired {
		s.receipt.Again = true
		return
	}
	if a.Turn != nil || a.QueuedInput > 0 || a.Posture == Stopped {
		return
	}
	alone := a.Offered == nil || a.Offered.Reason != reasonRecheck
	switch {
	case d.Kind == DecideEmitTick && d.Key != "":
		s.offer(a, d, rechecks)
	case d.Reason == reasonOffered && alone:
		// The turn that answers the standing offer is told of them too.
		s.newsOfRechecks(rechecks, "")
	case len(rechecks) > 0 || len(a.DueRechecks) > 0 && alone:
		s.offerRechecks(a)
	}
}

// fire triggers due timers and consumes due rechecks, in the order of their time.
func (s *step) fire(a Agent) []DueRecheck {
	var rechecks []DueRecheck
	silent := a.Turn != nil || a.QueuedInput > 0 || a.Posture == Stopped
	for _, d := range s.Due(a.ID, s.at.At, maxDue) {
		if d.WaitID != "" {
			if x, ok := s.Wait(d.WaitID); ok && x.Status == WaitActive && x.TriggerCount == 0 {
				s.wake([]Wait{x}, s.from(Text(x.Kind), ""))
			}
			continue
		}
		if len(rechecks) == maxRechecks {
			break
		}
		if w, ok := s.Item(d.ItemID); ok {
			rechecks = append(rechecks, s.recheck(w, silent))
		}
	}
	s.remember(a.ID, rechecks)
	return rechecks
}

// remember keeps rechecks for the next turn, so that one that came due silently is not lost.
func (s *step) remember(id AgentID, rechecks []DueRecheck) {
	if len(rechecks) == 0 {
		return
	}
	a, _ := s.Agent(id)
	due := slices.Clone(a.DueRechecks)
	for _, r := range rechecks {
		if !slices.Contains(due, r.WorkItemID) {
			due = append(due, r.WorkItemID)
		}
	}
	a.DueRechecks = due[max(0, len(due)-maxRechecks):]
	s.put(a)
}

// recheck consumes a due recheck, once. It reminds, and never unblocks (docs/lifecycle.md 11).
func (s *step) recheck(w WorkItem, silent bool) DueRecheck {
	r := dueRecheck(w)
	w.RecheckConsumedAt = s.at.At
	w = s.save(w, false)
	s.event(EventRecheckConsumed, w.ID, recheckNews{Revision: w.Revision, RecheckAt: w.RecheckAt, Silent: silent})
	return r
}

// offer emits a tick for the decision's candidate. An offer that no turn takes is not repeated.
func (s *step) offer(a Agent, d Decision, rechecks []DueRecheck) {
	a.Offered = &offered{Key: d.Key, Reason: d.Reason, WorkItemID: d.WorkItemID, At: s.at.At}
	s.put(a)
	w, _ := s.Item(d.WorkItemID)
	t, _ := s.Attempt(a.ID, d.WorkItemID)
	if t.TickKey != d.Key {
		t.Turns = 0
	}
	s.receipt.TickKey, s.receipt.WorkItemID = d.Key, d.WorkItemID
	s.event(EventTickEmitted, d.WorkItemID, tickNews{Subsystem: "work_queue", Reason: d.Reason, Key: d.Key,
		Objective: cut(w.Objective, rowObjective),
		Attempt:   t.Turns + 1, Count: len(rechecks), Rechecks: rechecks})
}

// offerRechecks emits a tick for second looks only. It stands until a turn answers it or other work is offered; the first turn
// to begin is told of them.
func (s *step) offerRechecks(a Agent) {
	var due []DueRecheck
	for _, id := range a.DueRechecks {
		if w, ok := s.Item(id); ok && w.BlockedBy != "" {
			due = append(due, dueRecheck(w))
		}
	}
	if len(due) == 0 {
		a.DueRechecks = nil
		s.put(a)
		return
	}
	last := due[len(due)-1]
	key := fmt.Sprintf("%s:%s@%s", reasonRecheck, last.WorkItemID, last.RecheckAt.Format(time.RFC3339))
	a.Offered = &offered{Key: key, Reason: reasonRecheck, WorkItemID: last.WorkItemID, At: s.at.At}
	s.put(a)
	s.receipt.TickKey = key
	s.newsOfRechecks(due, key)
}

func (s *step) newsOfRechecks(due []DueRecheck, key string) {
	if len(due) > 0 {
		s.event(EventTickEmitted, "", tickNews{Subsystem: reasonRecheck, Key: key, Count: len(due), Rechecks: due})
	}
}

func dueRecheck(w WorkItem) DueRecheck {
	return DueRecheck{WorkItemID: w.ID, Objective: cut(w.Objective, rowObjective), BlockedBy: cut(w.BlockedBy, rowText),
		RecheckAt: w.RecheckAt}
}
