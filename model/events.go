package model

import (
	"encoding/json"
	"time"
)

// EventKind names an event of the journal, by its stable name.
type EventKind string

// The kinds of events.
const (
	EventAgentAdded          EventKind = "agent_added"
	EventAgentUpdated        EventKind = "agent_updated"
	EventWorkItemWritten     EventKind = "work_item_written"
	EventWorkItemPicked      EventKind = "work_item_picked"
	EventFocusReleased       EventKind = "work_item_focus_released"
	EventPlanRefreshed       EventKind = "work_item_plan_artifact_refreshed"
	EventTodosRefreshed      EventKind = "work_item_todos_refreshed"
	EventLinksChanged        EventKind = "work_item_links_changed"
	EventWaitRegistered      EventKind = "wait_condition_registered"
	EventWaitsCancelled      EventKind = "wait_conditions_cancelled"
	EventWaitTriggered       EventKind = "wait_condition_triggered"
	EventCompletionWarning   EventKind = "work_item_completion_warning"
	EventReportPromoted      EventKind = "work_item_completion_report_promoted"
	EventReportOffered       EventKind = "work_item_completion_report_offered"
	EventReportDeclined      EventKind = "work_item_completion_report_declined"
	EventBriefSuppressed     EventKind = "turn_terminal_brief_suppressed"
	EventTaskStarted         EventKind = "task_started"
	EventTaskEnded           EventKind = "task_ended"
	EventMessageQueued       EventKind = "message_queued"
	EventMessagesSent        EventKind = "messages_sent"
	EventMessagesSeen        EventKind = "messages_seen"
	EventOperatorAnswered    EventKind = "operator_answered"
	EventTurnStarted         EventKind = "turn_started"
	EventTurnEnded           EventKind = "turn_ended"
	EventRound               EventKind = "assistant_round"
	EventTickEmitted         EventKind = "system_tick_emitted"
	EventRecheckConsumed     EventKind = "work_item_recheck_consumed"
	EventStalled             EventKind = "work_item_stalled"
	EventAcknowledged        EventKind = "work_item_acknowledged"
	EventIngressMinted       EventKind = "external_trigger_created"
	EventIngressRevoked      EventKind = "external_trigger_revoked"
	EventIngressDelivered    EventKind = "callback_delivered"
	EventDelegationOpened    EventKind = "work_item_delegation_opened"
	EventDelegationCompleted EventKind = "work_item_delegation_completed"
)

// Event is one thing that a Change made happen.
type Event struct {
	Kind       EventKind
	WorkItemID ItemID
	// Data is what else the event says; it marshals to a JSON object.
	Data any
}

// Entry is an event as the journal keeps it.
type Entry struct {
	// Revision is the ledger's revision that the event came with; N its place within it.
	Revision uint64    `json:"revision"`
	N        int       `json:"n"`
	At       time.Time `json:"at"`
	AgentID  AgentID   `json:"agent_id"`
	// Seq counts the agent's events without a gap.
	Seq        uint64          `json:"seq"`
	Actor      Actor           `json:"actor"`
	Kind       EventKind       `json:"kind"`
	WorkItemID ItemID          `json:"work_item_id,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
}
