package model

import (
	"cmp"
	"slices"
	"time"
)

// The reason codes of rows that stand for an agent itself: it asks, its program fails, or its program waits for a permission.
const (
	reasonAgentAsks       = "agent_asks"
	reasonAgentFails      = "agent_failing"
	reasonAgentPermission = "agent_permission"
)

// AgentNeeds are the needs of an agent itself, as entries of the inbox: a permission, an answer, or a look at its failing
// program (docs/lifecycle.md 12, 19, 23).
func AgentNeeds(f Facts, agent AgentID) (out []Inboxed) {
	a, _ := f.Agent(agent)
	out = permissionNeeds(a)
	if q, ok := QuestionOf(f, agent); ok {
		out = append(out, q)
	}
	if x, ok := failureOf(f, agent); ok {
		out = append(out, x)
	}
	return out
}

// failureOf is a failing agent as an entry of the inbox. A stopped agent has none.
func failureOf(f Facts, agent AgentID) (Inboxed, bool) {
	a, _ := f.Agent(agent)
	x := a.Pace.Failure
	if x == nil || a.Posture == Stopped {
		return Inboxed{}, false
	}
	words := cmp.Or(Text(squeezed(x.Reason)), Text(lastTurns(max(a.FailedTurns, 1))+" failed"))
	need := ownNeed(a.ID, NeedRepair, reasonAgentFails, ItemID(AgentActor(a.ID)), words, x.Since)
	need.Row.UpdatedAt = x.At
	return need, true
}

// ownNeed is a need of an agent itself as an entry of the inbox. The id stands for an item's, the agent's name for the handle.
func ownNeed(a AgentID, need Need, reason string, id ItemID, words Text, since time.Time) Inboxed {
	return Inboxed{Need: need, Since: since, Row: Row{ID: id, Handle: Handle(a), AgentID: a, Objective: cut(words, rowObjective),
		Class: WaitingForOperator, Scheduling: WaitingOperator, ReasonCode: reason, NeedsOperator: true,
		CreatedAt: since, UpdatedAt: since}}
}

// QuestionOf is the agent's own question, without a work item, as an entry of the inbox (docs/lifecycle.md 19). ok is false
// without a question.
func QuestionOf(f Facts, agent AgentID) (q Inboxed, ok bool) {
	for _, x := range f.ItemWaits(agent, "") {
		if x.asks() {
			return x.need(), true
		}
	}
	return Inboxed{}, false
}

// asks reports whether the wait's question has no answer yet.
func (w Wait) asks() bool {
	return w.Status == WaitActive && w.Kind == WaitOperator && w.TriggerCount == 0
}

// need is a wait that is an agent's own question as an entry of the inbox.
func (w Wait) need() Inboxed {
	need := ownNeed(w.AgentID, NeedAnswer, reasonAgentAsks, ItemID(w.ID), w.Reason, w.CreatedAt)
	need.Row.Wait = gist([]Wait{w}, derived{Wait: &w})
	return need
}

// Question is the agent's own wait in the row; ok is false for a work item's row.
func (r Row) Question() (id WaitID, ok bool) { return WaitID(r.ID), r.ReasonCode == reasonAgentAsks }

// OfAgent reports whether the row stands for an agent itself instead of a work item.
func (r Row) OfAgent() bool {
	return slices.Contains([]string{reasonAgentAsks, reasonAgentFails, reasonAgentPermission}, r.ReasonCode)
}

// AgentFails reports whether the row stands for an agent with a failing program.
func (r Row) AgentFails() bool { return r.ReasonCode == reasonAgentFails }

// agentDetail is the detail pane for a need of an agent itself.
func agentDetail(r Reader, id ItemID, at Stamp) (Detail, bool) {
	var need Inboxed
	var waits []Wait
	lines, words := questionLines, Text("")
	if x, ok := r.Wait(WaitID(id)); ok && x.WorkItemID == "" && x.asks() {
		need, waits = x.need(), []Wait{x}
	} else if p, agent, ok := PermissionOf(r, PermissionID(id)); ok {
		need, lines = permissionNeed(r, agent, p)
		words = p.words()
	} else if agent, ok := Actor(id).Agent(); !ok {
		return Detail{}, false
	} else if need, ok = failureOf(r, agent); !ok {
		return Detail{}, false
	} else {
		lines = ExplainAgent(r, agent, at.At).Lines
	}
	row := need.Row
	words = cmp.Or(words, row.Objective)
	return Detail{
		Row: row, Need: &need,
		View: View{ID: row.ID, Handle: row.Handle, AgentID: row.AgentID, Objective: words, State: Open, Focus: "blocked",
			Readiness: readyOperator, Scheduling: row.Scheduling, ReasonCode: row.ReasonCode, Class: row.Class, NeedsOperator: true,
			ViewMore: ViewMore{ActiveWaits: waits, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt}},
		Waits: waits,
		Why:   Why{row.Class, 1, 1, explanation{lines, Decide(r, row.AgentID, at.At)}},
	}, true
}

var questionLines = []whyLine{
	{"Class", "asks you: the agent itself waits for your answer, without a work item"},
	{"Becomes so", "when you answer it, or cancel the wait"},
}

func (c Answer) step(s *step) error {
	text, err := required("text", c.Text, MaxMessage)
	if err != nil {
		return err
	}
	x, err := s.question(c)
	if err != nil {
		return err
	}
	m := Message{ID: MessageID(s.newID("ms-")), WorkItemID: x.WorkItemID, Source: answerSource, Priority: Next, Body: text, WaitID: x.ID}
	if x.ID != "" {
		m.Question = x.asked()
	}
	var first Text // an answer before this one
	if x.ID != "" && !x.asks() {
		first = x.LastTrigger.Payload
	}
	said := answered{WaitID: x.ID, Text: cut(text, previewReport), PlanReady: c.PlanReady}
	if x.WorkItemID != "" {
		w, err := s.openItem(x.WorkItemID, c.SeenRevision, "answer")
		if err != nil {
			return err
		}
		x.AgentID = w.AgentID
		if r := newestReply(s, w); r.Unread() && r.WaitID == x.ID {
			first = r.Text
		}
		said.Revision = s.keepReply(w, c, Reply{WaitID: x.ID, Question: x.Ask.Question, Text: text, MessageID: m.ID})
	}
	if first != "" {
		s.warnf(warnAnswered, "it was answered before: %q; the agent gets both answers", cut(first, rowObjective))
	}
	s.receipt.WaitID, s.receipt.Question = x.ID, x.asked()
	s.event(EventOperatorAnswered, x.WorkItemID, said)
	if x.ID != "" {
		s.trigger([]Wait{x}, s.from(answerSource, text))
	}
	a, _ := s.Agent(x.AgentID)
	return s.say(a, m)
}

// withdrawal takes back an answer that its agent was not given yet.
type withdrawal struct {
	Answer  Answer    `json:"answer"`
	Message MessageID `json:"message_id"`
	// Wait is the question as it was before the answer; nil if only the plan asked. PlanStatus is that of the item then.
	Wait       *Wait      `json:"wait,omitempty"`
	PlanStatus PlanStatus `json:"plan_status,omitempty"`
}

// inverse withdraws the answer c, which was just given.
func (c Answer) inverse(s *step) *withdrawal {
	for _, r := range s.records {
		if m, ok := r.(Message); ok && m.Source == answerSource {
			w, _ := s.before.Item(m.WorkItemID)
			u := &withdrawal{Answer: c, Message: m.ID, PlanStatus: w.PlanStatus}
			u.Answer.SeenRevision = 0
			if was, asked := s.before.Wait(m.WaitID); asked {
				u.Wait = &was
			}
			return u
		}
	}
	return nil
}

func (u withdrawal) step(s *step, what Text) error {
	m, ok := s.Message(u.Message)
	if !ok || m.Status != MessageQueued {
		return Refuse(CodeRefused, "%s has the answer already: it stays", cmp.Or(m.AgentID, "the agent")).At("answer").
			WithHint("tell it something: vise say")
	}
	a, _ := s.Agent(m.AgentID)
	s.mark(m, MessageDropped)
	a.QueuedInput--
	s.put(a)
	s.receipt.AgentID, s.receipt.WaitID = a.ID, m.WaitID
	if x, _ := s.Wait(m.WaitID); u.Wait != nil && x.Status == WaitActive && x.TriggerCount == u.Wait.TriggerCount+1 {
		s.put(*u.Wait)
		s.tellWait(*u.Wait, nil)
	}
	if m.WorkItemID == "" {
		return nil
	}
	w, err := s.openItem(m.WorkItemID, 0, "withdraw an answer of")
	if err != nil {
		return err
	}
	w.Replies = slices.DeleteFunc(slices.Clone(w.Replies), func(r Reply) bool { return r.MessageID == m.ID })
	done := Written{Action: "undone", BlockedBy: w.BlockedBy, Undone: what}
	if u.Answer.PlanReady {
		w.PlanStatus, done.PlanStatus = u.PlanStatus, u.PlanStatus
	}
	w = s.save(w, true)
	done.Revision = w.Revision
	s.event(EventWorkItemWritten, w.ID, done)
	return nil
}

// answerSource is the source of a message that is an answer.
const answerSource = "answer"

// asked is a question in its asker's words.
func (w Wait) asked() Text {
	if w.Ask.Question != "" {
		return cut(w.Ask.Question, rowObjective)
	}
	return cut(w.Reason, rowObjective)
}

// keepReply keeps an answer on its item, so that it can be told again whatever happens to the turn that took it.
func (s *step) keepReply(w WorkItem, c Answer, r Reply) (revision uint64) {
	r.By, r.Person, r.At, r.PlanAsked = s.at.Actor, s.at.Person, s.at.At, w.PlanStatus == NeedsInput
	w.Replies = append(slices.Clone(w.Replies), r)
	w.Replies = w.Replies[max(0, len(w.Replies)-maxReplies):]
	if c.PlanReady && w.PlanStatus == NeedsInput {
		w.PlanStatus = Ready
	}
	return s.save(w, true).Revision
}

// deliveredOf are an item's replies, oldest first.
func deliveredOf(f Facts, w WorkItem) []Delivered {
	var out []Delivered
	for _, r := range w.Replies {
		d := Delivered{Reply: r}
		if m, ok := f.Message(r.MessageID); r.MessageID != "" && ok {
			d.Delivery, d.TurnIndex = m.Status, m.TurnIndex
		}
		out = append(out, d)
	}
	return out
}

// question finds what an answer is for: the named wait, the agent's own question, the item's operator wait, or an item whose
// plan needs input (then without a wait).
func (s *step) question(c Answer) (Wait, error) {
	switch {
	case c.WaitID != "":
		x, err := s.namedQuestion(c.WaitID)
		if err == nil && (c.WorkItemID != "" || c.AgentID != "") {
			err = s.onlyQuestion(x, c)
		}
		if err == nil && c.AgentID != "" {
			err = s.itemAsks(x)
		}
		return x, err
	case c.AgentID != "" && c.WorkItemID == "":
		if _, ok := s.Agent(c.AgentID); !ok {
			return Wait{}, unknownAgent(c.AgentID)
		}
		for _, x := range s.ItemWaits(c.AgentID, "") {
			if x.Kind == WaitOperator {
				return x, cmp.Or(s.onlyQuestion(x, c), s.itemAsks(x))
			}
		}
		return Wait{}, Refused("agent %s asks nothing", c.AgentID).At("agent_id",
			"vise inbox lists what the agents ask; tell it something: vise say")
	}
	w, err := s.openItem(c.WorkItemID, c.SeenRevision, "answer")
	if err != nil {
		return Wait{}, err
	}
	for _, x := range s.ItemWaits(w.AgentID, w.ID) {
		if x.Kind == WaitOperator {
			return x, s.onlyQuestion(x, c)
		}
	}
	if w.PlanStatus == NeedsInput {
		return Wait{WorkItemID: w.ID, AgentID: w.AgentID}, nil
	}
	return Wait{}, Refused("work item %s asks nothing", w.Handle).At("work_item_id", "say it to the agent: vise say")
}

// namedQuestion is the operator wait that an answer names. An ended wait takes no answer, because any present question is
// another one.
func (s *step) namedQuestion(id WaitID) (Wait, error) {
	x, ok := s.Wait(id)
	switch {
	case !ok:
		return x, NotFound("unknown wait %s", Text(id)).At("wait_id", "vise inbox lists the questions")
	case x.Kind != WaitOperator:
		return x, Refused("wait %s asks nothing", x.ID).At("wait_id", "vise inbox lists the questions")
	case x.Status == WaitActive:
		return x, nil
	}
	for _, now := range s.ItemWaits(x.AgentID, x.WorkItemID) {
		if now.Kind == WaitOperator {
			return x, staleQuestion(now)
		}
	}
	return x, Refuse(CodeStale, "question %s is over: %s", x.ID, Text(Spaced(x.CancelReason))).At("wait_id",
		"nothing asks it any more; tell the agent something: vise say")
}

// onlyQuestion refuses an answer that names no question if the present question replaced one without an answer: the operator
// could have read the earlier one.
func (s *step) onlyQuestion(x Wait, c Answer) error {
	if x.Replaces == "" || c.SeenRevision != 0 || !x.asks() {
		return nil
	}
	return staleQuestion(x)
}

// itemAsks refuses an answer that names only the agent if one of its items asks something too.
func (s *step) itemAsks(own Wait) error {
	for _, r := range s.Rows(own.AgentID, WaitingForOperator, nil, 1) {
		return Refuse(CodeAmbiguous, "agent %s asked %q, and its work item %s asks too", own.AgentID, own.asked(), r.Handle).At("agent_id",
			"name what you answer: vise answer %s, or vise answer %s", own.ID, r.Handle)
	}
	return nil
}

func staleQuestion(x Wait) error {
	return Refuse(CodeStale, "the question has changed: %s asks %q", x.ID, x.asked()).At("wait_id",
		"answer it by its name: vise answer %s", x.ID)
}

// CancelWait cancels a wait: an agent's own, or an item's, which it unblocks.
type CancelWait struct {
	WaitID       WaitID `json:"wait_id"`
	SeenRevision uint64 `json:"seen_revision,omitempty"`
}

func (c CancelWait) step(s *step) error {
	x, err := s.oneWait(c.WaitID)
	if err != nil {
		return err
	}
	if x.WorkItemID != "" {
		return UpdateWorkItem{WorkItemID: x.WorkItemID, BlockedBy: Clear(), SeenRevision: c.SeenRevision}.step(s)
	}
	s.receipt.AgentID, s.receipt.WaitID = x.AgentID, x.ID
	s.cancelWaits("", []Wait{x}, "cancelled")
	return nil
}
