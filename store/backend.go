package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"vise/store/lock"
)

// Backend is a set of ordered keys with transactions. It is all that a place to store a
// ledger must be able to do; storetest.Backend is its contract as a test.
type Backend interface {
	// View calls fn with one unchanging view of the keys, exactly once.
	View(ctx context.Context, fn func(Txn) error) error

	// Update calls fn and commits what it wrote, all or nothing and durably. When fn
	// returns an error, or writes nothing, nothing is committed. fn may be called again
	// after a conflict; what an earlier call wrote is then gone.
	//
	// An error that is ErrUnknown means that the commit may or may not have happened;
	// with any other error it did not.
	Update(ctx context.Context, fn func(Txn) error) error

	// Mark is a number that moves with every commit by anyone. It is cheap, waits for no
	// lock, and may be read while others write.
	Mark(ctx context.Context) (uint64, error)

	// News returns a channel that is closed at a commit, or hint of one, that comes after
	// the call. Commits of other processes may be noticed late or not at all: see Mark.
	News() <-chan struct{}

	// Close waits for this process's transactions and lets go of everything.
	Close() error
}

// Txn is one transaction. Its keys are not empty. What Get and Scan hand out is valid
// until the transaction ends, and must not be changed.
//
// A key starts with the name of its table, up to the first slash. A scan stays within one
// table, which lets a backend keep tables apart.
type Txn interface {
	// Get returns nil for a key that is not there.
	Get(key []byte) ([]byte, error)
	// Put and Delete are errors in a View. Deleting what is not there is none.
	Put(key, value []byte) error
	Delete(key []byte) error
	// Scan visits the range in order until visit returns false. visit must not write.
	Scan(r Range, visit func(key, value []byte) bool) error
}

// Range is the keys k with From <= k < To, in falling order when Reverse is set.
type Range struct {
	From, To []byte
	Reverse  bool
}

// Prefix is the range of all keys that start with p, which must not be all 0xff.
func Prefix(p []byte) Range {
	to := bytes.Clone(p)
	for i := len(to) - 1; i >= 0; i-- {
		if to[i]++; to[i] != 0 {
			return Range{From: p, To: to[:i+1]}
		}
	}
	return Range{From: p}
}

// Backwards is the same range from its end.
func (r Range) Backwards() Range {
	r.Reverse = !r.Reverse
	return r
}

// ErrNoHome: nothing has been created there yet. Nothing was written.
var ErrNoHome = errors.New("there is no vise home here")

// Errors of a transaction.
var (
	// ErrDamaged: the ledger's file does not read as what was written.
	ErrDamaged = errors.New("the ledger is damaged")
	// ErrUnknown: a commit failed in a way that leaves open whether it happened.
	ErrUnknown = errors.New("the outcome of the commit is unknown")
	// ErrReplaced: the ledger's file, or its lock, was replaced during the transaction.
	errReplaced = errors.New("the ledger was replaced while in use")

	errReadOnlyTxn = errors.New("write in a transaction that only reads")
	errEmptyKey    = errors.New("empty key")
)

// Busy is the error of a transaction that did not get the ledger's lock in time.
type Busy = lock.Busy

// noHome is an ErrNoHome with the place.
func noHome(dir string) error { return fmt.Errorf("%w: %s", ErrNoHome, dir) }

// Refusal: what lies in a home must not be used as it is.
type Refusal struct {
	What string // the thing and what is wrong with it
	Hint string // what to do
}

func (r *Refusal) Error() string { return r.What }

// restoreHint is the way out of a home without a ledger that can be used.
const restoreHint = "vise restore --dry-run says what can be had back"

func refuse(hint, format string, args ...any) error {
	return &Refusal{What: fmt.Sprintf(format, args...), Hint: hint}
}

// damage is an ErrDamaged with the step at which it showed.
type damage struct {
	step  string
	cause any
}

func (d *damage) Error() string { return fmt.Sprintf("%s: %v", d.step, d.cause) }

func (d *damage) Is(target error) bool { return target == ErrDamaged }

func lostChanges(revision, known uint64) string {
	return fmt.Sprintf("it ends at revision %d, and this home has seen %d", revision, known)
}
