package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// transfer copies a ledger that does not change to another backend. What is there, and how far it is, stands in its status, so that a copy
// that ended early goes on.
type transfer struct {
	from, to store.Backend
	// id is of the move, home the id of the ledger's home, other what the source is called. The copy opens with the epoch.
	id, home, other string
	epoch           uint64
	progress        func(Copied)
	copied          Copied
}

// carried are the tables that a transfer copies, in its order. The heads come last; until then a part has one that agrees with nothing.
// The texts of plans stay: see BringPlans.
var carried = append(slices.DeleteFunc(slices.Clone(store.Tables), func(table string) bool {
	return table == "about/" || table == store.TableHead || table == store.TablePlan
}), store.TableHead)

// about are the keys of the whole ledger that a transfer copies as they are.
var about = [][]byte{store.KeyHome, store.KeyFormat, store.KeySchema, keyArchive}

// batchOverhead are the bytes of a transaction of a transfer that are of keys that are not copied.
const batchOverhead = 8 << 10

// batch is what one transaction of a transfer copies or deletes.
type batch struct {
	pairs     []entry
	parts     map[model.AgentID]bool
	ops, size int // what it may still have
	full      bool
}

func newBatch(ops, bytes int) *batch {
	return &batch{parts: map[model.AgentID]bool{}, ops: ops - 1, size: bytes - batchOverhead} // one for the status
}

// add adds an entry, if there is room.
func (b *batch) add(p entry) bool {
	part, isHead := store.PartOf(p.key), bytes.HasPrefix(p.key, []byte(store.TableHead))
	ops, size := 1, len(p.key)+len(p.value)
	if part != "" && !isHead && !b.parts[part] {
		ops++
	}
	if b.full = len(b.pairs) > 0 && (ops > b.ops || size > b.size); b.full {
		return false
	}
	b.ops, b.size = b.ops-ops, b.size-size
	b.pairs = append(b.pairs, p)
	if part != "" && !isHead {
		b.parts[part] = true
	}
	return true
}

// carry brings the ledger and checks what has arrived, which is not open yet.
func (x *transfer) carry(ctx context.Context, h store.Home) (Proof, error) {
	proof, err := x.bring(ctx)
	if err == nil {
		err = prove(ctx, x.to, h)
	}
	return proof, err
}

// bring copies the ledger and compares the copy.
func (x *transfer) bring(ctx context.Context) (Proof, error) {
	s, err := x.begin(ctx)
	if err == nil && s.Clearing {
		err = x.clear(ctx)
	}
	if err == nil {
		err = x.copy(ctx, s.Copied)
	}
	if err != nil {
		return Proof{}, err
	}
	return compareLedgers(ctx, x.from, x.to)
}

// begin begins a ledger that is on its way, or finds how far it is.
func (x *transfer) begin(ctx context.Context) (s store.Status, err error) {
	var is []entry
	last := store.Head{}
	err = store.ReadFacts(ctx, x.from, func(f *store.Facts) error {
		for _, key := range about {
			if value := f.Payload(key); value != nil {
				is = append(is, entry{key, bytes.Clone(value)})
			}
		}
		f.EachHead(func(_ model.AgentID, h store.PartHead) { last.Revision = max(last.Revision, h.Revision) })
		return nil
	})
	if err != nil {
		return s, err
	}
	err = store.WriteFacts(ctx, x.to, func(f *store.Facts) error {
		if s = f.Status(); s.State == store.StateArriving && s.Move == x.id {
			return nil
		}
		clearing, err := x.room(f)
		if err != nil {
			return err
		}
		for _, p := range is {
			f.Put(p.key, p.value)
		}
		f.PutHead(last)
		s = store.Status{State: store.StateArriving, Move: x.id, Other: x.other, Clearing: clearing}
		f.PutStatus(s)
		return nil
	})
	return s, err
}

// room refuses a backend that has a ledger, except this ledger from before it moved away from there. Then that has to be cleared.
func (x *transfer) room(f *store.Facts) (clearing bool, err error) {
	if s := f.Status(); s.State == store.StateMoved && f.Epoch() < x.epoch {
		var id string
		f.JSON(store.KeyHome, &id)
		if clearing = id == x.home; clearing {
			return true, nil
		}
	}
	return false, vacant(f)
}

// clear deletes what the target has, until its status says that nothing is left.
func (x *transfer) clear(ctx context.Context) (err error) {
	ops, size := x.to.Limits()
	for done := false; err == nil && !done; {
		err = store.WriteFacts(ctx, x.to, func(f *store.Facts) error {
			s := f.Status()
			if err := x.mine(s); err != nil {
				return err
			}
			if done = deleteSome(f, ops, size); done {
				s.Clearing = false
				f.PutStatus(s)
			}
			return nil
		})
	}
	return err
}

// deleteSome deletes as many keys as a transaction takes. It reports whether none was left.
func deleteSome(f *store.Facts, ops, most int) (none bool) {
	batch := newBatch(ops, most)
	for _, table := range append([]string{store.TablePlan}, carried...) {
		f.Scan(store.Prefix([]byte(table)), func(key, _ []byte) bool { return batch.add(entry{key: bytes.Clone(key)}) })
		if batch.full {
			break
		}
	}
	for part := range batch.parts {
		f.PutJSON(store.HeadKey(part), struct{}{}) // a backend may find the parts by their heads; these go last
	}
	for _, p := range batch.pairs {
		f.Delete(p.key)
	}
	return len(batch.pairs) == 0
}

// abandon deletes what the target has of a ledger that does not come.
func (x *transfer) abandon(ctx context.Context) error {
	none := false
	err := store.WriteFacts(ctx, x.to, func(f *store.Facts) error {
		s := f.Status()
		switch none = f.Payload(store.KeyHead) == nil || s.State == store.StateMoved; {
		case none && s.Came != x.id:
			return nil
		case s.Came == x.id:
			return kv.Refuse("", "the ledger is open at its new place already")
		}
		s.Clearing, s.Copied = true, nil // if this ends early, and the move goes on, all is copied again
		f.PutStatus(s)
		return x.mine(s)
	})
	if err != nil || none {
		return err
	}
	if err := x.clear(ctx); err != nil {
		return err
	}
	return store.WriteFacts(ctx, x.to, func(f *store.Facts) error {
		for _, key := range append(slices.Clone(about), store.KeyHead, store.KeyEpoch, keyTexts, store.KeyStatus) {
			f.Delete(key)
		}
		return nil
	})
}

// mine refuses a target that another move has.
func (x *transfer) mine(s store.Status) error {
	if s.State == store.StateArriving && s.Move == x.id {
		return nil
	}
	return model.Refused("another process has gone on with this move").WithHint("wait for its end")
}

// copy copies what follows a key in the order of the transfer.
func (x *transfer) copy(ctx context.Context, after []byte) error {
	batch := newBatch(x.to.Limits())
	flush := func() error {
		if len(batch.pairs) == 0 {
			return nil
		}
		if err := x.write(ctx, batch, after); err != nil {
			return err
		}
		after = batch.pairs[len(batch.pairs)-1].key
		x.copied.Pairs += len(batch.pairs)
		for _, p := range batch.pairs {
			x.copied.Bytes += int64(len(p.key) + len(p.value))
		}
		if x.progress != nil {
			x.progress(x.copied)
		}
		batch = newBatch(x.to.Limits())
		return ctx.Err()
	}
	err := scanAll(ctx, x.from, carried, after, func(key, value []byte) error {
		p := entry{key, value}
		if batch.add(p) {
			return nil
		}
		if err := flush(); err != nil {
			return err
		}
		batch.add(p)
		return nil
	})
	return cmp.Or(err, flush())
}

// write writes a batch, if nobody has written since the key after.
func (x *transfer) write(ctx context.Context, b *batch, after []byte) error {
	last := b.pairs[len(b.pairs)-1].key
	try := func(f *store.Facts) error {
		s := f.Status()
		if err := x.mine(s); err != nil || bytes.Equal(s.Copied, last) {
			return err // or an earlier try has written it
		}
		if !bytes.Equal(s.Copied, after) {
			return x.mine(store.Status{})
		}
		for part := range b.parts {
			f.PutJSON(store.HeadKey(part), struct{}{})
		}
		for _, p := range b.pairs {
			f.Fail(f.Txn.Put(p.key, p.value))
		}
		s.Copied = last
		f.PutStatus(s)
		return nil
	}
	const tries = 5
	for n := 1; ; n++ {
		err := store.WriteFacts(ctx, x.to, try)
		if !errors.Is(err, store.ErrUnknown) || n == tries || ctx.Err() != nil {
			return err
		}
	}
}

// open opens the copy.
func (x *transfer) open(ctx context.Context) error {
	return store.WriteFacts(ctx, x.to, func(f *store.Facts) error {
		switch s := f.Status(); {
		case s.Came == x.id:
		case x.mine(s) != nil:
			return x.mine(s)
		default:
			f.PutJSON(store.KeyEpoch, x.epoch)
			f.PutStatus(store.Status{Came: x.id, Since: f.Head().Revision})
		}
		return nil
	})
}

// vacant refuses a backend that has a ledger.
func vacant(f *store.Facts) error {
	switch s := f.Status(); {
	case s.State == store.StateArriving:
		return kv.Refuse("name another place, or end that move", "a ledger is on its way there from %s", model.Text(s.Other))
	case f.Payload(store.KeyHead) != nil:
		return model.Conflict("there is a ledger already where this one should go").
			WithHint("two ledgers cannot become one: name a place that has none, such as the same cluster with another LEDGER")
	}
	return nil
}

func arrivedAt(ctx context.Context, b store.Backend) (Arrived, error) {
	a, err := store.AboutOn(ctx, b)
	return Arrived{a.Home, a.Epoch, a.Since}, err
}
