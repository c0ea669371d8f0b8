package model

import "cmp"

// wake triggers waits and, where a wait asks for the content, hands it to the agent as a
// message. A wait of the agent's own has no item to review, so its news is a message too.
func (s *step) wake(waits []Wait, p Provenance) {
	s.trigger(waits, p)
	for _, x := range waits {
		if x.Deliver != DeliverEnqueueMessage && x.WorkItemID != "" {
			continue
		}
		a, ok := s.Agent(x.AgentID)
		if !ok {
			continue
		}
		s.queue(a, Message{WorkItemID: x.WorkItemID, Source: cmp.Or(p.Source, Text(x.Kind)), Priority: Normal,
			Body: cmp.Or(trimmed(p.Payload), x.Reason)})
	}
}

// queue keeps a message for the agent's next turn. Its body has been checked; it gets an id
// unless it has one.
func (s *step) queue(a Agent, m Message) {
	if m.ID == "" {
		m.ID = MessageID(s.newID("ms-"))
	}
	m.AgentID, m.Origin, m.Status = a.ID, s.at.Actor, MessageQueued
	m.CreatedAt, m.UpdatedAt = s.at.At, s.at.At
	s.put(m)
	a.QueuedInput++
	a.UpdatedAt = s.at.At
	s.put(a)
	s.receipt.Messages = append(s.receipt.Messages, m.ID)
	s.event(EventMessageQueued, m.WorkItemID, MessageNews{MessageID: m.ID, Priority: m.Priority, Source: m.Source, Text: cut(m.Body, previewReport)})
}
