package model

import (
	"slices"
	"time"
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
	s.event(EventMessagesSent, "", HandedNews{s.receipt.Messages})
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
	s.event(EventMessagesSeen, "", HandedNews{s.receipt.Messages})
	return nil
}

func (s *step) mark(m Message, status MessageStatus) {
	m.Status, m.UpdatedAt = status, s.at.At
	s.put(m)
}
