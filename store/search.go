package store

import (
	"runtime"
	"runtime/debug"
	"sync"

	"vise/model"
)

// Bounds of one look at the items, so that nobody waits long for the ledger: some 10 ms.
const (
	lookedAt    = 20_000
	lookedBytes = 16 << 20
	// lookedAtOnce is what one processor looks at in a turn.
	lookedAtOnce = 512
)

// Items implements model.Reader.
func (r reader) Items(before model.ItemID, may func(raw []byte) bool, visit func(model.WorkItem) bool) (next model.ItemID) {
	keys := Prefix(recordKey(model.KindItem, "")).Backwards()
	if before != "" {
		keys.To = recordKey(model.KindItem, string(before))
	}
	var all []pair
	bytes := 0
	r.scan(keys, func(key, value []byte) bool {
		all = append(all, pair{key, value})
		bytes += len(value)
		return len(all) < lookedAt && bytes < lookedBytes
	})
	held, err := holding(all, may)
	r.harmed(err)
	idOf := func(p pair) model.ItemID { return model.ItemID(p.key[len("item/"):]) }
	for i, p := range all {
		if held[i] {
			if w, ok := r.Item(idOf(p)); ok && !visit(w) {
				return idOf(p)
			}
		}
	}
	if len(all) < lookedAt && bytes < lookedBytes {
		return ""
	}
	return idOf(all[len(all)-1])
}

// holding says of which values may is true. All processors look.
func holding(all []pair, may func([]byte) bool) (held []bool, err error) {
	held = make([]bool, len(all))
	parts := make(chan int, len(all)/lookedAtOnce+1)
	for from := 0; from < len(all); from += lookedAtOnce {
		parts <- from
	}
	close(parts)
	var looking sync.WaitGroup
	errs := make(chan error, runtime.GOMAXPROCS(0))
	for range cap(errs) {
		looking.Go(func() { errs <- lookThrough(all, held, parts, may) })
	}
	looking.Wait()
	close(errs)
	for e := range errs {
		if e != nil {
			err = e
		}
	}
	return held, err
}

// lookThrough looks at parts. A memory fault comes from the file's pages.
func lookThrough(all []pair, held []bool, parts <-chan int, may func([]byte) bool) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); isFault(r) {
			err = &damage{"read", r}
		} else if r != nil {
			panic(r)
		}
	}()
	for from := range parts {
		for i := from; i < min(from+lookedAtOnce, len(all)); i++ {
			held[i] = may(all[i].value)
		}
	}
	return nil
}
