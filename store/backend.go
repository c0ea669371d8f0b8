package store

import (
	"errors"
	"fmt"
	"time"

	"vise/model"
	"vise/store/kv"
)

// The contract of a backend is in package kv.
type (
	Backend = kv.Backend
	Txn     = kv.Txn
	Range   = kv.Range
)

// Prefix is the range of all keys that start with p. p must not be all 0xff.
func Prefix(p []byte) Range { return kv.Prefix(p) }

// ErrUnknown means that a commit failed, and may or may not have happened.
var ErrUnknown = kv.ErrUnknown

// pair is a key and its value.
type pair struct{ key, value []byte }

// SharedTxn is what a transaction on a cluster can do in addition to a Txn.
//
// A cluster counts the revision itself, and more in it than the changes of the ledger: several can have one revision, and a revision can
// have none. A commit can come later than one of a greater revision.
//
// It also keeps the leases of turns: a turn lives as long as the lease of its holder is renewed. What a transaction asks of a turn is also
// asked at the commit, which is refused as stale if the turn is over by then.
type SharedTxn interface {
	Txn
	// Changed returns the parts that the last commits wrote, of as many revisions.
	Changed(revisions uint64) ([]model.AgentID, error)
	// SavedAt returns the revision at which a value was committed, if there is one. now is the ledger's revision.
	SavedAt(key []byte, now uint64) (revision uint64, ok bool, err error)
	// Saved returns the first changes that were committed after a revision, of a part or of all, in their order.
	Saved(part model.AgentID, after, now uint64, limit int) (list []Saved, more bool, err error)

	// Lives reports whether a turn lives. The commit does not depend on it.
	Lives(agent model.AgentID, turn int) (bool, error)
	// Claim makes a turn live, with a new lease, unless another turn of the agent does.
	Claim(agent model.AgentID, turn int, holder model.Text, lease time.Duration) error
	// Holds makes the commit depend on a turn that lives.
	Holds(agent model.AgentID, turn int) error
	// Renew renews the lease of a turn at once. It is no change of the ledger.
	Renew(agent model.AgentID, turn int) error
	// End ends a turn that lives.
	End(agent model.AgentID, turn int) error
}

// Saved is a change of a part in the journal, and the revision at which it was committed.
type Saved struct {
	Key, Value []byte
	Revision   uint64
}

// clusterOf is what a backend on a cluster can do in addition to a Backend, and sharedBy what its transactions can; nil for others.
// Nothing else of what a backend can do is asked for.
func clusterOf(b Backend) ClusterBackend {
	c, _ := b.(ClusterBackend)
	return c
}

func sharedBy(t Txn) SharedTxn {
	s, _ := t.(SharedTxn)
	return s
}

// LaterHead is the value of about/head with a revision that is later by some. A backend that counts its commits needs no other.
func LaterHead(value []byte, by uint64) ([]byte, error) {
	payload, err := kv.Unframe(keyHead, value)
	if err != nil {
		return nil, err
	}
	var h head
	if err := decode(keyHead, payload, &h); err != nil {
		return nil, err
	}
	h.Revision += by
	if payload, err = encode(h); err != nil {
		return nil, err
	}
	return kv.Frame(keyHead, payload), nil
}

// ChangedAt is the time in the value of a part's head: when its last change was judged.
func ChangedAt(part model.AgentID, value []byte) (time.Time, error) {
	var h agentHead
	payload, err := kv.Unframe(agentHeadKey(part), value)
	if err == nil {
		err = decode(agentHeadKey(part), payload, &h)
	}
	return h.At, err
}

// ErrNoHome means that the directory has no home yet. Nothing was written.
var ErrNoHome = errors.New("there is no vise home here")

// noHome is an ErrNoHome that names the directory.
func noHome(dir string) error { return fmt.Errorf("%w: %s", ErrNoHome, dir) }

func lostChanges(revision, known uint64) string {
	return fmt.Sprintf("it ends at revision %d, and this home has seen %d", revision, known)
}
