package transfer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// prove refuses a ledger in which a check finds anything, also what a rebuild would mend: what moves is used as it is.
func prove(ctx context.Context, b store.Backend, h store.Home) error {
	health, err := store.Prove(ctx, b, h)
	if err == nil && health.Derived > 0 {
		err = kv.Refuse("vise doctor --repair mends a ledger in a file, vise admin fleet check --repair one on a cluster",
			"%d rows or counts differ from the records, the first: %s", health.Derived, model.Text(health.Problems[0]))
	}
	return err
}

// entry is a key and its value.
type entry struct{ key, value []byte }

// scannedAtOnce limits what scanAll holds in memory, in bytes.
const scannedAtOnce = 4 << 20

// scanAll visits the keys of some tables that follow a key, in the order of the tables. A transaction ends before its keys are visited.
func scanAll(ctx context.Context, b store.Backend, tables []string, after []byte, visit func(key, value []byte) error) error {
	at := max(slices.IndexFunc(tables, func(table string) bool { return bytes.HasPrefix(after, []byte(table)) }), 0)
	for ; at < len(tables); at++ {
		for more := true; more; {
			keys := store.Prefix([]byte(tables[at]))
			if bytes.HasPrefix(after, keys.From) {
				keys.From = append(bytes.Clone(after), 0)
			}
			var page []entry
			size := 0
			err := b.View(ctx, func(t store.Txn) error {
				return t.Scan(keys, func(key, value []byte) bool {
					page = append(page, entry{bytes.Clone(key), append([]byte{}, value...)})
					size += len(key) + len(value)
					return size < scannedAtOnce
				})
			})
			if err != nil {
				return err
			}
			for _, p := range page {
				if err := visit(p.key, p.value); err != nil {
					return err
				}
				after = p.key
			}
			more = size >= scannedAtOnce
		}
	}
	return nil
}

// Proof is how two ledgers were compared.
type Proof struct {
	// Tables are how many tables were compared, Keys how many keys they have.
	Tables int `json:"tables"`
	Keys   int `json:"keys"`
	// Sum is the SHA-256 of all tables' sums.
	Sum string `json:"sha256"`
}

// compareLedgers compares two ledgers, table by table.
func compareLedgers(ctx context.Context, a, b store.Backend) (p Proof, err error) {
	whole := sha256.New()
	for _, table := range carried {
		sum, keys, err := compareTable(ctx, a, b, table)
		if err != nil {
			return p, err
		}
		p.Tables, p.Keys = p.Tables+1, p.Keys+keys
		whole.Write(sum)
	}
	p.Sum = hex.EncodeToString(whole.Sum(nil))
	return p, nil
}

// compareTable returns the SHA-256 over the pairs of a table in order, and their number. It names the first key that differs.
func compareTable(ctx context.Context, a, b store.Backend, table string) (sum []byte, keys int, err error) {
	var unread error
	next, stop := iter.Pull2(func(yield func(key, value []byte) bool) {
		unread = scanAll(ctx, b, []string{table}, nil, func(key, value []byte) error {
			if !yield(key, value) {
				return context.Canceled
			}
			return nil
		})
	})
	defer stop()
	h := sha256.New()
	err = scanAll(ctx, a, []string{table}, nil, func(key, value []byte) error {
		k, v, more := next()
		switch order := bytes.Compare(key, k); {
		case !more || order < 0:
			return cmp.Or(unread, differs(key, "is missing"))
		case order > 0:
			return differs(k, "is not in the source")
		case !bytes.Equal(value, v):
			return differs(key, "is not what the source has")
		}
		for _, x := range [][]byte{key, value} {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(x))))
			h.Write(x)
		}
		keys++
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if k, _, more := next(); more {
		return nil, 0, differs(k, "is not in the source")
	}
	return h.Sum(nil), keys, unread
}

func differs(key []byte, what string) error {
	return kv.Damaged("compare", "%q %s", key, what)
}

// nameOfKey names a key for people.
func nameOfKey(key []byte) string {
	if revision, part := store.ChangeIn(key); bytes.HasPrefix(key, []byte(store.TableJournal)) {
		return fmt.Sprintf("the change of revision %d of agent %s", revision, part)
	}
	return fmt.Sprintf("%q", key)
}
