package model

import "time"

// Process tells a process from a later one with the same number, and from one of another
// machine that shares the ledger.
type Process struct {
	PID int `json:"pid"`
	// Start is when it started, in the system's own units.
	Start string `json:"start,omitempty"`
	Boot  string `json:"boot_id,omitempty"`
	Host  string `json:"host,omitempty"`
}

// TaskRun is how a task was started. Supervisor watches over it and records its end; a
// task whose supervisor is gone was interrupted.
type TaskRun struct {
	Command    []Text  `json:"command,omitempty"`
	Dir        Text    `json:"dir,omitempty"`
	Supervisor Process `json:"supervisor,omitzero"`
	// Log is the file that holds the output.
	Log Text `json:"log,omitempty"`
	// GitHead is the commit that was checked out in Dir; empty without a repository.
	GitHead string `json:"git_head,omitempty"`
}

// TaskEnd is how a task's command ended.
type TaskEnd struct {
	At time.Time `json:"at,omitzero"`
	// ExitCode is the command's; -1 when a signal ended it or it never ran.
	ExitCode   int    `json:"exit_code"`
	Signal     string `json:"signal,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	// Tail is the end of the output, at most MaxTail bytes.
	Tail Text `json:"tail,omitempty"`
	// OutputBytes is how much was written, LogBytes how much of it the log holds.
	OutputBytes int64 `json:"output_bytes,omitempty"`
	LogBytes    int64 `json:"log_bytes,omitempty"`
	// Survivors are processes that could not be ended with the task.
	Survivors int `json:"survivors,omitempty"`
}

// Bounds of what a task keeps: the tail in bytes, the words of a command.
const (
	MaxTail    = 64 << 10
	maxCommand = 256
)

// checked refuses what is too much to keep of a run.
func (r TaskRun) checked() (TaskRun, error) {
	if len(r.Command) > maxCommand {
		return r, Refuse(CodeInvalid, "a command of %d words, at most %d are kept", len(r.Command), maxCommand).At("command").WithHint("put it in a script")
	}
	for i, word := range r.Command {
		r.Command[i] = cut(word, MaxReason)
	}
	return r, nil
}
