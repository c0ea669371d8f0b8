package home

import (
	"encoding/json"
	"time"

	"vise/model"
)

// A console follows the home on another machine through a program that carries lines in both directions: ssh, which runs "vise hosts
// serve". Each line is JSON. The host sends its whole state first and then the changes; the console sends commands and asks for plans. This
// file defines the lines. host_serve.go is the host's side, host_link.go the console's. host_snapshot.go is the state as a Reader,
// host_ids.go keeps its ids apart from local ones, and hosts.go joins hosts and home.

// hostProtocol is the version of the protocol.
const hostProtocol = 1

// fromHost is a line from the host.
type fromHost struct {
	// Protocol is set in the first line of a connection only; a whole state begins there.
	Protocol int `json:"protocol,omitempty"`
	// HomeID is the id of the home, and Home its directory. They are in the first line too.
	HomeID string `json:"home_id,omitempty"`
	Home   string `json:"home,omitempty"`
	// Records were written and Gone were removed. Counts and Entries belong to the same change.
	Records []hostRecord                          `json:"records,omitempty"`
	Gone    []model.RecordName                    `json:"gone,omitempty"`
	Counts  map[model.AgentID]map[model.Tally]int `json:"counts,omitempty"`
	Entries []model.Entry                         `json:"entries,omitempty"`
	// Revision is the ledger's. More says that further lines complete the state.
	Revision uint64      `json:"revision,omitempty"`
	More     bool        `json:"more,omitempty"`
	Answer   *hostAnswer `json:"answer,omitempty"`
	Plan     *HostPlan   `json:"plan,omitempty"`
}

type hostRecord struct {
	Kind   model.RecordKind `json:"kind"`
	Record json.RawMessage  `json:"record"`
}

// hostAnswer is the outcome of the command with this key.
type hostAnswer struct {
	Key     string        `json:"key"`
	Receipt model.Receipt `json:"receipt"`
	Error   *model.Error  `json:"error,omitempty"`
}

// HostPlan is a plan file of a host.
type HostPlan struct {
	WorkItemID model.ItemID       `json:"work_item_id"`
	Artifact   model.PlanArtifact `json:"plan_artifact"`
	// Text is set if the artifact's condition is ok.
	Text   string `json:"text,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// toHost is a line to the host: a command, or, with Plan set, a request for that item's plan.
type toHost struct {
	Key     string          `json:"key,omitempty"`
	Agent   model.AgentID   `json:"agent_id,omitempty"`
	Command string          `json:"command,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Plan    model.ItemID    `json:"plan,omitempty"`
}

// The bounds of the state that a host sends. Anything beyond them is counted, not shown.
const (
	hostAgents   = 500
	hostOpen     = 200 // for each class of an agent
	hostFinished = 20  // for each agent
	hostNeeds    = 300 // for each need, over all agents
	hostEvents   = 300 // past events at the start
	hostWithin   = 20  // messages, tasks and waits of each agent, each
)

const (
	// maxHostLine bounds a line. A state is sent in lines of about hostPart bytes.
	maxHostLine = 8 << 20
	hostPart    = 256 << 10
	// maxHostRecords bounds the records that are kept of a host.
	maxHostRecords = 50_000
	// hostBeat is how often a host sends a sign of life. After hostSilence without a line it counts as away.
	hostBeat    = 10 * time.Second
	hostSilence = 3 * hostBeat
	// maxHostPlan bounds the text of a plan that is sent, in bytes.
	maxHostPlan = 1 << 20
)
