package kv

import (
	"context"
	"errors"
	"math"
	"time"

	"vise/model"
)

// alone is the part of the contract that is about several machines, for a backend that one machine uses.
type alone struct{}

// aloneBytes is the size of a transaction that copies many keys: the next one waits no longer than a command does.
const aloneBytes = 1 << 20

func (alone) Wake()                                                 {}
func (alone) Limits() (ops, bytes int)                              { return math.MaxInt, aloneBytes }
func (alone) SpaceUsed(context.Context) (percent int64, known bool) { return 0, false }
func (alone) Conditions() []model.Condition                         { return nil }
func (alone) OnlyReads(context.Context) (bool, error)               { return false, nil }
func (alone) Shards(string) Shards                                  { return AllAgents{} }
func (alone) Can() (none Capabilities)                              { return none }

// AllAgents are the claims of a scheduler that looks at all agents.
type AllAgents struct{}

// Run implements Shards.
func (AllAgents) Run(context.Context) {}

// Changed implements Shards.
func (AllAgents) Changed() <-chan struct{} { return nil }

// Claim implements Shards.
func (AllAgents) Claim(ctx context.Context, _ model.AgentID) (context.Context, bool) {
	return ctx, true
}

// Idle implements Shards.
func (AllAgents) Idle() error { return nil }

// aloneTxn is the same of a transaction: the ledger counts its revisions, and time ends a turn.
type aloneTxn struct{}

func (aloneTxn) Counts() bool                                 { return false }
func (aloneTxn) Changed(uint64) ([]model.AgentID, error)      { return nil, errors.ErrUnsupported }
func (aloneTxn) SavedAt([]byte, uint64) (uint64, bool, error) { return 0, false, errors.ErrUnsupported }
func (aloneTxn) Saved(model.AgentID, uint64, uint64, int) ([]Saved, bool, error) {
	return nil, false, errors.ErrUnsupported
}
func (aloneTxn) Lives(model.AgentID, int) (*bool, error)                   { return nil, nil }
func (aloneTxn) Claim(model.AgentID, int, model.Text, time.Duration) error { return nil }
func (aloneTxn) Holds(model.AgentID, int) error                            { return nil }
func (aloneTxn) Renew(model.AgentID, int) error                            { return nil }
func (aloneTxn) End(model.AgentID, int) error                              { return nil }
