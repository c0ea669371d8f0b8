package model

import "time"

// Message is input for an agent: an operator's words, a webhook's content, an answer. It
// waits until a turn takes it, and never becomes a WorkItem by itself (docs/lifecycle.md 4).
type Message struct {
	ID         MessageID     `json:"id"`
	AgentID    AgentID       `json:"agent_id"`
	WorkItemID ItemID        `json:"work_item_id,omitempty"`
	Origin     Actor         `json:"origin"`
	Source     Text          `json:"source,omitempty"`
	Priority   Priority      `json:"priority"`
	Body       Text          `json:"body"`
	Status     MessageStatus `json:"status"`
	// TurnIndex is the turn that took the message.
	TurnIndex int       `json:"turn_index,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// MessageID identifies a message.
type MessageID string

// Priority orders an agent's queued messages. Interject is the operator's alone: it may
// reach a turn that runs.
type Priority string

// The priorities, highest first.
const (
	Interject  Priority = "interject"
	Next       Priority = "next"
	Normal     Priority = "normal"
	Background Priority = "background"
)

// Priorities is their order.
var Priorities = []Priority{Interject, Next, Normal, Background}

// MessageStatus is how far a message has come.
type MessageStatus string

// The statuses of a message. Queued waits, sent was handed to a turn, done was read by it.
const (
	MessageQueued  MessageStatus = "queued"
	MessageSent    MessageStatus = "sent"
	MessageDone    MessageStatus = "processed"
	MessageDropped MessageStatus = "dropped"
)

// MaxMessage bounds a message's body, in bytes.
const MaxMessage = 64 << 10

// Reply is the operator's answer to a question of an item.
type Reply struct {
	WaitID   WaitID `json:"wait_condition_id"`
	Question Text   `json:"question,omitempty"`
	Text     Text   `json:"text"`
	// MessageID is the message that carries the reply to the agent; empty where none is known.
	MessageID MessageID `json:"message_id,omitempty"`
	By        Actor     `json:"by"`
	At        time.Time `json:"at"`
}

// Delivered is a reply and how far it has come on its way to the agent, as its message
// says: nobody claims more than that a turn took it, or that such a turn ended.
type Delivered struct {
	Reply
	// Delivery is the message's status; empty where the message is not known.
	Delivery MessageStatus `json:"delivery,omitempty"`
	// TurnIndex is the turn that took the message.
	TurnIndex int `json:"turn_index,omitempty"`
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

// maxReplies bounds the answers that an item keeps; the journal has all.
const maxReplies = 20
