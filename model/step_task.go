package model

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"
)

func (c StartTask) step(s *step) error {
	t := Task{WorkItemID: c.WorkItemID, Status: TaskRunning, Blocking: c.Blocking, CreatedAt: s.at.At, UpdatedAt: s.at.At}
	var err error
	if t.Summary, err = required("summary", c.Summary, MaxReason); err != nil {
		return err
	}
	if t.Run, err = c.Run.checked(); err != nil {
		return err
	}
	if t.AgentID, err = s.agentOfTask(c.WorkItemID); err != nil {
		return err
	}
	t.ID = TaskID(s.newID("tk-"))
	s.put(t)
	s.receipt.AgentID, s.receipt.TaskID = t.AgentID, t.ID
	s.event(EventTaskStarted, t.WorkItemID, TaskNews{TaskID: t.ID, Status: t.Status, Summary: t.Summary, Blocking: t.Blocking,
		Command: t.Run.Command, GitHead: t.Run.GitHead})
	return nil
}

func (s *step) agentOfTask(id ItemID) (AgentID, error) {
	if id != "" {
		w, err := s.openItem(id, 0, "run a task for")
		return w.AgentID, err
	}
	a, err := s.agent(s.actingAgent())
	return a.ID, err
}

func (c EndTask) step(s *step) error {
	t, ok := s.Task(c.TaskID)
	if !ok {
		return NotFound("unknown task %s", Text(c.TaskID)).At("task_id", "see what runs: vise status")
	}
	if caller, isAgent := s.at.Actor.Agent(); isAgent && caller != t.AgentID {
		return Refuse(CodeNotOwner, "task %s belongs to agent %s", t.ID, t.AgentID).At("task_id")
	}
	if err := oneOf("status", c.Status, TaskCompleted, TaskFailed, TaskCancelled, TaskInterrupted); err != nil {
		return err
	}
	s.receipt.AgentID, s.receipt.WorkItemID, s.receipt.TaskID = t.AgentID, t.WorkItemID, t.ID
	if t.Status != TaskRunning {
		return nil
	}
	result, err := optional("result", c.Result, MaxReport)
	if err != nil {
		return err
	}
	if c.End != nil && len(c.End.Tail) > MaxTail {
		return Invalid("the tail has %d bytes, at most %d are kept", len(c.End.Tail), MaxTail).At("tail",
			"keep its end")
	}
	t.Status, t.Result, t.End, t.UpdatedAt = c.Status, result, c.End, s.at.At
	s.put(t)
	s.event(EventTaskEnded, t.WorkItemID, taskEnded(t))
	p := s.from("task", cut(t.Result, previewReport))
	s.wake(s.WaitsOn(t.AgentID, WaitTask, Text(t.ID)), p)
	return nil
}

func taskEnded(t Task) TaskNews {
	n := TaskNews{TaskID: t.ID, Status: t.Status, Summary: t.Summary, Blocking: t.Blocking, Result: cut(t.Result, previewReport)}
	if t.End != nil {
		n.ExitCode, n.Signal, n.DurationMS = &t.End.ExitCode, t.End.Signal, t.End.DurationMS
	}
	return n
}

func (c Say) step(s *step) error {
	a, ok := s.Agent(c.AgentID)
	if !ok {
		return unknownAgent(c.AgentID)
	}
	c.Priority = cmp.Or(c.Priority, Normal)
	if err := oneOf("priority", c.Priority, Priorities...); err != nil {
		return err
	}
	if c.Priority == Interject {
		if err := s.may(onlyInterject); err != nil {
			return err
		}
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

// say checks and queues a message. It wakes a sleeping agent and does not move the focus.
func (s *step) say(a Agent, m Message) error {
	var err error
	if m.Body, err = messageBody(m.Body); err != nil {
		return err
	}
	s.receipt.AgentID, s.receipt.WorkItemID = a.ID, m.WorkItemID
	s.queue(a, m)
	return nil
}

func messageBody(t Text) (Text, error) {
	if t = trimmed(t); t == "" {
		return t, Invalid("text must not be empty").At("text", "say something")
	}
	if len(t) > MaxMessage || !utf8.ValidString(string(t)) {
		return t, Invalid("text must be UTF-8 of at most %d bytes", MaxMessage).At("text",
			"put the rest in a file and name it")
	}
	return t, nil
}

func unknownAgent(id AgentID) *Error {
	return NotFound("unknown agent %s", Text(id)).At("agent_id", "list them: vise agents")
}

const (
	// maxHanded bounds the messages that are handed at once, and those that can be on their way.
	maxHanded = 20
	// maxLooked bounds the queued messages among which those to hand are searched.
	maxLooked = 100
)

// handedNews is the data of messages_sent, messages_seen and messages_requeued.
type handedNews struct {
	Messages []MessageID `json:"message_ids"`
}

// step hands the queued messages to a program that runs without a turn. While a turn runs, only the turn takes messages.
func (c HandMessages) step(s *step) error {
	a, err := s.agentFor(c.AgentID, "run turns of")
	if err != nil || a.Turn.Runs(s.at.At) {
		return err
	}
	limit := maxHanded - len(a.Handed)
	if c.Limit > 0 {
		limit = min(limit, c.Limit)
	}
	for _, m := range s.QueuedMessages(a.ID, max(limit, maxLooked)) {
		if len(s.receipt.Messages) >= limit {
			break
		}
		if slices.Contains(c.Except, m.WorkItemID) {
			continue
		}
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

// readingTime is how long a sent message counts as unread. The calls of one reply come within it, and a model that reads the
// message takes longer before it acts.
const readingTime = 2 * time.Second

// step takes an act of the agent as proof that it read the messages that it was handed earlier. It cannot have read those that
// it was handed just now.
func (c SeeMessages) step(s *step) error {
	a, err := s.agentFor(c.AgentID, "run turns of")
	if err != nil || len(a.Handed) == 0 {
		return err
	}
	var unread, lost []MessageID
	for _, id := range a.Handed {
		m, ok := s.Message(id)
		switch {
		case ok && m.Status == MessageSent && c.Lost:
			s.mark(m, MessageQueued)
			a.QueuedInput++
			lost = append(lost, id)
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
	if c.Lost {
		s.event(EventMessagesRequeued, "", handedNews{lost})
		return nil
	}
	s.event(EventMessagesSeen, "", handedNews{s.receipt.Messages})
	return nil
}

func (s *step) mark(m Message, status MessageStatus) {
	m.Status, m.UpdatedAt = status, s.at.At
	s.put(m)
}
