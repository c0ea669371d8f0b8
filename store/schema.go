package store

import (
	"context"
	"errors"
	"fmt"
)

// migration moves a ledger from one schema to the next.
type migration func(Txn) error

// migrations lead from schema 1 to this program's, oldest first. They run in one
// transaction, the first that meets an older ledger.
var migrations = []migration{addAttention}

var (
	errOldSchema = errors.New("the ledger has an older schema")
	errNewer     = errors.New("the ledger has a newer schema")
)

// schema is the one that this program writes.
func (l *Ledger) schema() int { return len(l.steps) + 1 }

// learnSchema notes how the ledger's schema compares with this program's.
func (l *Ledger) learnSchema(f *facts) {
	var found int
	if !f.getJSON(keySchema, &found) || found < 1 {
		f.fail(&damage{"open", "no schema"})
		return
	}
	l.age.Store(int32(found - l.schema()))
}

// fits lets a newer ledger be read, and stops an older one until it is migrated.
func (l *Ledger) fits(writing bool) error {
	switch age := l.age.Load(); {
	case age < 0:
		return errOldSchema
	case age > 0 && writing:
		return errNewer
	}
	return nil
}

// migrate runs the migrations that a ledger has not seen, all or none.
func (l *Ledger) migrate(ctx context.Context) error {
	var found int
	err := l.backend.Update(ctx, func(t Txn) error {
		f := newFacts(t)
		f.getJSON(keySchema, &found)
		for ; f.err == nil && found < l.schema(); found++ {
			if err := l.steps[found-1](t); err != nil {
				return fmt.Errorf("migrate the ledger from schema %d: %w", found, err)
			}
			f.putJSON(keySchema, found+1)
		}
		return f.err
	})
	if err == nil {
		l.age.Store(int32(found - l.schema()))
	}
	return err
}
