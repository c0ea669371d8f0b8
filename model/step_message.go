package model

import (
	"slices"
	"time"
	"unicode/utf8"
)

func (c Say) step(s *step) error {
	a, ok := s.Agent(c.AgentID)
	if !ok {
		return unknownAgent(c.AgentID)
	}
	if c.Priority == "" {
		c.Priority = Normal
	}
	if !slices.Contains(Priorities, c.Priority) {
		return Refuse(CodeInvalid, "unknown priority %q", Text(c.Priority)).At("priority").
			WithHint("use interject, next, normal or background")
	}
	if c.Priority == Interject && s.at.Actor != Operator {
		return Refuse(CodeRefused, "only the operator may interject").At("priority").WithHint("use priority next")
	}
	if c.WorkItemID != "" {
		if w, ok := s.Item(c.WorkItemID); !ok || w.AgentID != a.ID {
			return notFound(c.WorkItemID)
		}
	}
	source, err := optional("source", c.Source, MaxWaitText)
	if err != nil {
		return err
	}
	return s.say(a, Message{WorkItemID: c.WorkItemID, Source: source, Priority: c.Priority, Body: c.Text})
}

// say checks and queues a message. It wakes an agent that sleeps and leaves the focus alone.
func (s *step) say(a Agent, m Message) error {
	if m.Body = trimmed(m.Body); m.Body == "" {
		return Refuse(CodeInvalid, "text must not be empty").At("text").WithHint("say something")
	}
	if len(m.Body) > MaxMessage || !utf8.ValidString(string(m.Body)) {
		return Refuse(CodeInvalid, "text must be UTF-8 of at most %d bytes", MaxMessage).At("text").
			WithHint("put the rest in a file and name it")
	}
	s.receipt.AgentID, s.receipt.WorkItemID = a.ID, m.WorkItemID
	s.queue(a, m)
	return nil
}

func unknownAgent(id AgentID) *Error {
	return Refuse(CodeNotFound, "unknown agent %s", Text(id)).At("agent_id").WithHint("list them: vise agents")
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
	w, err := s.open(x.WorkItemID, c.SeenRevision, "answer")
	if err != nil {
		return err
	}
	m := Message{ID: MessageID(s.newID("ms-")), WorkItemID: w.ID, Source: "answer", Priority: Next, Body: text}
	w.Replies = append(slices.Clone(w.Replies), Reply{WaitID: x.ID, Question: x.Ask.Question, Text: text, MessageID: m.ID,
		By: s.at.Actor, At: s.at.At})
	w.Replies = w.Replies[max(0, len(w.Replies)-maxReplies):]
	if c.PlanReady && w.PlanStatus == NeedsInput {
		w.PlanStatus = Ready
	}
	w = s.save(w, true)
	s.event(EventOperatorAnswered, w.ID, Answered{WaitID: x.ID, Text: cut(text, previewReport), PlanReady: c.PlanReady,
		Revision: w.Revision})
	if x.ID != "" {
		s.trigger([]Wait{x}, Provenance{Actor: s.at.Actor, Source: "answer", Payload: text})
	}
	a, _ := s.Agent(w.AgentID)
	return s.say(a, m)
}

// question finds what an answer answers: the wait named, the item's operator wait, or an
// item whose plan needs input (then without a wait).
func (s *step) question(c Answer) (Wait, error) {
	if c.WaitID != "" {
		x, err := s.oneWait(c.WaitID)
		if err != nil {
			return Wait{}, err
		}
		if x[0].Kind != WaitOperator || x[0].WorkItemID == "" {
			return Wait{}, Refuse(CodeRefused, "wait %s asks nothing", x[0].ID).At("wait_id").WithHint("vise show ID lists an item's waits")
		}
		return x[0], nil
	}
	w, err := s.open(c.WorkItemID, c.SeenRevision, "answer")
	if err != nil {
		return Wait{}, err
	}
	for _, x := range s.ItemWaits(w.AgentID, w.ID) {
		if x.Kind == WaitOperator {
			return x, nil
		}
	}
	if w.PlanStatus == NeedsInput {
		return Wait{WorkItemID: w.ID}, nil
	}
	return Wait{}, Refuse(CodeRefused, "work item %s asks nothing", w.Handle).At("work_item_id").WithHint("say it to the agent: vise say")
}

// maxHanded bounds the messages that are handed at once, and how many may be on their way.
const maxHanded = 20

// handedNews is the data of messages_sent and messages_seen.
type handedNews struct {
	Messages []MessageID `json:"message_ids"`
}

// step hands the queued messages to a program that runs without a turn of ours. While a
// turn runs, they are the turn's.
func (c HandMessages) step(s *step) error {
	a, err := s.agentForTurn(c.AgentID)
	if err != nil || a.Turn.Runs(s.at.At) {
		return err
	}
	room := maxHanded - len(a.Handed)
	if c.Limit > 0 {
		room = min(room, c.Limit)
	}
	for _, m := range s.QueuedMessages(a.ID, room) {
		s.mark(m, MessageSent)
		s.receipt.Messages = append(s.receipt.Messages, m.ID)
		a.QueuedInput--
	}
	if len(s.receipt.Messages) == 0 {
		return nil
	}
	a.Handed, a.UpdatedAt = append(slices.Clone(a.Handed), s.receipt.Messages...), s.at.At
	s.put(a)
	s.event(EventMessagesSent, "", handedNews{s.receipt.Messages})
	return nil
}

// readingTime is how long after it was sent a message counts as unread: the calls of one
// reply come within it, and a model that reads takes longer to act.
const readingTime = 2 * time.Second

// step takes an act of the agent for the proof that it read what it was handed before. What
// it was handed just now it cannot have read.
func (c SeeMessages) step(s *step) error {
	a, err := s.agentForTurn(c.AgentID)
	if err != nil || len(a.Handed) == 0 {
		return err
	}
	var unread []MessageID
	for _, id := range a.Handed {
		m, ok := s.Message(id)
		switch {
		case ok && m.Status == MessageSent && s.at.At.Sub(m.UpdatedAt) < readingTime:
			unread = append(unread, id)
		case ok && m.Status == MessageSent:
			s.mark(m, MessageDone)
			s.receipt.Messages = append(s.receipt.Messages, id)
		}
	}
	if len(unread) == len(a.Handed) {
		return nil
	}
	a.Handed, a.UpdatedAt = unread, s.at.At
	s.put(a)
	s.event(EventMessagesSeen, "", handedNews{s.receipt.Messages})
	return nil
}

func (s *step) mark(m Message, status MessageStatus) {
	m.Status, m.UpdatedAt = status, s.at.At
	s.put(m)
}
