package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"vise/model"
)

// oldCommit is a change in the journal of an older ledger. Its key is journal/<revision><0>; its events follow with numbers from 1 on.
type oldCommit struct {
	At      time.Time     `json:"at"`
	Actor   model.Actor   `json:"actor"`
	Key     string        `json:"key"`
	Print   string        `json:"print"`
	Writes  []write       `json:"writes"`
	Plans   []plan        `json:"plans"`
	Receipt model.Receipt `json:"receipt"`
}

// oldChange is a commit with its records and events. rows are the keys and payloads of those of its records that are stored as it wrote
// them, and of what derives from them.
type oldChange struct {
	oldCommit
	records []model.Record
	events  []model.Entry
	rows    []pair
}

// oldName reads a record's name from its key.
func oldName(key []byte) model.RecordName {
	kind, id, _ := bytes.Cut(key, []byte("/"))
	return model.RecordName{Kind: model.RecordKind(kind), Key: string(id)}
}

// olderTxn reads the records of an older ledger, and rows of this program's layout.
type olderTxn struct {
	Txn
	rows Txn
}

// Get implements Txn.
func (t olderTxn) Get(key []byte) ([]byte, error) {
	if oldName(key).Kind.Known() {
		return t.Txn.Get(key)
	}
	return t.rows.Get(key)
}

// Scan implements Txn. The range of a record, with whatever part, has the record under its older key.
func (t olderTxn) Scan(r Range, visit func(key, value []byte) bool) error {
	if !oldName(r.From).Kind.Known() {
		return t.rows.Scan(r, visit)
	}
	key := bytes.TrimSuffix(r.From, []byte("/"))
	value, err := t.Txn.Get(key)
	if value != nil {
		visit(key, value)
	}
	return err
}

// readHistory reads the changes of the older journal, in order.
func (r *remaking) readHistory(ctx context.Context) error {
	defer close(r.read)
	var c *oldChange
	var bad error
	err := r.older.View(ctx, func(t Txn) error {
		return t.Scan(Prefix([]byte(tableJournal)), func(key, value []byte) bool {
			at := key[min(len(key), len(tableJournal)+numberSize):]
			payload, err := unframe(key, value)
			switch {
			case err != nil || len(at) != 4 || c == nil && binary.BigEndian.Uint32(at) > 0:
				bad = cmp.Or[error](err, &damage{"read", fmt.Sprintf("%q is no key of a history", key)})
			case binary.BigEndian.Uint32(at) == 0:
				if c != nil {
					bad = send(ctx, r.read, *c)
				}
				c = &oldChange{}
				if bad = cmp.Or(bad, decode(key, payload, &c.oldCommit)); bad == nil {
					c.records, bad = recordsOf(c.Writes)
				}
			default:
				var e model.Entry
				bad = decode(key, payload, &e)
				c.events = append(c.events, e)
			}
			return bad == nil
		})
	})
	if err = cmp.Or(bad, err); err != nil || c == nil {
		return err
	}
	return send(ctx, r.read, *c)
}
