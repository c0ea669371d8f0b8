package model

import (
	"reflect"
	"time"
)

// Command is a change that somebody asks for; Step judges it once. The structs are plain data with JSON tags: the same struct
// is an MCP tool's input and a CLI command's target.
type Command interface {
	step(*step) error
}

// CommandName is a command's name on every surface: "PickWorkItem".
func CommandName(c Command) string { return reflect.TypeOf(c).Name() }

// Envelope is a command on its way to the ledger.
type Envelope struct {
	// Key makes a retry safe: for a key that it knows, the ledger returns the earlier receipt and does nothing.
	Key   string
	Actor Actor
	// Agent names the partition that the command is for. Empty: that of the owner of the named item.
	Agent   AgentID
	Command Command
	// Request is what was asked for, if Command is made of it and of the ledger's contents, so that a retry can make another command.
	// A key then answers this request alone; without it, it answers Command alone.
	Request string
}

// Stamp carries the only facts from outside with which Step judges a command.
type Stamp struct {
	At time.Time
	// NewID is a fresh ULID in lower case; the command builds every id that it needs on it.
	NewID string
	Actor Actor
	// Person is who the operator is: a name that the cluster or the system proves. Empty for every other actor, and if it is not known.
	Person Text
	Agent  AgentID
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

// UpdateWorkItem changes the given fields and leaves the others.
type UpdateWorkItem struct {
	WorkItemID ItemID      `json:"work_item_id"`
	Objective  *Text       `json:"objective,omitempty"`
	PlanStatus *PlanStatus `json:"plan_status,omitempty"`
	// TodoList replaces the whole checklist.
	TodoList *[]Todo       `json:"todo_list,omitempty"`
	Priority *ItemPriority `json:"priority,omitempty"`
	// BlockedBy: text sets the blocker, null clears it, "" is an error.
	BlockedBy Clearable `json:"blocked_by,omitzero"`
	// RecheckAfterMS says when the blocker, set here or before, is due for a second look.
	RecheckAfterMS *int64 `json:"recheck_after_ms,omitempty"`
	SeenRevision   uint64 `json:"seen_revision,omitempty"`
}

// PickWorkItem makes an open WorkItem the agent's focus. A blocked item is picked for inspection: its blocker stays, unless
// ClearBlocker is set. ClearBlocker needs a reason.
type PickWorkItem struct {
	WorkItemID   ItemID `json:"work_item_id"`
	Reason       Text   `json:"reason,omitempty"`
	ClearBlocker bool   `json:"clear_blocker,omitempty"`
	SeenRevision uint64 `json:"seen_revision,omitempty"`
}

// CompleteWorkItem completes an item; that is final. The item's report is the text of the Round that holds the command, or a
// later ReportWorkItem gives it.
type CompleteWorkItem struct {
	WorkItemID ItemID `json:"work_item_id"`
	// Force lets the operator complete an item despite its running blocking work.
	Force bool `json:"force,omitempty"`
	// LinkedTodos say what happens to open linked file todos, by qualified id. The journal keeps them; store/home carries them
	// out.
	LinkedTodos  map[string]Text `json:"linked_todos,omitempty"`
	SeenRevision uint64          `json:"seen_revision,omitempty"`
}

// WaitFor parks an item (without a name, the focus) until something happens, and replaces its earlier waits. Without an item
// and a focus, or if it is OfAgent, the wait is the agent's own.
type WaitFor struct {
	Reason     Text   `json:"reason"`
	Wake       Wake   `json:"wake"`
	Resource   Text   `json:"resource,omitempty"`
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	Source     Text   `json:"source,omitempty"`
	Condition  Text   `json:"condition,omitempty"`
	Question   Text   `json:"question,omitempty"`
	Choices    []Text `json:"choices,omitempty"`
	OfAgent    bool   `json:"of_agent,omitempty"`
	// WakeAt is a timer's instant. Without it, Resource holds the instant in RFC 3339 or a time span from now.
	WakeAt         time.Time `json:"wake_at,omitzero"`
	RecheckAfterMS *int64    `json:"recheck_after_ms,omitempty"`
	Deliver        Deliver   `json:"deliver,omitempty"`
	SeenRevision   uint64    `json:"seen_revision,omitempty"`
}

// Trigger tells waits that something happened: one wait by id, the active waits of an item, or the agent's waits on a resource.
// It never unblocks an item and never moves the focus.
type Trigger struct {
	WaitID     WaitID `json:"wait_id,omitempty"`
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	Wake       Wake   `json:"wake,omitempty"`
	Resource   Text   `json:"resource,omitempty"`
	Source     Text   `json:"source,omitempty"`
	Payload    Text   `json:"payload,omitempty"`
}

// RefreshPlan records the present state of an item's plan file.
type RefreshPlan struct {
	WorkItemID ItemID       `json:"work_item_id"`
	Plan       PlanArtifact `json:"plan_artifact"`
}

// RefreshTodos records the present states of the file todos that an item's todo list names. The state of such a row is derived;
// nobody sets it by hand.
type RefreshTodos struct {
	WorkItemID ItemID    `json:"work_item_id"`
	Rows       []TodoRow `json:"rows"`
}

// TodoRow is a row of a todo list with its derived state.
type TodoRow struct {
	// At is the row's place in the list, from 0; the row counts only if the list still has Text there.
	At    int       `json:"at"`
	Text  Text      `json:"text"`
	State TodoState `json:"state"`
}

// Round is one reply of an agent: its text and its calls. Its text can become the completion report (docs/lifecycle.md 9).
type Round struct {
	Text  Text   `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
	// Tools name the tools that the reply called outside vise, for the trace.
	Tools []Text `json:"tools,omitempty"`
	// Made name vise's own tools that the reply called before, for the trace.
	Made []Text `json:"made,omitempty"`
	// WorkItemID names the item that the text is about. If the round completes that item, or it was completed before without a
	// report, the text becomes its report. Without WorkItemID only the focus counts.
	WorkItemID ItemID   `json:"work_item_id,omitempty"`
	Provenance ReportOf `json:"provenance,omitempty"`
	// Refused says why the round's calls were not carried out; the round then has no calls.
	Refused Text `json:"refused,omitempty"`
	// Done are items that the round completed before, through its tools, in this turn.
	Done []ItemID `json:"done,omitempty"`
	// Turn is the turn that the round belongs to. The round is traced there, and refused if that turn is over, unless it may be Late: words
	// that were said in a turn are kept, however it ended. Zero: no turn.
	Turn int  `json:"turn,omitempty"`
	Late bool `json:"late,omitempty"`
}

// ReportWorkItem gives a completed item without a report its report.
type ReportWorkItem struct {
	WorkItemID ItemID   `json:"work_item_id"`
	Text       Text     `json:"text"`
	Provenance ReportOf `json:"provenance,omitempty"`
}

// OfferReport brings words that a hook or a wrapped run read apart from a completion. They become the report if they are words
// of the completing round, and that round completed one item, which was the focus. All others are kept for the operator to
// choose.
type OfferReport struct {
	// WorkItemIDs are all items that the round completed.
	WorkItemIDs []ItemID `json:"work_item_ids"`
	Text        Text     `json:"text,omitempty"`
	Provenance  ReportOf `json:"provenance,omitempty"`
}

// DeclineReport says that none of an item's offered reports is its report.
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
	// Run says how vise started it; zero for a task that vise does not supervise.
	Run TaskRun `json:"run,omitzero"`
}

// EndTask records how a task ended and triggers the waits on it. Ending it twice changes
// nothing.
type EndTask struct {
	TaskID TaskID     `json:"task_id"`
	Status TaskStatus `json:"status"`
	// Result is for the agent: the output, or why the task ended.
	Result Text `json:"result,omitempty"`
	// End is how a supervised command ended.
	End *TaskEnd `json:"end,omitempty"`
}

// SpawnAgent makes an agent that works for the calling agent. It makes no work item.
type SpawnAgent struct {
	// InitialMessage is the new agent's first message.
	InitialMessage Text `json:"initial_message,omitempty"`
	// Preset is PrivateChild if it is empty.
	Preset Preset `json:"preset,omitempty"`
	// AgentID is the new agent; empty: the parent's name with a number.
	AgentID AgentID `json:"agent_id,omitempty"`
	// Template is an agent whose settings are copied and whose program runs the new one; empty: the parent's program runs it.
	Template AgentID `json:"template,omitempty"`
	// WorkspaceMode is where its program works; empty: WorkspaceInherit.
	WorkspaceMode WorkspaceMode `json:"workspace_mode,omitempty"`
}

// Preset says what ties a new agent to the agent that made it.
type Preset string

const (
	// PrivateChild needs an initial message. A delegation of the parent's focus begins with it and carries its first line as label. The
	// first work item that the child makes serves it.
	PrivateChild Preset = "private_child"
	// PublicNamed has no delegation.
	PublicNamed Preset = "public_named"
)

// WorkspaceMode says where an agent's program works.
type WorkspaceMode string

const (
	WorkspaceInherit  WorkspaceMode = "inherit"  // where the program that runs it works
	WorkspaceWorktree WorkspaceMode = "worktree" // in a git work tree of its own, which the driver makes
)

// OpenDelegation ties a child agent's item to one of this agent's items. The child's item exists, or the same change makes it
// for To with Objective.
type OpenDelegation struct {
	WorkItemID      ItemID  `json:"work_item_id"`
	ChildWorkItemID ItemID  `json:"child_work_item_id,omitempty"`
	To              AgentID `json:"to,omitempty"`
	Objective       Text    `json:"objective,omitempty"`
	Plan            Text    `json:"plan,omitempty"`
	Blocking        bool    `json:"blocking,omitempty"`
}

// CancelDelegation ends a delegation of one of this agent's items and triggers the waits on it. The child's item stays
// unchanged.
type CancelDelegation struct {
	DelegationID DelegationID `json:"delegation_id"`
	Reason       Text         `json:"reason,omitempty"`
}

// Say queues words for an agent. Only the operator can interject.
type Say struct {
	AgentID    AgentID  `json:"agent_id"`
	Text       Text     `json:"text"`
	Priority   Priority `json:"priority,omitempty"`
	WorkItemID ItemID   `json:"work_item_id,omitempty"`
	Source     Text     `json:"source,omitempty"`
}

// HandMessages hands the agent's queued messages to a program that runs without a turn, for example in a hook. The messages
// then count as sent, not as seen; the receipt names them.
type HandMessages struct {
	AgentID AgentID `json:"agent_id"`
	// Limit is how many messages fit; zero: as many as can be on their way.
	Limit int `json:"limit,omitempty"`
	// Except are items whose messages stay queued, because other sessions of the agent hold those items. An empty id stands for
	// the messages about no item.
	Except []ItemID `json:"except,omitempty"`
}

// SeeMessages says that the agent has read the messages that it was handed, as it acted after that.
type SeeMessages struct {
	AgentID AgentID `json:"agent_id"`
	// Lost says the opposite: the session that was handed them is over, and its successor knows nothing of them. They wait again.
	Lost bool `json:"lost,omitempty"`
}

// Answer gives the operator's reply to a question. It triggers the wait, and the reply stays in the item; the agent decides
// what to do with it. WaitID names the question that the operator read. With an item or an agent alone, the answer is for the
// present question, if only that one can be meant. With both, WaitID names the question that was asked when the operator began
// to answer (docs/lifecycle.md 19).
type Answer struct {
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	WaitID     WaitID `json:"wait_id,omitempty"`
	// AgentID names the agent that asks a question of its own, without a work item.
	AgentID AgentID `json:"agent_id,omitempty"`
	Text    Text    `json:"text"`
	// PlanReady also sets a plan that needed input to ready.
	PlanReady    bool   `json:"plan_ready,omitempty"`
	SeenRevision uint64 `json:"seen_revision,omitempty"`
}

// ClaimTurn starts a turn for an agent, if none runs. The receipt names the messages that the turn took. A turn whose lease ran
// out ends first, as interrupted.
type ClaimTurn struct {
	AgentID AgentID `json:"agent_id"`
	Holder  Text    `json:"holder"`
	Process Process `json:"process,omitzero"`
	// TTLMS is the lease's length in milliseconds; zero is DefaultLease.
	TTLMS int64 `json:"ttl_ms,omitempty"`
	// Tick is the key of the tick that the turn answers.
	Tick string `json:"tick,omitempty"`
}

// BeatTurn extends the lease of a running turn. If the ledger's storage keeps the lease, TTLMS is ignored: the lease stays as long as the
// claim made it.
type BeatTurn struct {
	AgentID AgentID `json:"agent_id"`
	Turn    int     `json:"turn"`
	TTLMS   int64   `json:"ttl_ms,omitempty"`
	// Hear takes the messages that wait into the turn. HearAnswer takes the answer to a question of the agent's program: it has it already.
	Hear       bool   `json:"hear,omitempty"`
	HearAnswer WaitID `json:"hear_answer,omitempty"`
	// Usage is what the turn used so far. It counts if the turn's end does not tell.
	Usage
}

// EndTurn ends a turn and says how.
type EndTurn struct {
	AgentID AgentID     `json:"agent_id"`
	Turn    int         `json:"turn"`
	Outcome TurnOutcome `json:"outcome"`
	Reason  Text        `json:"reason,omitempty"`
	// Code names what went wrong with the agent's program; empty: nothing.
	Code TurnCode `json:"code,omitempty"`
	// Final is the turn's last text. It becomes the turn's brief unless a report was promoted.
	Final Text `json:"final,omitempty"`
	// Until is the end of the program's usage limit, if such a limit ended the turn.
	Until time.Time `json:"until,omitzero"`
	// Commit is the commit that is checked out at the end of the turn; empty if that did not change.
	Commit string `json:"commit,omitempty"`
	// Usage is what the turn used, as the program reports it.
	Usage
}

// Tick lets the scheduler look at one agent: it ends a turn whose lease ran out, fires what is due, and offers at most one
// candidate. A second Tick at the same instant changes nothing.
type Tick struct {
	AgentID AgentID `json:"agent_id"`
	// Gone is the turn of which the scheduler knows that its holder has died; 0 if there is none.
	Gone int `json:"gone,omitempty"`
}

// MintIngress makes a capability. Through it senders outside trigger the external waits of an item or of an agent. The ledger
// knows only the hash of its token.
type MintIngress struct {
	// AgentID or WorkItemID names the owner of the capability. WaitID is short for the owner of that wait.
	AgentID    AgentID `json:"agent_id,omitempty"`
	WorkItemID ItemID  `json:"work_item_id,omitempty"`
	WaitID     WaitID  `json:"wait_id,omitempty"`
	// Resource is what the capability reports on. For an item it is what the item waits for, unless named here.
	Resource Text `json:"resource,omitempty"`
	// Renews is a capability that this one replaces.
	Renews    IngressID `json:"renews,omitempty"`
	TokenHash string    `json:"token_hash"`
	// Signing is how senders sign, with Secret; both are empty if they do not sign.
	Signing Signing `json:"signing,omitempty"`
	Secret  string  `json:"secret,omitempty"`
	Deliver Deliver `json:"deliver,omitempty"`
}

// RevokeIngress ends a capability.
type RevokeIngress struct {
	IngressID IngressID `json:"ingress_id"`
}

// DeliverIngress brings a delivery that came in through a capability.
type DeliverIngress struct {
	IngressID IngressID `json:"ingress_id"`
	Payload   Text      `json:"payload,omitempty"`
	Source    Text      `json:"source,omitempty"`
}

// Import takes over the records of another ledger for one agent, all or none. It skips records whose id the ledger knows.
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
