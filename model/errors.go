package model

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Code is the stable name of a refusal, the same in Go, JSON, MCP and exit codes.
type Code string

// The codes (docs/lifecycle.md 16). Their comments are docs/codes.md. The first group belongs to the rules, the second to the ledger.
const (
	// the input breaks a rule; `field` names it
	CodeInvalid Code = "invalid"
	// nothing has that name
	CodeNotFound Code = "not_found"
	// several things have that name: `candidates`
	CodeAmbiguous Code = "ambiguous"
	// it belongs to another agent
	CodeNotOwner Code = "not_owner"
	// completion is final
	CodeCompleted Code = "completed"
	// blocking work still runs
	CodeUnfinishedExecution Code = "unfinished_execution"
	// no check passed on the current files, and the agent's policy requires one
	CodeUnverified Code = "unverified"
	// the item changed since its author saw it
	CodeStale Code = "stale"
	// it already exists
	CodeConflict Code = "conflict"
	// a rule forbids it to this actor or in this state. With the `field` `home` the home is refused, or its cluster does not permit
	// this: exit code 5, not 6
	CodeRefused Code = "refused"

	// another process holds the ledger: `holder`
	CodeBusy Code = "busy"
	// the ledger is not sound
	CodeDamaged Code = "damaged"
	// vise does not know whether it was saved; repeat it with `key`, and it is done once
	CodeUnknownOutcome Code = "unknown_outcome"
	// a later version wrote the ledger
	CodeNewer Code = "newer"
	// another version wrote the ledger, in a format with another name; nothing was changed
	CodeFormat Code = "format"
	// the home cannot be written
	CodeReadOnly Code = "read_only"
	// the disk is full
	CodeFull Code = "full"
	// there is no ledger yet
	CodeNoHome Code = "no_home"
	// a defect of vise
	CodeInternal Code = "internal"
	// an agent's program failed (`drive --once`)
	CodeAgentFailed Code = "agent_failed"
)

// The codes of conditions that are not errors. CodeNewer, CodeReadOnly and CodeFull are both.
const (
	// a condition, not an error: the clock is behind the newest record
	CodeClock Code = "clock"
	// a condition: the home is on a file system with unreliable locks
	CodeNetworkFS Code = "network_fs"
	// a condition: vise cannot update the copy of the history, or the snapshots
	CodeLagging Code = "lagging"
	// a condition: changed plan files are found later than at once, or some not at all
	CodeUnwatched Code = "unwatched"
)

// Error is a refusal: what is wrong, and what to do about it. The ledger is unchanged.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Field is the input field at fault, if there is one.
	Field string `json:"field,omitempty"`
	// Candidates are the items that an ambiguous reference can mean.
	Candidates []Handle `json:"candidates,omitempty"`
	// Holder is the process that holds a busy ledger.
	Holder *Holder `json:"holder,omitempty"`
	// Key is the idempotency key of a command of unknown outcome: sent again with this key, the command is carried out at most
	// once.
	Key string `json:"key,omitempty"`
	// Rule is the clause of the file todos' contract that forbids it (model/todo).
	Rule string `json:"rule,omitempty"`
	// Cause is the error of the layer below.
	Cause error `json:"-"`
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// AsError returns the refusal that an error is or holds, or nil.
func AsError(err error) (e *Error) {
	errors.As(err, &e)
	return e
}

// HasCode reports whether an error is a refusal with one of the codes.
func HasCode(err error, codes ...Code) bool {
	return slices.ContainsFunc(codes, func(c Code) bool { return errors.Is(err, &Error{Code: c}) })
}

// Is makes errors.Is(err, &Error{Code: c}) compare only codes.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Message == ""
}

// Refuse makes an error of code c. The message must not hold raw Text.
func Refuse(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Message: fmt.Sprintf(format, args...)}
}

// The codes that are used most have a Refuse of their own.

func Invalid(format string, args ...any) *Error  { return Refuse(CodeInvalid, format, args...) }
func NotFound(format string, args ...any) *Error { return Refuse(CodeNotFound, format, args...) }
func Refused(format string, args ...any) *Error  { return Refuse(CodeRefused, format, args...) }
func Busy(format string, args ...any) *Error     { return Refuse(CodeBusy, format, args...) }
func Conflict(format string, args ...any) *Error { return Refuse(CodeConflict, format, args...) }

// WithHint says what to do instead.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// At names the input field at fault, and can say what to do instead, as WithHint does.
func (e *Error) At(field string, hint ...any) *Error {
	if e.Field = field; len(hint) > 0 {
		return e.WithHint(hint[0].(string), hint[1:]...)
	}
	return e
}

// within adds the part of a command in which a refusal arose.
func within(err error, part string) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	named := *e
	named.Message = part + ": " + e.Message
	return &named
}

// Because adds the cause.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// Condition is a state in which a ledger works less well than it should. Every screen shows it, with what to do.
type Condition struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	// ReadOnly: writes are off.
	ReadOnly bool `json:"read_only,omitempty"`
}

// Holder is the process that holds the ledger, in an error about a busy ledger.
type Holder struct {
	PID     int    `json:"pid"`
	Command string `json:"command,omitempty"`
	// State is "running" or "stopped", if the system tells it.
	State string    `json:"state"`
	Since time.Time `json:"since,omitzero"`
}

// Warning is advice that comes with a success.
type Warning struct {
	Kind    WarningKind `json:"kind"`
	Message string      `json:"message"`
	// The remaining fields belong to unfinished_todos.
	PendingCount    int    `json:"pending_count,omitempty"`
	InProgressCount int    `json:"in_progress_count,omitempty"`
	Sample          []Todo `json:"sample,omitempty"`
}

// WarningKind is the stable name of a warning. All kinds are here; their comments are docs/codes.md.
type WarningKind string

// The kinds of warnings of the rules.
const (
	// the pick left runnable work without a reason
	warnMissingPickReason WarningKind = "missing_pick_reason"
	// completed with unfinished todos: `pending_count`, `in_progress_count`, `sample`
	warnUnfinishedTodos WarningKind = "unfinished_todos"
	// more than one todo is in progress
	warnManyInProgress WarningKind = "multiple_todos_in_progress"
	// completed without a report
	WarnMissingReport WarningKind = "missing_completion_report"
	// the text only announces the next step; vise offers it
	warnPreamble WarningKind = "report_looks_like_preamble"
	// the report is longer than the record's limit; the named file holds all of it
	warnReportInFile WarningKind = "report_kept_in_file"
	// there is no work for a turn
	warnNothingToRun WarningKind = "nothing_to_run"
	// the round completed several items
	warnMultipleCompletions WarningKind = "completion_report_not_promoted_multiple_completions"
	// the completed item was not the focus
	warnUnfocused WarningKind = "completion_report_not_promoted_unfocused"
	// the text came from elsewhere; vise offers it
	WarnReportOffered WarningKind = "completion_report_offered"
	// the agent is new
	warnAgentAdded WarningKind = "agent_added"
	// if the event never comes, nothing ends the wait
	warnWeakWait WarningKind = "wait_without_recovery"
	// the task had already ended; the wait is triggered at once
	warnTaskEnded WarningKind = "task_already_ended"
	// a wait ended with an unseen trigger: `unseen_triggers` of the receipt
	warnUnseenTrigger WarningKind = "unseen_trigger"
	// the new wait has the source or resource of an unseen trigger, and starts as triggered
	warnStartsTriggered WarningKind = "wait_starts_triggered"
	// the work item's own blocker still stood
	warnCompletedBlocked WarningKind = "completed_while_blocked"
	// no check passed on the current files, and the agent's policy warns of that
	WarnUnverified WarningKind = "completed_unverified"
	// without a work item and a focus, the agent itself waits
	warnAgentScope WarningKind = "agent_scope"
	// the blocker is cleared, but the plan still needs input
	warnNeedsInput WarningKind = "plan_still_needs_input"
	// the question has an answer already: the agent gets both
	warnAnswered WarningKind = "answered_before"
	// the undo did not move the focus
	warnFocusMoved WarningKind = "focus_moved_since"
	// the event came through a capability before the wait; the wait is triggered
	warnCameEarly WarningKind = "delivery_came_early"
)

// The kinds of warnings from outside the rules: after a change, or about the state of the ledger.
const (
	// the key was used before; this call changed nothing
	WarnReplayed WarningKind = "replayed"
	// saved; vise could not read the whole answer
	WarnAnswerIncomplete WarningKind = "answer_incomplete"
	// saved; the answer lacks the effects of the change
	WarnAnswerOutdated WarningKind = "answer_outdated"
	// the command ran; the ledger lists it as running until the scheduler finds its process gone
	WarnEndNotRecorded WarningKind = "end_not_recorded"
	// the change was saved in the reserve; free some space
	WarnDiskFull WarningKind = "disk_full"
	// older changes are in the archive of a ledger on a cluster, and not in this answer
	WarnArchived WarningKind = "history_archived"
	// the home can only be read, if necessary without its lock
	WarnReadOnly WarningKind = "read_only"
	// a failure after vise made a work tree
	WarnWorktree WarningKind = "worktree"
	// a remark of a thread's command
	WarnThread WarningKind = "thread"
	// a linked thread belongs to another branch
	WarnThreadParked WarningKind = "thread_parked"
	// a thread ended with open gaps
	WarnThreadGaps WarningKind = "thread_gaps"
	// a linked thread did not follow the item
	WarnThreadNotFollowed WarningKind = "thread_not_followed"
	// an objection of a thread against completing the item
	WarnThreadUnsettled WarningKind = "thread_unsettled"
	// a remark about a session's files
	WarnFileTodos WarningKind = "file_todos"
	// vise could not carry out a decision
	WarnTodoStillOpen WarningKind = "linked_todo_still_open"
	// nobody decided; the todos stay open
	WarnTodosUndecided WarningKind = "linked_todos_undecided"
	// the work item exists, but is not linked to its file todo yet
	WarnTodoNotLinked WarningKind = "file_todo_not_linked"
	// the plan file, on another machine, does not have the edit yet
	WarnPlanAwaited WarningKind = "plan_awaited"
	// the ledger could not note the plan file's current content
	WarnPlanNotRefreshed WarningKind = "plan_not_refreshed"
	// the ledger could not note the status of linked file todos
	WarnTodosNotRefreshed WarningKind = "linked_todos_not_refreshed"
	// the ledger could not note the work tree's files; it may not know changes since the checks
	WarnTreeNotRefreshed WarningKind = "work_tree_not_refreshed"
	// vise could not keep a task's end as a check
	WarnCheckNotKept WarningKind = "check_not_kept"
	// calls of hooks from a busy time still wait
	WarnQueueNotTaken WarningKind = "hook_queue_not_taken"
	// a problem of the settings
	WarnConfiguration WarningKind = "configuration"
	// over 1,000 matches; a search finds no more
	WarnFilterCut WarningKind = "filter_cut"
	// the server listens beyond this machine without TLS
	WarnUnencrypted WarningKind = "unencrypted"
	// a damaged part of the ledger is left out of the answer; a command that only reads then exits 5
	WarnDamaged WarningKind = "damaged"
)
