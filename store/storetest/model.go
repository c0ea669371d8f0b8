package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vise/store"
)

var errNo = errors.New("no")

// equalsMap drives a backend and a map with the same random transactions, some of them
// rolled back, and compares random ranges, inside the transactions and after them.
func equalsMap(t *testing.T, b store.Backend) {
	truth := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		draft := maps.Clone(truth)
		fails := rapid.Bool().Draw(t, "rolled back")
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 20).Draw(t, "steps")
		err := b.Update(ctx, func(txn store.Txn) error {
			draft = maps.Clone(truth)
			for _, s := range steps {
				if err := s.do(txn, draft); err != nil {
					return err
				}
			}
			if fails {
				return errNo
			}
			return nil
		})
		switch {
		case fails && !errors.Is(err, errNo):
			t.Fatalf("rolled back with %v", err)
		case !fails && err != nil:
			t.Fatal(err)
		case !fails:
			truth = draft
		}
		err = b.View(ctx, func(txn store.Txn) error {
			return errors.Join(compare(txn, truth, store.Prefix([]byte("t/"))), compare(txn, truth, store.Prefix([]byte("journal/"))))
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// step is one call: a put, a delete, or a scan of from..to.
type step struct {
	Verb     string
	Key      string
	To       string
	Backward bool
}

func drawStep(t *rapid.T) step {
	table := rapid.SampledFrom([]string{"t/", "journal/"}).Draw(t, "table")
	name := rapid.StringMatching(`[ab]{0,3}`)
	return step{
		Verb:     rapid.SampledFrom([]string{"put", "put", "delete", "scan"}).Draw(t, "verb"),
		Key:      table + name.Draw(t, "key"),
		To:       table + name.Draw(t, "to"),
		Backward: rapid.Bool().Draw(t, "backward"),
	}
}

func (s step) do(txn store.Txn, draft map[string]string) error {
	switch s.Verb {
	case "put":
		draft[s.Key] = s.To
		return txn.Put([]byte(s.Key), []byte(s.To))
	case "delete":
		delete(draft, s.Key)
		return txn.Delete([]byte(s.Key))
	default:
		return compare(txn, draft, store.Range{From: []byte(s.Key), To: []byte(s.To), Reverse: s.Backward})
	}
}

// compare says how a range differs from the map's part of it.
func compare(txn store.Txn, truth map[string]string, r store.Range) error {
	var want, got []string
	for _, k := range slices.Sorted(maps.Keys(truth)) {
		if k >= string(r.From) && k < string(r.To) {
			want = append(want, k+"="+truth[k])
		}
	}
	if r.Reverse {
		slices.Reverse(want)
	}
	err := txn.Scan(r, func(k, v []byte) bool {
		got = append(got, fmt.Sprintf("%s=%s", k, v))
		return true
	})
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("range %q to %q, reverse %v: got %v, want %v", r.From, r.To, r.Reverse, got, want)
	}
	return err
}
