package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"vise/model"
	"vise/store/journal"
)

// redo makes a recorded change again.
func redo(t Txn, all []Portion) error {
	var c commit
	var records []model.Record
	var events []model.Entry
	for _, p := range all {
		c.Revision, c.At, c.Actor, c.Person = p.Revision, p.At, p.Actor, p.Person
		if p.Receipt != nil {
			c.Part, c.Key, c.Print, c.Receipt = p.Agent, p.Key, p.Print, *p.Receipt
		}
		wrote, err := recordsOf(p.Writes)
		if err != nil {
			return err
		}
		records = append(records, wrote...)
		c.Plans = append(c.Plans, p.Plans...)
		events = append(events, p.entries()...)
	}
	f := NewFacts(t)
	f.save(c, records, events)
	return f.Err
}

// ErrDiffers means that a change of the journal does not follow from the changes before it.
var ErrDiffers = errors.New("the journal does not continue this ledger")

// changesIn sorts the portions of a revision by their changes.
func changesIn(all []Portion) (changes [][]Portion) {
	for _, p := range all {
		at := slices.IndexFunc(changes, func(c []Portion) bool { _, with := c[0].With[p.Agent]; return with })
		if at < 0 {
			changes = append(changes, []Portion{p})
		} else {
			changes[at] = append(changes[at], p)
		}
	}
	return changes
}

// Redo makes one change again, and compares the result with the copy.
func Redo(t Txn, copied journal.Change) error {
	differs := func(err error) error { return fmt.Errorf("%w at revision %d: %w", ErrDiffers, copied.Revision, err) }
	portions := make([]Portion, len(copied.Values))
	for i, v := range copied.Values {
		var err error
		if portions[i], err = ReadPortion(JournalKey(copied.Revision, v.Part), v.Bytes); err != nil {
			return differs(err)
		}
	}
	for _, change := range changesIn(portions) {
		if err := redo(t, change); err != nil {
			return differs(err)
		}
	}
	for _, v := range copied.Values {
		have, err := t.Get(JournalKey(copied.Revision, v.Part))
		if err != nil || !bytes.Equal(have, v.Bytes) {
			return differs(err)
		}
	}
	return nil
}
