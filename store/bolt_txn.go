package store

import (
	"bytes"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// The tables live in two buckets. What is only ever appended fills its pages to nine
// tenths: 1 M entries take 420 MB then, 705 MB otherwise. The rest takes inserts anywhere,
// yet most come at the end of a table: at seven tenths 30,000 items take 63 MB, at bbolt's
// half 91.
var (
	bucketAppended = []byte("journal")
	bucketState    = []byte("state")
	appendedTable  = []byte("journal/")
)

const (
	appendedFill = 0.9
	stateFill    = 0.7
)

// boltTxn is a session's transaction as a Txn.
type boltTxn struct {
	session  *session
	appended *bbolt.Bucket
	state    *bbolt.Bucket
	// getting are cursors for Get, one for each bucket: each keeps the memory of its way down.
	getting map[*bbolt.Bucket]*bbolt.Cursor
}

func (t *boltTxn) openTables() error {
	return t.session.guard("open tables", func() error {
		t.appended, t.state = t.session.tx.Bucket(bucketAppended), t.session.tx.Bucket(bucketState)
		if t.appended == nil || t.state == nil {
			return refuse(restoreHint, "the file is a bbolt database, but no ledger")
		}
		t.appended.FillPercent, t.state.FillPercent = appendedFill, stateFill
		return nil
	})
}

func (t *boltTxn) bucket(key []byte) *bbolt.Bucket {
	if bytes.HasPrefix(key, appendedTable) {
		return t.appended
	}
	return t.state
}

func (t *boltTxn) Get(key []byte) (value []byte, err error) {
	err = t.session.guard("get", func() error {
		if at, v := t.getter(t.bucket(key)).Seek(key); bytes.Equal(at, key) {
			value = v
		}
		return nil
	})
	return value, err
}

func (t *boltTxn) getter(b *bbolt.Bucket) *bbolt.Cursor {
	c := t.getting[b]
	if c == nil {
		if c = b.Cursor(); t.getting == nil {
			t.getting = map[*bbolt.Bucket]*bbolt.Cursor{}
		}
		t.getting[b] = c
	}
	return c
}

func (t *boltTxn) Put(key, value []byte) error {
	kept := append([]byte{}, value...) // bbolt copies the key alone, and reads nil back as nothing
	return t.write(key, func() error { return t.bucket(key).Put(key, kept) })
}

func (t *boltTxn) Delete(key []byte) error {
	return t.write(key, func() error { return t.bucket(key).Delete(key) })
}

func (t *boltTxn) write(key []byte, call func() error) error {
	if len(key) == 0 {
		return errEmptyKey
	}
	err := t.session.guard("put", call)
	if errors.Is(err, berrors.ErrTxNotWritable) {
		return errReadOnlyTxn
	}
	if err == nil {
		t.session.writes++
	}
	return err
}

// Scan implements Txn. Keys that do not go one way mean damaged pages, which could lead
// in a circle.
func (t *boltTxn) Scan(r Range, visit func(key, value []byte) bool) error {
	c := t.bucket(r.From).Cursor()
	step, first := c.Next, func() ([]byte, []byte) { return c.Seek(r.From) }
	if r.Reverse {
		step, first = c.Prev, func() ([]byte, []byte) { return seekBefore(c, r.To) }
	}
	var before []byte
	for move := first; ; move = step {
		var key, value []byte
		err := t.session.guard("scan", func() error {
			key, value = move()
			return nil
		})
		if err != nil || key == nil || r.excludes(key) {
			return err
		}
		if before != nil && (bytes.Compare(before, key) < 0) == r.Reverse {
			return &damage{"scan", fmt.Sprintf("keys out of order at %q", key)}
		}
		before = key
		if !visit(key, value) {
			return nil
		}
	}
}

// seekBefore finds the last key below to.
func seekBefore(c *bbolt.Cursor, to []byte) ([]byte, []byte) {
	if to == nil {
		return c.Last()
	}
	if key, _ := c.Seek(to); key == nil {
		return c.Last()
	}
	return c.Prev()
}

// excludes reports whether a scan that started inside the range has left it at key.
func (r Range) excludes(key []byte) bool {
	if r.Reverse {
		return bytes.Compare(key, r.From) < 0
	}
	return r.To != nil && bytes.Compare(key, r.To) >= 0
}
