package model

import "time"

// Command is a change that somebody wants, judged once by Step. The structs are plain data with JSON tags: the
// same struct is an MCP tool's input and a CLI verb's target.
type Command interface {
	// Name is the command's name on every surface: "PickWorkItem".
	Name() string
	step(*step) error
}

// Envelope is a command on its way to the ledger.
type Envelope struct {
	// Key makes a retry safe: a command whose key the ledger knows is answered, not repeated.
	Key   string
	Actor Actor
	// Agent is whose partition the command is for. Empty: the owner of the item it names.
	Agent   AgentID
	Command Command
}

// Stamp carries the only facts from outside that a command is judged with.
type Stamp struct {
	At time.Time
	// NewID is a fresh ULID in lower case; every id the command needs is built on it.
	NewID string
	Actor Actor
	Agent AgentID
}

// CreateWorkItem makes an open WorkItem with its plan file. It does not move focus.
type CreateWorkItem struct {
	Objective  Text       `json:"objective"`
	PlanStatus PlanStatus `json:"plan_status,omitempty"`
	// Plan seeds plan.md; an existing file wins.
	Plan     Text         `json:"plan,omitempty"`
	TodoList []Todo       `json:"todo_list,omitempty"`
	Priority ItemPriority `json:"priority,omitempty"`
}

// UpdateWorkItem changes what is given and leaves the rest.
type UpdateWorkItem struct {
	WorkItemID ItemID      `json:"work_item_id"`
	Objective  *Text       `json:"objective,omitempty"`
	PlanStatus *PlanStatus `json:"plan_status,omitempty"`
	// TodoList replaces the whole checklist.
	TodoList *[]Todo       `json:"todo_list,omitempty"`
	Priority *ItemPriority `json:"priority,omitempty"`
	// BlockedBy sets the blocker with text, clears it with null; "" is an error.
	BlockedBy Clearable `json:"blocked_by,omitzero"`
	// RecheckAfterMS is when the blocker, set here or before, is due for a second look.
	RecheckAfterMS *int64 `json:"recheck_after_ms,omitempty"`
	SeenRevision   uint64 `json:"seen_revision,omitempty"`
}

// PickWorkItem makes an open WorkItem the agent's focus. Picking a blocked one is for
// inspection: its blocker stays unless ClearBlocker, which needs a reason.
type PickWorkItem struct {
	WorkItemID   ItemID `json:"work_item_id"`
	Reason       Text   `json:"reason,omitempty"`
	ClearBlocker bool   `json:"clear_blocker,omitempty"`
	SeenRevision uint64 `json:"seen_revision,omitempty"`
}

// CompleteWorkItem completes an item, for good. Its report is the text of the Round it
// comes in, or given later by ReportWorkItem.
type CompleteWorkItem struct {
	WorkItemID ItemID `json:"work_item_id"`
	// Force lets an operator complete past running blocking work.
	Force bool `json:"force,omitempty"`
	// LinkedTodos say what becomes of open linked file todos, by qualified id. The journal
	// keeps them; store/home carries them out.
	LinkedTodos  map[string]Text `json:"linked_todos,omitempty"`
	SeenRevision uint64          `json:"seen_revision,omitempty"`
}

// WaitFor parks an item (the focus, unless named) until something happens, and replaces
// its earlier waits. Without an item the wait is the agent's own.
type WaitFor struct {
	Reason     Text   `json:"reason"`
	Wake       Wake   `json:"wake"`
	Resource   Text   `json:"resource,omitempty"`
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	Source     Text   `json:"source,omitempty"`
	Condition  Text   `json:"condition,omitempty"`
	Question   Text   `json:"question,omitempty"`
	Choices    []Text `json:"choices,omitempty"`
	// WakeAt is a timer's instant; without it Resource holds it in RFC 3339, or a while from now.
	WakeAt         time.Time `json:"wake_at,omitzero"`
	RecheckAfterMS *int64    `json:"recheck_after_ms,omitempty"`
	Deliver        Deliver   `json:"deliver,omitempty"`
	SeenRevision   uint64    `json:"seen_revision,omitempty"`
}

// Trigger tells waits that something happened: one wait by id, or the active waits of an
// item, or the agent's waits on a resource. It never unblocks and never moves focus.
type Trigger struct {
	WaitID     WaitID `json:"wait_id,omitempty"`
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	Wake       Wake   `json:"wake,omitempty"`
	Resource   Text   `json:"resource,omitempty"`
	Source     Text   `json:"source,omitempty"`
	Payload    Text   `json:"payload,omitempty"`
}

// RefreshPlan records what the plan file of an item is like now.
type RefreshPlan struct {
	WorkItemID ItemID       `json:"work_item_id"`
	Plan       PlanArtifact `json:"plan_artifact"`
}

// RefreshTodos records what the file todos that rows of an item's todo list speak of are
// like now: the state of such a row is derived, never typed twice.
type RefreshTodos struct {
	WorkItemID ItemID    `json:"work_item_id"`
	Rows       []TodoRow `json:"rows"`
}

// TodoRow is a row of a todo list with the state that was derived for it.
type TodoRow struct {
	// At is the row's place in the list, from 0; the row counts only if it still says Text.
	At    int       `json:"at"`
	Text  Text      `json:"text"`
	State TodoState `json:"state"`
}

// Round is one reply of an agent: what it said and what it called. Its text becomes the
// completion report under the rules of docs/lifecycle.md 9.
type Round struct {
	Text  Text   `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
	// Tools name the tools of others that the reply called, for the trace.
	Tools []Text `json:"tools,omitempty"`
	// WorkItemID names the item that the text is about: one that the round completes, or that was
	// completed before without a report, has it as its report. Without it only the focus counts.
	WorkItemID ItemID   `json:"work_item_id,omitempty"`
	Provenance ReportOf `json:"provenance,omitempty"`
	// Refused says why the round's calls were not carried out; it has none then.
	Refused Text `json:"refused,omitempty"`
	// Done are items that the round completed already, through its tools, in this turn.
	Done []ItemID `json:"done,omitempty"`
	// Turn is the turn that the round belongs to: it is traced there, and refused when the
	// turn is over. Zero: no turn.
	Turn int `json:"turn,omitempty"`
}

// ReportWorkItem gives a completed item the report it has not got yet.
type ReportWorkItem struct {
	WorkItemID ItemID   `json:"work_item_id"`
	Text       Text     `json:"text"`
	Provenance ReportOf `json:"provenance,omitempty"`
}

// OfferReport brings words that were read apart from a completion, by a hook or a wrapped run.
// Words of the completing round, if it completed one item and that was the focus, become
// its report; all others are kept, for the operator to choose.
type OfferReport struct {
	// WorkItemIDs are all items that the round completed.
	WorkItemIDs []ItemID `json:"work_item_ids"`
	Text        Text     `json:"text,omitempty"`
	Provenance  ReportOf `json:"provenance,omitempty"`
}

// DeclineReport says that none of the reports that are offered for an item is its report.
type DeclineReport struct {
	WorkItemID ItemID `json:"work_item_id"`
}

// AddAgent makes an agent known before it has work. Adding it twice changes nothing.
type AddAgent struct {
	AgentID AgentID `json:"agent_id"`
}

// StartTask records that a task runs, for an item or for the agent.
type StartTask struct {
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	Summary    Text   `json:"summary"`
	Blocking   bool   `json:"blocking,omitempty"`
	// Run is how it was started; zero for a task that vise does not supervise.
	Run TaskRun `json:"run,omitzero"`
}

// EndTask records how a task ended and triggers the waits on it. Ending it twice changes
// nothing.
type EndTask struct {
	TaskID TaskID     `json:"task_id"`
	Status TaskStatus `json:"status"`
	// Result is for the agent: what came out, or why it ended.
	Result Text `json:"result,omitempty"`
	// End is how a supervised command ended.
	End *TaskEnd `json:"end,omitempty"`
}

// SpawnAgent makes an agent that works for the one that asks: it is run by that agent's program
// unless the operator gives it one of its own. With words for it, they are its first message, and the first
// work item that it makes serves the item named, else the focus, through a delegation.
type SpawnAgent struct {
	// AgentID is the new agent; empty: the parent's name with a number.
	AgentID        AgentID `json:"agent_id,omitempty"`
	InitialMessage Text    `json:"initial_message,omitempty"`
	WorkItemID     ItemID  `json:"work_item_id,omitempty"`
}

// OpenDelegation ties a child agent's item to one of this agent's: one that is there, or a
// new one made for To with Objective, in the same change.
type OpenDelegation struct {
	WorkItemID      ItemID  `json:"work_item_id"`
	ChildWorkItemID ItemID  `json:"child_work_item_id,omitempty"`
	To              AgentID `json:"to,omitempty"`
	Objective       Text    `json:"objective,omitempty"`
	Plan            Text    `json:"plan,omitempty"`
	Blocking        bool    `json:"blocking,omitempty"`
}

// CancelDelegation ends a delegation of one of this agent's items. The child's item stays as it
// is; waits on the delegation are triggered.
type CancelDelegation struct {
	DelegationID DelegationID `json:"delegation_id"`
	Reason       Text         `json:"reason,omitempty"`
}

// Say queues words for an agent. Only the operator may interject.
type Say struct {
	AgentID    AgentID  `json:"agent_id"`
	Text       Text     `json:"text"`
	Priority   Priority `json:"priority,omitempty"`
	WorkItemID ItemID   `json:"work_item_id,omitempty"`
	Source     Text     `json:"source,omitempty"`
}

// HandMessages hands the agent's queued messages to a program that runs without a turn, as
// its hooks can. They are sent then, not seen; the receipt names them.
type HandMessages struct {
	AgentID AgentID `json:"agent_id"`
	// Limit is how many fit; zero: as many as may be on their way.
	Limit int `json:"limit,omitempty"`
	// Except are items whose messages stay queued: other sessions of the agent hold them. An empty one stands for
	// the messages about no item.
	Except []ItemID `json:"except,omitempty"`
}

// SeeMessages says that the agent acted after it was handed messages: it has read them.
type SeeMessages struct {
	AgentID AgentID `json:"agent_id"`
}

// Answer gives the operator's reply to a question: it triggers the wait and stays in the
// item. The agent decides what to do with it. WaitID names the question that was read; with an item
// or an agent alone it is what is asked now, if only that can be meant; with both, what was asked when the answer was
// begun (docs/lifecycle.md 19).
type Answer struct {
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	WaitID     WaitID `json:"wait_id,omitempty"`
	// AgentID names the agent whose own question is meant, one without a work item.
	AgentID AgentID `json:"agent_id,omitempty"`
	Text    Text    `json:"text"`
	// PlanReady also sets a plan that needed input to ready.
	PlanReady    bool   `json:"plan_ready,omitempty"`
	SeenRevision uint64 `json:"seen_revision,omitempty"`
}

// ClaimTurn starts a turn for an agent, if none runs. The receipt says which messages it
// took. A turn whose lease ran out is ended first, and said to be interrupted.
type ClaimTurn struct {
	AgentID AgentID `json:"agent_id"`
	Holder  Text    `json:"holder"`
	// TTLMS is the lease's length in milliseconds; zero is DefaultLease.
	TTLMS int64 `json:"ttl_ms,omitempty"`
	// Tick is the key of the tick that the turn answers.
	Tick string `json:"tick,omitempty"`
}

// BeatTurn extends the lease of a turn that runs.
type BeatTurn struct {
	AgentID AgentID `json:"agent_id"`
	Turn    int     `json:"turn"`
	TTLMS   int64   `json:"ttl_ms,omitempty"`
}

// EndTurn ends a turn and says how.
type EndTurn struct {
	AgentID AgentID     `json:"agent_id"`
	Turn    int         `json:"turn"`
	Outcome TurnOutcome `json:"outcome"`
	Reason  Text        `json:"reason,omitempty"`
	// Code names what went wrong with the agent's program; empty when nothing did.
	Code TurnCode `json:"code,omitempty"`
	// Final is the turn's last text. It becomes the turn's brief unless a report was promoted.
	Final Text `json:"final,omitempty"`
	// Until is when a usage limit of the program is over that ended the turn.
	Until time.Time `json:"until,omitzero"`
	// Commit is what is checked out since the turn; empty if that did not change.
	Commit string `json:"commit,omitempty"`
	// Usage is what the program says that the turn has used.
	Usage
}

// Tick lets the scheduler look at one agent: sweep a lease that ran out, fire what is due,
// and offer at most one candidate. At the same instant a second Tick changes nothing.
type Tick struct {
	AgentID AgentID `json:"agent_id"`
}

// MintIngress makes a capability by which the outside tells what the external waits of an item,
// or of an agent, are for. Only the hash of its token is known here.
type MintIngress struct {
	// AgentID or WorkItemID is whose capability it is, WaitID short for what a wait belongs to.
	AgentID    AgentID `json:"agent_id,omitempty"`
	WorkItemID ItemID  `json:"work_item_id,omitempty"`
	WaitID     WaitID  `json:"wait_id,omitempty"`
	// Resource is what the capability tells of; an item's is what it waits for, unless named.
	Resource Text `json:"resource,omitempty"`
	// Renews is a capability that this one stands for from now on.
	Renews    IngressID `json:"renews,omitempty"`
	TokenHash string    `json:"token_hash"`
	// Signing is how senders sign, with Secret; both empty for those that do not.
	Signing Signing `json:"signing,omitempty"`
	Secret  string  `json:"secret,omitempty"`
	Deliver Deliver `json:"deliver,omitempty"`
}

// RevokeIngress ends a capability.
type RevokeIngress struct {
	IngressID IngressID `json:"ingress_id"`
}

// DeliverIngress brings what came in through a capability.
type DeliverIngress struct {
	IngressID IngressID `json:"ingress_id"`
	Payload   Text      `json:"payload,omitempty"`
	Source    Text      `json:"source,omitempty"`
}

// Import takes over the records of another ledger for one agent, all or nothing. Records
// whose id the ledger knows are left alone.
type Import struct {
	AgentID AgentID    `json:"agent_id"`
	Focus   ItemID     `json:"current_work_item_id,omitempty"`
	Items   []Imported `json:"items"`
	Waits   []Wait     `json:"waits,omitempty"`
	Tasks   []Task     `json:"tasks,omitempty"`
	// Messages wait for the agent's next turn.
	Messages []Message `json:"messages,omitempty"`
}

// Imported is a WorkItem of another ledger with its plan's text.
type Imported struct {
	Item WorkItem `json:"item"`
	Plan Text     `json:"plan,omitempty"`
}

// Name is part of Command.
func (CreateWorkItem) Name() string   { return "CreateWorkItem" }
func (UpdateWorkItem) Name() string   { return "UpdateWorkItem" }
func (PickWorkItem) Name() string     { return "PickWorkItem" }
func (CompleteWorkItem) Name() string { return "CompleteWorkItem" }
func (WaitFor) Name() string          { return "WaitFor" }
func (Trigger) Name() string          { return "Trigger" }
func (RefreshPlan) Name() string      { return "RefreshPlan" }
func (RefreshTodos) Name() string     { return "RefreshTodos" }
func (Round) Name() string            { return "Round" }
func (ReportWorkItem) Name() string   { return "ReportWorkItem" }
func (OfferReport) Name() string      { return "OfferReport" }
func (DeclineReport) Name() string    { return "DeclineReport" }
func (AddAgent) Name() string         { return "AddAgent" }
func (UpdateAgent) Name() string      { return "UpdateAgent" }
func (StartTask) Name() string        { return "StartTask" }
func (EndTask) Name() string          { return "EndTask" }
func (SpawnAgent) Name() string       { return "SpawnAgent" }
func (OpenDelegation) Name() string   { return "OpenDelegation" }
func (CancelDelegation) Name() string { return "CancelDelegation" }
func (Import) Name() string           { return "Import" }

// Name is part of Command.
func (Say) Name() string            { return "Say" }
func (HandMessages) Name() string   { return "HandMessages" }
func (SeeMessages) Name() string    { return "SeeMessages" }
func (Answer) Name() string         { return "Answer" }
func (ClaimTurn) Name() string      { return "ClaimTurn" }
func (BeatTurn) Name() string       { return "BeatTurn" }
func (EndTurn) Name() string        { return "EndTurn" }
func (Tick) Name() string           { return "Tick" }
func (MintIngress) Name() string    { return "MintIngress" }
func (RevokeIngress) Name() string  { return "RevokeIngress" }
func (DeliverIngress) Name() string { return "DeliverIngress" }
