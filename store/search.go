package store

import (
	"runtime"
	"runtime/debug"

	"vise/model"
)

// Bounds of one look at the items, so that nobody waits long for the ledger: some 10 ms.
const (
	lookedAt    = 20_000
	lookedBytes = 16 << 20
	// lookedAtOnce is what one processor looks at in a turn.
	lookedAtOnce = 512
)

// Items implements model.Reader. What a scan passes is looked at while it goes on.
func (r reader) Items(
	before model.ItemID, may func(raw []byte) bool, visit func(model.WorkItem) bool,
) (next model.ItemID, looked int) {
	keys := Prefix(recordKey(model.KindItem, "")).Backwards()
	if before != "" {
		keys.To = recordKey(model.KindItem, string(before))
	}
	all, bytes := make([]pair, 0, lookedAt), 0
	l := startLooking(may)
	func() {
		defer close(l.parts) // also when a damaged page ends the scan
		r.scan(keys, func(key, value []byte) bool {
			all = append(all, pair{key, value})
			bytes += len(value)
			l.upTo(all)
			return len(all) < lookedAt && bytes < lookedBytes
		})
		l.give(all)
	}()
	r.harmed(l.end())
	idOf := func(p pair) model.ItemID { return model.ItemID(p.key[len("item/"):]) }
	for i, p := range all {
		if l.held[i] {
			if w, ok := r.Item(idOf(p)); ok && !visit(w) {
				return idOf(p), i + 1
			}
		}
	}
	if len(all) < lookedAt && bytes < lookedBytes {
		return "", len(all)
	}
	return idOf(all[len(all)-1]), len(all)
}

// look has all processors say of which values may is true.
type look struct {
	held  []bool
	given int
	parts chan part
	errs  chan error
}

// part is some pairs, and where to say which of them hold it.
type part struct {
	pairs []pair
	held  []bool
}

func startLooking(may func([]byte) bool) *look {
	l := &look{held: make([]bool, lookedAt), parts: make(chan part, lookedAt/lookedAtOnce+1), errs: make(chan error, runtime.GOMAXPROCS(0))}
	for range cap(l.errs) {
		go func() { l.errs <- lookThrough(l.parts, may) }()
	}
	return l
}

// upTo gives what was scanned to those who look, as soon as it is a part.
func (l *look) upTo(all []pair) {
	if len(all)-l.given == lookedAtOnce {
		l.give(all)
	}
}

func (l *look) give(all []pair) {
	l.parts <- part{all[l.given:], l.held[l.given:len(all)]}
	l.given = len(all)
}

// end waits for all of them.
func (l *look) end() (err error) {
	for range cap(l.errs) {
		if e := <-l.errs; e != nil {
			err = e
		}
	}
	return err
}

// lookThrough looks at parts. A memory fault comes from the file's pages.
func lookThrough(parts <-chan part, may func([]byte) bool) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); isFault(r) {
			err = &damage{"read", r}
		} else if r != nil {
			panic(r)
		}
	}()
	for x := range parts {
		for i := range x.pairs {
			x.held[i] = may(x.pairs[i].value)
		}
	}
	return nil
}
