package home

import (
	"encoding/json"
	"time"

	"vise/model"
)

// A console follows the home of another machine through a program that carries lines there and back: ssh, which runs
// "vise hosts serve". Each line is JSON. The host tells its state, first whole, then what changes of it; the console
// sends commands and asks for plans. This file is what goes over the line, host_serve.go the host's side, host_link.go
// the console's; host_snapshot.go is the state as a Reader, host_ids.go keeps its ids apart from those that are here,
// hosts.go puts hosts and home together.

// hostProtocol is the version of what goes over the line.
const hostProtocol = 1

// fromHost is a line of the host.
type fromHost struct {
	// Protocol is in the first line alone: a whole state begins.
	Protocol int `json:"protocol,omitempty"`
	// Records were written, Gone are no more; Counts and Entries come with them.
	Records []hostRecord                          `json:"records,omitempty"`
	Gone    []model.RecordName                    `json:"gone,omitempty"`
	Counts  map[model.AgentID]map[model.Tally]int `json:"counts,omitempty"`
	Entries []model.Entry                         `json:"entries,omitempty"`
	// Revision is the ledger's; with More the state is not whole before further lines.
	Revision uint64      `json:"revision,omitempty"`
	More     bool        `json:"more,omitempty"`
	Answer   *hostAnswer `json:"answer,omitempty"`
	Plan     *HostPlan   `json:"plan,omitempty"`
}

type hostRecord struct {
	Kind   model.RecordKind `json:"kind"`
	Record json.RawMessage  `json:"record"`
}

// hostAnswer is what became of the command with a key.
type hostAnswer struct {
	Key     string        `json:"key"`
	Receipt model.Receipt `json:"receipt"`
	Error   *model.Error  `json:"error,omitempty"`
}

// HostPlan is a plan file of a host.
type HostPlan struct {
	WorkItemID model.ItemID       `json:"work_item_id"`
	Artifact   model.PlanArtifact `json:"plan_artifact"`
	// Text is there where the artifact's condition is ok.
	Text   string `json:"text,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// toHost is a line to the host: a command, or with Plan a request for an item's plan.
type toHost struct {
	Key     string          `json:"key,omitempty"`
	Agent   model.AgentID   `json:"agent_id,omitempty"`
	Command string          `json:"command,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Plan    model.ItemID    `json:"plan,omitempty"`
}

// The bounds of what a host tells. What lies beyond is counted, not shown.
const (
	hostAgents   = 500
	hostOpen     = 200 // of a class of an agent
	hostFinished = 20  // of an agent
	hostNeeds    = 300 // of each need, of all agents
	hostEvents   = 300 // of the past
	hostWithin   = 20  // messages, tasks and waits of an agent
)

const (
	// maxHostLine bounds a line; a state is sent in lines of about hostPart bytes.
	maxHostLine = 8 << 20
	hostPart    = 256 << 10
	// maxHostRecords bounds what is kept of a host.
	maxHostRecords = 50_000
	// hostBeat is how often a host says that it is there, hostSilence after how much silence it is away.
	hostBeat    = 10 * time.Second
	hostSilence = 3 * hostBeat
	// maxHostPlan bounds the text of a plan that is sent, in bytes.
	maxHostPlan = 1 << 20
)
