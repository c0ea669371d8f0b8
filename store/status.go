package store

import (
	"fmt"

	"vise/model"
	"vise/store/kv"
)

// Status says whether a ledger is open. A ledger that never moved has none, and is open.
type Status struct {
	State state `json:"state,omitempty"`
	// Move is the id of the move that is under way, or by which the ledger left. Other is what its other end is called.
	Move  string `json:"move,omitempty"`
	Other string `json:"other,omitempty"`
	// Came is the id of the move by which the ledger came here, Since its revision then. Up to that, changes can share a revision, and
	// revisions can be left out, because the ledger may have been where agents do not wait for one another.
	Came  string `json:"came,omitempty"`
	Since uint64 `json:"since,omitempty"`
	// Whole: the other end has all of a ledger that moves, and may be open already. The move is only ended.
	Whole bool `json:"whole,omitempty"`
	// Clearing: what an arriving ledger has is deleted first.
	Clearing bool `json:"clearing,omitempty"`
	// Copied is the last key that an arriving ledger has.
	Copied []byte `json:"copied,omitempty"`
}

// state is what a ledger can be used for.
type state string

const (
	StateOpen state = ""
	// StateMoving: another place gets the ledger. It is only read.
	StateMoving state = "moving"
	// StateMoved: another place has the ledger.
	StateMoved state = "moved"
	// StateArriving: the ledger is not here yet.
	StateArriving state = "arriving"
)

func (f *Facts) Status() (s Status) {
	f.JSON(KeyStatus, &s)
	return s
}

// Epoch is how often the ledger was moved or restored, and one more if it was made on a cluster.
func (f *Facts) Epoch() (n uint64) {
	f.JSON(KeyEpoch, &n)
	return n
}

func (f *Facts) PutStatus(s Status) { f.PutJSON(KeyStatus, s) }

// Opened is the status without a move that is under way.
func (s Status) Opened() Status { return Status{Came: s.Came, Since: s.Since} }

// Reopen opens a draft that was made from a ledger that moves.
func Reopen(f *Facts) error {
	if s := f.Status(); s.State != StateOpen {
		f.PutStatus(s.Opened())
	}
	return nil
}

// Permits refuses the use of a ledger that moves. Every transaction asks it, and so depends on the status.
func (s Status) Permits(writing bool) error {
	switch other := model.Text(s.Other); s.State {
	case StateMoving:
		if !writing {
			return nil
		}
		return kv.Refuse(s.GoesOn(), "the ledger moves to %s, and is only read meanwhile", other)
	case StateMoved:
		return kv.Refuse(fmt.Sprintf("use %s", other), "the ledger has moved to %s", other)
	case StateArriving:
		return kv.Refuse(goOnHint, "the ledger is still on its way here from %s", other)
	}
	return nil
}

// The hints for a move that is under way, or was interrupted.
const (
	goOnHint = "the same vise admin move goes on where it stopped; with --give-up the ledger stays where it was"
	EndHint  = "the same vise admin move ends it"
)

// GoesOn is the hint at the source.
func (s Status) GoesOn() string {
	if s.Whole {
		return EndHint
	}
	return goOnHint
}
