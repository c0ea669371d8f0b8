package model

import (
	"slices"
)

// maxHanded bounds the messages that are handed at once, and how many may be on their way.
const maxHanded = 20

// HandedNews is the data of messages_sent and messages_seen.
type HandedNews struct {
	Messages []MessageID `json:"message_ids"`
}

// step hands the queued messages to a program that runs without a turn of ours. While a
// turn runs, they are the turn's.
func (c HandMessages) step(s *step) error {
	a, err := s.agentForTurn(c.AgentID)
	if err != nil || a.Turn.Runs(s.at.At) {
		return err
	}
	for _, m := range s.QueuedMessages(a.ID, maxHanded-len(a.Handed)) {
		s.mark(m, MessageSent)
		s.receipt.Messages = append(s.receipt.Messages, m.ID)
		a.QueuedInput--
	}
	if len(s.receipt.Messages) == 0 {
		return nil
	}
	a.Handed, a.UpdatedAt = append(slices.Clone(a.Handed), s.receipt.Messages...), s.at.At
	s.put(a)
	s.event(EventMessagesSent, "", HandedNews{s.receipt.Messages})
	return nil
}

// step takes an act of the agent for the proof that it read what it was handed before.
func (c SeeMessages) step(s *step) error {
	a, err := s.agentForTurn(c.AgentID)
	if err != nil || len(a.Handed) == 0 {
		return err
	}
	for _, id := range a.Handed {
		if m, ok := s.Message(id); ok && m.Status == MessageSent {
			s.mark(m, MessageDone)
			s.receipt.Messages = append(s.receipt.Messages, id)
		}
	}
	a.Handed, a.UpdatedAt = nil, s.at.At
	s.put(a)
	s.event(EventMessagesSeen, "", HandedNews{s.receipt.Messages})
	return nil
}

func (s *step) mark(m Message, status MessageStatus) {
	m.Status, m.UpdatedAt = status, s.at.At
	s.put(m)
}
