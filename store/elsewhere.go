package store

import (
	"context"
	"slices"

	"vise/model"
	"vise/store/kv"
)

// Elsewhere is what is known of a ledger on another machine: records, and what derives from them. It has no history, and never changes.
type Elsewhere struct {
	keys *kv.Memory
	// Records counts them.
	Records int
}

// NothingElsewhere has no records yet.
func NothingElsewhere() Elsewhere { return Elsewhere{keys: kv.NewMemory()} }

// With returns what is known once some records were written there and others are gone.
func (e Elsewhere) With(written []model.Record, gone []model.RecordName) (Elsewhere, error) {
	next := Elsewhere{e.keys.Clone(), e.Records}
	return next, WriteFacts(context.Background(), next.keys, func(f *Facts) error {
		all := slices.Clone(written)
		for _, n := range gone {
			if r, known := f.load(n); known {
				all = append(all, r)
			}
		}
		f.rederive(all, func() {
			for i, r := range all {
				_, known := f.load(r.Name())
				switch {
				case i >= len(written):
					f.Delete(recordKey(r.Name(), r.Part()))
					f.records[r.Name()] = nil
					next.Records--
					continue
				case !known:
					next.Records++
				}
				f.putRecord(r)
			}
		})
		for id, h := range f.heads {
			f.PutPartHead(id, h)
		}
		return nil
	})
}

// Reader reads it. A reader is for one goroutine.
func (e Elsewhere) Reader() model.Reader { return Reader{NewFacts(e.keys.Now())} }
