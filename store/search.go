package store

import (
	"bytes"
	"cmp"
	"runtime"
	"runtime/debug"
	"sync"

	"vise/model"
	"vise/store/kv"
)

// The limits of one look keep the ledger free for other processes: a look takes some 10 ms.
const (
	lookedAt    = 20_000
	lookedBytes = 16 << 20
	// lookedAtOnce is how many pairs are examined at a time.
	lookedAtOnce = 1000
)

// Agents implements model.Reader. It decodes each record as it lies in the range: to get it would be a request to a cluster.
func (r Reader) Agents(after model.AgentID, limit int) (out []model.Agent) {
	keys := Prefix(recordsFrom(model.KindAgent, ""))
	if after != "" {
		keys.From = append(recordsFrom(model.KindAgent, string(after)), 0)
	}
	for len(out) < limit && r.Err == nil { // more than once if some are damaged
		var stored []pair
		want := limit - len(out)
		r.Scan(keys, func(key, value []byte) bool {
			stored = append(stored, pair{key, value})
			return len(stored) < want
		})
		for _, p := range stored {
			if a, ok := r.agentIn(p); ok && !a.Removed {
				out = append(out, a)
			}
		}
		if len(stored) < want {
			break
		}
		keys.From = append(bytes.Clone(stored[want-1].key), 0)
	}
	return out
}

func (f *Facts) agentIn(p pair) (a model.Agent, ok bool) {
	n, _ := recordIn(p.key)
	r, known := f.records[n]
	if !known {
		payload, err := kv.Unframe(p.key, p.value)
		f.Harmed(err)
		r, _ = f.loadFrom(n, p.key, payload)
	}
	a, ok = r.(model.Agent)
	return a, ok
}

// Items implements model.Reader.
func (r Reader) Items(from string, limit int, may func(stored []byte) bool) (found []model.WorkItem, next string, looked int) {
	keys := Prefix(recordsFrom(model.KindItem, "")).Backwards()
	if from != "" {
		keys.To = []byte(from)
	}
	held, next, looked := r.look(keys, limit, func(p pair) bool { return may(p.value) })
	if from == "" && next == "" {
		r.compareCount(looked, "work items", model.TallyOpen, model.TallyCompleted)
	}
	for _, p := range held {
		n, _ := recordIn(p.key)
		if w, ok := r.Item(model.ItemID(n.Key)); ok {
			found = append(found, w)
		}
	}
	return found, next, looked
}

// ItemsOf implements model.Reader.
func (r Reader) ItemsOf(a model.AgentID, c model.Class, from string, limit int, may func(model.Row) bool) (
	found []model.WorkItem, next string, looked int) {
	keys := Prefix(indexPrefix(a, c))
	if from != "" {
		keys.From = append([]byte(from), 0)
	}
	held, next, looked := r.look(keys, limit, func(p pair) bool {
		row, err := decodeRow[model.Row](p.key, p.value)
		return err != nil || may(row)
	})
	for _, p := range held {
		row, err := decodeRow[model.Row](p.key, p.value)
		r.Harmed(err)
		if err != nil || !r.hasRecord(row) {
			continue
		}
		if w, ok := r.Item(row.ID); ok {
			found = append(found, w)
		}
	}
	return found, next, looked
}

// look finds the first pairs of a range, up to a limit, that may accepts. next is the key where the look ended, empty if nothing follows;
// looked is the number of pairs examined.
func (f *Facts) look(keys Range, limit int, may func(pair) bool) (held []pair, next string, looked int) {
	var some []pair
	judge := func() {
		accepted, err := judged(some, may)
		f.Harmed(err)
		for i, p := range some {
			if looked++; accepted[i] {
				held = append(held, p)
			}
			if len(held) == limit {
				next = string(p.key)
				break
			}
		}
		some = some[:0]
	}
	size := 0
	f.Scan(keys, func(key, value []byte) bool {
		some, size = append(some, pair{key, value}), size+len(value)
		full := looked+len(some) == lookedAt || size >= lookedBytes
		if full || len(some) == lookedAtOnce {
			judge()
		}
		if full {
			next = cmp.Or(next, string(key))
		}
		return next == ""
	})
	if next == "" {
		judge()
	}
	return held, next, looked
}

// judged calls may for pairs, on all processors.
func judged(pairs []pair, may func(pair) bool) (accepted []bool, err error) {
	accepted = make([]bool, len(pairs))
	n := runtime.GOMAXPROCS(0)
	errs := make([]error, n)
	var judging sync.WaitGroup
	for i := range n {
		judging.Go(func() {
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			defer func() { // a memory fault comes from the file's pages
				if r := recover(); kv.IsFault(r) {
					errs[i] = kv.Damaged("read", "%v", r)
				} else if r != nil {
					panic(r)
				}
			}()
			for at := len(pairs) * i / n; at < len(pairs)*(i+1)/n; at++ {
				accepted[at] = may(pairs[at])
			}
		})
	}
	judging.Wait()
	return accepted, cmp.Or(errs...)
}
