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
	Backend          = kv.Backend
	Txn              = kv.Txn
	Range            = kv.Range
	Capabilities     = kv.Capabilities
	Saved            = kv.Saved
	Shards           = kv.Shards
	Grant            = kv.Grant
	ClusterStatus    = kv.ClusterStatus
	ClusterMember    = kv.ClusterMember
	ClusterScheduler = kv.ClusterScheduler
)

// Prefix is the range of all keys that start with p. p must not be all 0xff.
func Prefix(p []byte) Range { return kv.Prefix(p) }

// ErrUnknown means that a commit failed, and may or may not have happened.
var ErrUnknown = kv.ErrUnknown

// pair is a key and its value.
type pair struct{ key, value []byte }

// LaterHead is the value of about/head with a revision that is later by some. A backend that counts its commits needs no other.
func LaterHead(value []byte, by uint64) ([]byte, error) {
	var h Head
	if err := DecodeValue(KeyHead, value, &h); err != nil {
		return nil, err
	}
	h.Revision += by
	payload, err := Encode(h)
	return kv.Frame(KeyHead, payload), err
}

// ChangedAt is the time in the value of a part's head: when its last change was judged.
func ChangedAt(part model.AgentID, value []byte) (time.Time, error) {
	var h PartHead
	err := DecodeValue(HeadKey(part), value, &h)
	return h.At, err
}

// ErrNoHome means that the directory has no home yet. Nothing was written.
var ErrNoHome = errors.New("there is no vise home here")

// noHome is an ErrNoHome that names the directory.
func noHome(dir string) error { return fmt.Errorf("%w: %s", ErrNoHome, dir) }

func LostChanges(revision, known uint64) string {
	return fmt.Sprintf("it ends at revision %d, and this home has seen %d", revision, known)
}
