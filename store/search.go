package store

import (
	"bytes"
	"cmp"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"vise/model"
	"vise/store/kv"
)

// The limits of one look keep the ledger free for other processes: a look takes some 10 ms.
const (
	lookedAt    = 20_000
	lookedBytes = 16 << 20
	// lookedAtOnce is how many pairs one goroutine examines at a time.
	lookedAtOnce = 512
)

// Agents implements model.Reader. It decodes each record as it lies in the range.
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

// look finds the first pairs of a range, up to a limit, that may accepts. Goroutines on all processors call may while the scan continues.
// next is the key where the look ended, empty if nothing follows; looked is the number of pairs examined.
func (f *Facts) look(keys Range, limit int, may func(pair) bool) (held []heldPair, next string, looked int) {
	l, bytes, more := startLooking(may), 0, false
	var last []byte
	func() {
		defer close(l.parts) // also if a damaged page ends the scan
		f.Scan(keys, func(key, value []byte) bool {
			l.add(pair{key, value})
			last, looked, bytes = key, looked+1, bytes+len(value)
			more = looked == lookedAt || bytes >= lookedBytes || l.found.Load() >= int64(limit)
			return !more
		})
	}()
	held, err := l.end()
	f.Harmed(err)
	if len(held) >= limit { // the same pairs, however far the scan had got
		held = held[:limit]
		return held, string(held[limit-1].key), held[limit-1].n
	}
	if more {
		next = string(last)
	}
	return held, next, looked
}

// looking is a look in progress.
type looking struct {
	may   func(pair) bool
	next  part // the part that is being filled
	parts chan part
	spent chan []pair // slices to use again
	// held are the accepted pairs, by part; found is their number.
	held  [lookedAt/lookedAtOnce + 1][]heldPair
	found atomic.Int64
	errs  chan error
}

// part is some successive pairs; n is its place among the parts.
type part struct {
	n     int
	pairs []pair
}

// heldPair is the nth pair of a look, counted from 1.
type heldPair struct {
	pair
	n int
}

func startLooking(may func(pair) bool) *looking {
	n := runtime.GOMAXPROCS(0)
	return &looking{may: may, parts: make(chan part, n), spent: make(chan []pair, n), errs: make(chan error, n)}
}

// add adds a pair to the next part, and hands a full part to the goroutines. The first full part starts them.
func (l *looking) add(p pair) {
	if l.next.pairs == nil {
		select {
		case l.next.pairs = <-l.spent:
		default:
			l.next.pairs = make([]pair, 0, lookedAtOnce)
		}
	}
	l.next.pairs = append(l.next.pairs, p)
	if len(l.next.pairs) < lookedAtOnce {
		return
	}
	if l.next.n == 0 {
		for range cap(l.errs) {
			go l.lookThrough()
		}
	}
	l.parts <- l.next
	l.next = part{n: l.next.n + 1}
}

// end examines the last part, waits for the goroutines, and returns the accepted pairs in order.
func (l *looking) end() (held []heldPair, err error) {
	l.judge(l.next)
	if l.next.n > 0 {
		for range cap(l.errs) {
			err = cmp.Or(err, <-l.errs)
		}
	}
	return slices.Concat(l.held[:]...), err
}

func (l *looking) lookThrough() {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var err error
	for p := range l.parts {
		err = cmp.Or(err, l.read(p))
		select {
		case l.spent <- p.pairs[:0]:
		default:
		}
	}
	l.errs <- err
}

// read examines a part. A memory fault comes from the file's pages.
func (l *looking) read(p part) (err error) {
	defer func() {
		if r := recover(); kv.IsFault(r) {
			err = kv.Damaged("read", r)
		} else if r != nil {
			panic(r)
		}
	}()
	l.judge(p)
	return nil
}

func (l *looking) judge(p part) {
	for i, x := range p.pairs {
		if l.may(x) {
			l.held[p.n] = append(l.held[p.n], heldPair{x, p.n*lookedAtOnce + i + 1})
		}
	}
	l.found.Add(int64(len(l.held[p.n])))
}
