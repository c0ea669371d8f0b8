package model

import "time"

// Condition is a way in which a ledger works less well than it should, while it works. It
// is shown on every screen, with what to do.
type Condition struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	// Writes are off.
	ReadOnly bool `json:"read_only,omitempty"`
}

// The codes of conditions that are no errors. CodeNewer, CodeReadOnly and CodeFull are both.
const (
	// CodeClock: the clock is behind what was recorded already.
	CodeClock Code = "clock"
	// CodeNetworkFS: the home lies where locks may not hold, and somebody allowed it.
	CodeNetworkFS Code = "network_fs"
	// CodeLagging: the copy of the history, or the snapshots, cannot be kept up.
	CodeLagging Code = "lagging"
	// CodePolling: changes of files are noticed late.
	CodePolling Code = "polling"
)

// Holder is the process that holds the ledger, in a busy error.
type Holder struct {
	PID     int    `json:"pid"`
	Command string `json:"command,omitempty"`
	// State is "running" or "stopped", as far as the system tells.
	State string    `json:"state"`
	Since time.Time `json:"since,omitzero"`
}
