// Package reply spells what the tools answer (docs/json.md): the same structs
// are the data of the command line's JSON and the results of an agent's tools. Each is made
// from a receipt and one reading of the ledger.
package reply

import "vise/model"

// Item is the answer of CreateWorkItem, UpdateWorkItem and whatever changes one item.
type Item struct {
	WorkItem model.View      `json:"work_item"`
	Warnings []model.Warning `json:"warnings,omitempty"`
	// Cancelled are the waits that ended with the act.
	Cancelled []model.WaitID `json:"cancelled_wait_condition_ids,omitempty"`
	// Replayed says that the key was known: the act was done before, not now.
	Replayed bool `json:"replayed,omitempty"`
}

// Completion is the answer of CompleteWorkItem, alone or in a round, and of a later report.
type Completion struct {
	Item
	CompletedTransition bool           `json:"completed_transition"`
	ReportPromoted      bool           `json:"completion_report_promoted,omitempty"`
	ReportSource        model.ReportOf `json:"completion_report_source,omitempty"`
}

// Pick is the answer of PickWorkItem.
type Pick struct {
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

// Wait is the answer of WaitFor.
type Wait struct {
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

// Trigger is the answer of Trigger.
type Trigger struct {
	Triggered []model.WaitID `json:"triggered_wait_condition_ids"`
	WorkItem  *model.View    `json:"work_item,omitempty"`
	Replayed  bool           `json:"replayed,omitempty"`
}

// Context is which item the agent works on.
type Context struct {
	AgentID   model.AgentID `json:"agent_id"`
	CurrentID model.ItemID  `json:"current_work_item_id,omitempty"`
}

// Got is the answer of GetWorkItem.
type Got struct {
	Context  Context    `json:"context"`
	WorkItem model.View `json:"work_item"`
}

// List is the answer of ListWorkItems.
type List struct {
	Context   Context      `json:"context"`
	Filter    model.Filter `json:"filter"`
	Returned  int          `json:"returned"`
	Total     int          `json:"total_matching"`
	Limit     int          `json:"limit"`
	WorkItems []model.View `json:"work_items"`
	// Cursor goes on after the last of WorkItems; empty at the end.
	Cursor string `json:"next_cursor,omitempty"`
}
