package home

import "vise/model"

// ItemResult is the answer of CreateWorkItem, UpdateWorkItem and whatever changes one item.
type ItemResult struct {
	WorkItem model.View      `json:"work_item"`
	Warnings []model.Warning `json:"warnings,omitempty"`
	// Cancelled are the waits that ended with the act.
	Cancelled []model.WaitID `json:"cancelled_wait_condition_ids,omitempty"`
	// Replayed says that the key was known: the act was done before, not now.
	Replayed bool `json:"replayed,omitempty"`
}

// CompletionResult is the answer of CompleteWorkItem, alone or in a round, and of a later report.
type CompletionResult struct {
	ItemResult
	CompletedTransition bool           `json:"completed_transition"`
	ReportPromoted      bool           `json:"completion_report_promoted,omitempty"`
	ReportSource        model.ReportOf `json:"completion_report_source,omitempty"`
}

// PickResult is the answer of PickWorkItem.
type PickResult struct {
	Previous    *model.View       `json:"previous_work_item,omitempty"`
	Current     model.View        `json:"current_work_item"`
	CurrentID   model.ItemID      `json:"current_work_item_id"`
	Transition  *model.Transition `json:"transition,omitempty"`
	BindingNote string            `json:"binding_note"`
	// Warnings are what went wrong beside the act; doors that tell warnings apart leave it empty.
	Warnings []model.Warning `json:"warnings,omitempty"`
	Replayed bool            `json:"replayed,omitempty"`
}

// bindingNote tells an agent what a pick means for the rest of its turn.
const bindingNote = "what follows in this turn belongs to the new current work item"

// WaitResult is the answer of WaitFor.
type WaitResult struct {
	// Scope is work_item or agent.
	Scope      string         `json:"scope"`
	Reason     model.Text     `json:"reason"`
	Wake       model.Wake     `json:"wake"`
	Resource   model.Text     `json:"resource,omitempty"`
	WorkItemID model.ItemID   `json:"work_item_id,omitempty"`
	Wait       model.Wait     `json:"wait_condition"`
	WorkItem   *model.View    `json:"work_item,omitempty"`
	Cancelled  []model.WaitID `json:"cancelled_wait_condition_ids,omitempty"`
	// Warnings are as in Pick.
	Warnings []model.Warning `json:"warnings,omitempty"`
	Replayed bool            `json:"replayed,omitempty"`
}

// TriggerResult is the answer of Trigger.
type TriggerResult struct {
	Triggered []model.WaitID `json:"triggered_wait_condition_ids"`
	WorkItem  *model.View    `json:"work_item,omitempty"`
	Replayed  bool           `json:"replayed,omitempty"`
}

// AgentContext is which item the agent works on.
type AgentContext struct {
	AgentID   model.AgentID `json:"agent_id"`
	CurrentID model.ItemID  `json:"current_work_item_id,omitempty"`
}

// GetResult is the answer of GetWorkItem.
type GetResult struct {
	Context  AgentContext `json:"context"`
	WorkItem model.View   `json:"work_item"`
}

// ListResult is the answer of ListWorkItems.
type ListResult struct {
	Context   AgentContext `json:"context"`
	Filter    model.Filter `json:"filter"`
	Returned  int          `json:"returned"`
	Total     int          `json:"total_matching"`
	Limit     int          `json:"limit"`
	WorkItems []model.View `json:"work_items"`
	// Cursor goes on after the last of WorkItems; empty at the end.
	Cursor string `json:"next_cursor,omitempty"`
}
