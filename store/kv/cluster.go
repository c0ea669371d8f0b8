package kv

import (
	"context"

	"vise/model"
)

// Cluster is what is done to a cluster, beside its keys.
type Cluster interface {
	// Claim waits for a claim, which one process at a time has. It is held until held ends, at the latest when release is called.
	Claim(ctx context.Context, name string) (held context.Context, release func(), err error)
	// Status asks each member. With an error, because no majority answers, it still returns what each of them says.
	Status(context.Context) (ClusterStatus, error)
	// Grant makes a user of the cluster, whose name is that in the certificate, and permits what is granted of the ledger, and no more. It
	// reports whether the cluster enforces permissions.
	Grant(ctx context.Context, user string, g Grant) (enforced bool, err error)
}

// Grant is what a user may do with a ledger on a cluster: all without Read and Agents.
type Grant struct {
	// Read permits to read all, and no change.
	Read bool `json:"read"`
	// Agents, if there are some, are those that the user may change. All can be read.
	Agents []model.AgentID `json:"agents"`
}

// ClusterStatus is what the members of a cluster say.
type ClusterStatus struct {
	ID      string          `json:"cluster_id"`
	Members []ClusterMember `json:"members"`
	// Schedulers are the schedulers that divide the ledger's agents between them.
	Schedulers []ClusterScheduler `json:"schedulers"`
}

// ClusterScheduler is a scheduler of a ledger on a cluster, and how many of the shards of agents it looks at.
type ClusterScheduler struct {
	Name   string `json:"name"`
	Shards int    `json:"shards"`
	Of     int    `json:"of"`
}

// ClusterMember is what one member says.
type ClusterMember struct {
	Endpoint string `json:"endpoint"`
	Version  string `json:"version,omitempty"`
	Leader   bool   `json:"leader"`
	// Bytes is the size of the member's file, of which Used is in use. It refuses changes above Quota.
	Bytes int64 `json:"bytes"`
	Used  int64 `json:"used"`
	Quota int64 `json:"quota"`
	// Peers is what its port for the other members does with the user's certificate: PeersRefuse or PeersAccept. It is empty if the port
	// was not reached, and without TLS.
	Peers string `json:"peers,omitempty"`
	// Alarms are the problems that the member reports. Error says why it does not answer.
	Alarms []string `json:"alarms,omitempty"`
	Error  string   `json:"error,omitempty"`
}

const (
	PeersRefuse = "refuses"
	PeersAccept = "accepts"
)

// Shards divide the agents of a ledger between the schedulers of several processes, so that each agent is looked at by one. They only save
// work: what a scheduler changes depends on the heads that it read, as ever.
type Shards interface {
	// Run claims a fair share of the agents until ctx ends, and then gives it up.
	Run(ctx context.Context)
	// Changed returns a channel that is closed at the next change of what Claim or Idle answers.
	Changed() <-chan struct{}
	// Claim returns the context for changes of an agent, and whether this process has claimed it. Once another process has, those changes
	// are refused as stale.
	Claim(ctx context.Context, agent model.AgentID) (claimed context.Context, ok bool)
	// Idle says why this process claims nothing, or is nil.
	Idle() error
}
