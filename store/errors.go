package store

import (
	"errors"
	"fmt"

	"vise/store/lock"
)

// Errors of finding and opening a home.
var (
	// ErrNoHome: nothing has been created there yet. Nothing was written.
	ErrNoHome = errors.New("there is no vise home here")
	// ErrRefused: what lies there must not be used as it is. The message says why and
	// names a way out.
	ErrRefused = errors.New("refused")
)

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
type noHome string

func (dir noHome) Error() string { return "nothing at " + string(dir) }

// Is makes a noHome an ErrNoHome.
func (noHome) Is(target error) bool { return target == ErrNoHome }

// Refusal is an ErrRefused with its reason and the way out.
type Refusal struct {
	What string // the thing and what is wrong with it
	Hint string // what to do
}

func (r *Refusal) Error() string { return r.What }

// Is makes a Refusal an ErrRefused.
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

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
