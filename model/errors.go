package model

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Code is the stable name of a refusal, the same in Go, JSON, MCP and exit codes.
type Code string

// The codes (docs/lifecycle.md 16). The first group belongs to the rules, the second to the ledger.
const (
	CodeInvalid             Code = "invalid"
	CodeNotFound            Code = "not_found"
	CodeAmbiguous           Code = "ambiguous"
	CodeNotOwner            Code = "not_owner"
	CodeCompleted           Code = "completed"
	CodeUnfinishedExecution Code = "unfinished_execution"
	// CodeUnverified: no check verifies the work in its present state, and the agent's policy requires one.
	CodeUnverified Code = "unverified"
	CodeStale      Code = "stale"
	// CodeConflict: the command conflicts with something that exists.
	CodeConflict Code = "conflict"
	CodeRefused  Code = "refused"

	CodeBusy           Code = "busy"
	CodeDamaged        Code = "damaged"
	CodeUnknownOutcome Code = "unknown_outcome"
	CodeNewer          Code = "newer"
	CodeFormat         Code = "format"
	CodeReadOnly       Code = "read_only"
	CodeFull           Code = "full"
	CodeNoHome         Code = "no_home"
	CodeInternal       Code = "internal"
	CodeAgentFailed    Code = "agent_failed"
)

// The codes of conditions that are not errors. CodeNewer, CodeReadOnly and CodeFull are both.
const (
	// CodeClock: the clock is behind a recorded time, or differs from that of another machine.
	CodeClock Code = "clock"
	// CodeNetworkFS: the home is on a file system whose locks can fail, and somebody allowed that.
	CodeNetworkFS Code = "network_fs"
	// CodeLagging: the copy of the history, or the snapshots, are behind.
	CodeLagging Code = "lagging"
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

// WarningKind is the stable name of a warning. All kinds are here and in docs/json.md.
type WarningKind string

// The kinds of warnings of the rules.
const (
	warnMissingPickReason   WarningKind = "missing_pick_reason"
	warnUnfinishedTodos     WarningKind = "unfinished_todos"
	warnManyInProgress      WarningKind = "multiple_todos_in_progress"
	WarnMissingReport       WarningKind = "missing_completion_report"
	warnPreamble            WarningKind = "report_looks_like_preamble"
	warnReportInFile        WarningKind = "report_kept_in_file"
	warnNothingToRun        WarningKind = "nothing_to_run"
	warnMultipleCompletions WarningKind = "completion_report_not_promoted_multiple_completions"
	warnUnfocused           WarningKind = "completion_report_not_promoted_unfocused"
	WarnReportOffered       WarningKind = "completion_report_offered"
	warnAgentAdded          WarningKind = "agent_added"
	warnWeakWait            WarningKind = "wait_without_recovery"
	warnTaskEnded           WarningKind = "task_already_ended"
	warnUnseenTrigger       WarningKind = "unseen_trigger"
	warnStartsTriggered     WarningKind = "wait_starts_triggered"
	warnCompletedBlocked    WarningKind = "completed_while_blocked"
	WarnUnverified          WarningKind = "completed_unverified"
	warnAgentScope          WarningKind = "agent_scope"
	warnNeedsInput          WarningKind = "plan_still_needs_input"
	warnAnswered            WarningKind = "answered_before"
	warnFocusMoved          WarningKind = "focus_moved_since"
	warnCameEarly           WarningKind = "delivery_came_early"
)

// The kinds of warnings from outside the rules: after a change, or about the state of the ledger.
const (
	WarnReplayed          WarningKind = "replayed"
	WarnAnswerIncomplete  WarningKind = "answer_incomplete"
	WarnAnswerOutdated    WarningKind = "answer_outdated"
	WarnEndNotRecorded    WarningKind = "end_not_recorded"
	WarnDiskFull          WarningKind = "disk_full"
	WarnArchived          WarningKind = "history_archived"
	WarnReadOnly          WarningKind = "read_only"
	WarnWorktree          WarningKind = "worktree"
	WarnThread            WarningKind = "thread"
	WarnThreadParked      WarningKind = "thread_parked"
	WarnThreadGaps        WarningKind = "thread_gaps"
	WarnThreadNotFollowed WarningKind = "thread_not_followed"
	WarnThreadUnsettled   WarningKind = "thread_unsettled"
	WarnFileTodos         WarningKind = "file_todos"
	WarnTodoStillOpen     WarningKind = "linked_todo_still_open"
	WarnTodosUndecided    WarningKind = "linked_todos_undecided"
	WarnTodoNotLinked     WarningKind = "file_todo_not_linked"
	WarnPlanNotRefreshed  WarningKind = "plan_not_refreshed"
	WarnTodosNotRefreshed WarningKind = "linked_todos_not_refreshed"
	WarnTreeNotRefreshed  WarningKind = "work_tree_not_refreshed"
	WarnCheckNotKept      WarningKind = "check_not_kept"
	WarnQueueNotTaken     WarningKind = "hook_queue_not_taken"
	WarnConfiguration     WarningKind = "configuration"
	WarnFilterCut         WarningKind = "filter_cut"
	WarnUnencrypted       WarningKind = "unencrypted"
	// WarnDamaged: a part of the ledger is damaged, and left out of the answer.
	WarnDamaged WarningKind = "damaged"
)
