package model

// Warning is advice that comes with a success.
type Warning struct {
	Kind    WarningKind `json:"kind"`
	Message string      `json:"message"`
	// The rest is unfinished_todos'.
	PendingCount    int    `json:"pending_count,omitempty"`
	InProgressCount int    `json:"in_progress_count,omitempty"`
	Sample          []Todo `json:"sample,omitempty"`
}

// WarningKind is the stable name of a warning. All of them stand here, and in docs/json.md.
type WarningKind string

// The kinds of warnings of the rules.
const (
	WarnMissingPickReason   WarningKind = "missing_pick_reason"
	WarnUnfinishedTodos     WarningKind = "unfinished_todos"
	WarnManyInProgress      WarningKind = "multiple_todos_in_progress"
	WarnMissingReport       WarningKind = "missing_completion_report"
	WarnMultipleCompletions WarningKind = "completion_report_not_promoted_multiple_completions"
	WarnUnfocused           WarningKind = "completion_report_not_promoted_unfocused"
	WarnReportOffered       WarningKind = "completion_report_offered"
	WarnAgentAdded          WarningKind = "agent_added"
	WarnWeakWait            WarningKind = "wait_without_recovery"
	WarnTaskEnded           WarningKind = "task_already_ended"
	WarnFocusMoved          WarningKind = "focus_moved_since"
)

// The kinds of warnings of what follows a change, or surrounds it.
const (
	WarnDiskFull          WarningKind = "disk_full"
	WarnThread            WarningKind = "thread"
	WarnThreadParked      WarningKind = "thread_parked"
	WarnThreadGaps        WarningKind = "thread_gaps"
	WarnThreadNotFollowed WarningKind = "thread_not_followed"
	WarnThreadUnsettled   WarningKind = "thread_unsettled"
	WarnFileTodos         WarningKind = "file_todos"
	WarnTodoStillOpen     WarningKind = "linked_todo_still_open"
	WarnTodosUndecided    WarningKind = "linked_todos_undecided"
	WarnPlanNotRefreshed  WarningKind = "plan_not_refreshed"
	WarnTodosNotRefreshed WarningKind = "linked_todos_not_refreshed"
	WarnQueueNotTaken     WarningKind = "hook_queue_not_taken"
	WarnConfiguration     WarningKind = "configuration"
	WarnFilterCut         WarningKind = "filter_cut"
	WarnUnencrypted       WarningKind = "unencrypted"
)
