package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"vise/model"
	"vise/store/files"
	"vise/store/lock"
)

// remaking makes an older ledger anew in another file. Its steps run beside one another, each with the changes of the step before.
type remaking struct {
	*Bolt
	older *openCopy
	// own has the rows that derive from one record alone. Those of items and agents depend on them.
	own    *memory
	read   chan oldChange
	found  chan oldChange
	ready  chan chunk
	met    map[digest]met
	counts map[model.AgentID]counts
	head   head
	heads  map[model.AgentID]agentHead
	total  total
}

// met says of a record, by the digest of its name, whether the last change that was read wrote it as it is stored, and whether this or an
// earlier one did.
type met struct{ last, once bool }

// digest is half of a SHA-256. A map of digests has no pointers, which the collector would follow.
type digest [sha256.Size / 2]byte

func digestOf(b []byte) digest {
	sum := sha256.Sum256(b)
	return digest(sum[:len(digest{})])
}

// total is the number of pairs of a ledger and the sum of their hashes, without heads and answers, which change while it is made.
type total struct {
	seed       maphash.Seed // of the hashes
	pairs, sum uint64
}

func (x *total) add(key, value []byte) {
	for _, left := range []string{"about/", tableHead, tableAnswer} {
		if bytes.HasPrefix(key, []byte(left)) {
			return
		}
	}
	var h maphash.Hash
	h.SetSeed(x.seed)
	h.Write(binary.AppendUvarint(nil, uint64(len(key))))
	h.Write(key)
	h.Write(value)
	x.pairs++
	x.sum += h.Sum64()
}

// writtenAtOnce is the size of a transaction: with 32 MB a million items take 101 s, with 4 MB 121 s.
const writtenAtOnce = 32 << 20

// chunk is what one transaction writes.
type chunk struct {
	frames, pairs []pair
}

// remake makes the older ledger in the file at from anew at to, and compares what it wrote with what the new file has. It makes none if the
// ledger has this program's layout.
func remake(ctx context.Context, m *files.Machine, from, to string) (done bool, err error) {
	older, err := ledgerCopy{path: from}.open()
	if err != nil {
		return false, err
	}
	defer older.Close()
	r := &remaking{older: older, own: NewMemory(), read: make(chan oldChange, 1), found: make(chan oldChange, 1),
		ready: make(chan chunk, 1), met: map[digest]met{}, counts: map[model.AgentID]counts{}}
	current := false
	err = older.View(ctx, func(t Txn) error {
		l, f := newLedger(nil, nil), newFacts(t)
		f.getJSON(keyHome, &l.home.ID)
		if current = l.learnSchema(f) >= firstSchema; current || f.err != nil {
			return f.err
		}
		return cmp.Or(CreateBolt(m, to, l.initialize), r.findOwn(ctx, t))
	})
	if err != nil || current {
		return false, err
	}
	r.Bolt = OpenBolt(to, lock.On(m, to+".lock", "vise"))
	r.machine = m
	defer r.Close()
	steps, all := errgroup.WithContext(ctx)
	for _, step := range []func(context.Context) error{r.readHistory, r.findRecords, r.appendHistory, r.write} {
		steps.Go(func() error { return step(all) })
	}
	if err := steps.Wait(); err != nil {
		return false, err
	}
	for _, step := range []func(context.Context) error{r.compare, r.finish, r.prove} {
		if err := step(ctx); err != nil {
			return false, err
		}
	}
	return true, nil
}

// send sends x, unless the context ends.
func send[T any](ctx context.Context, to chan<- T, x T) error {
	select {
	case to <- x:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// findOwn finds the rows that derive from one record alone.
func (r *remaking) findOwn(ctx context.Context, t Txn) error {
	return r.own.Update(ctx, func(own Txn) error {
		f := newFacts(t)
		for _, kind := range rounds[0].kinds {
			if slices.Contains(rowless, kind) {
				continue
			}
			f.scan(Prefix(recordsFrom(kind, "")), func(key, value []byte) bool {
				payload, err := unframe(key, value)
				var record model.Record
				if err == nil {
					record, err = decodeRecord(kind, key, payload)
				}
				f.fail(err)
				_, rows := keysOf(record)
				for _, row := range rows {
					f.fail(own.Put(row, nil))
				}
				return true
			})
		}
		return f.err
	})
}

// findRecords finds what is stored of the records that the changes wrote.
func (r *remaking) findRecords(ctx context.Context) error {
	defer close(r.found)
	return r.older.View(ctx, func(t Txn) error {
		return r.own.View(ctx, func(own Txn) error {
			for c := range r.read {
				f := newFacts(olderTxn{t, own})
				for i := range c.records {
					r.findRecord(f, &c, c.records[i], &c.Writes[i])
				}
				if err := cmp.Or(f.err, send(ctx, r.found, c)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// findRecord writes a record as this program does. If the change wrote it as it is stored, findRecord adds it to the rows, with what
// derives from it.
func (r *remaking) findRecord(f *facts, c *oldChange, record model.Record, w *write) {
	n := record.Name()
	old := recordsFrom(n.Kind, n.Key)
	stored := f.get(old)
	if stored == nil {
		f.fail(&damage{"upgrade", fmt.Sprintf("%q is only in the history", old)})
	}
	name := digestOf(old)
	was, is := r.met[name], bytes.Equal(stored, w.Record)
	payload, err := model.WriteRecord(record)
	f.fail(err)
	w.Record = payload
	if is && !was.once {
		f.records[n] = record
		d := f.derive(n)
		for key, payload := range d.rows {
			c.rows = append(c.rows, pair{[]byte(key), payload})
		}
		c.rows = append(c.rows, pair{recordKey(n, record.Part()), payload})
		d.countIn(r.counts)
	}
	r.met[name] = met{is, is || was.once}
}

// compare compares the older ledger's records with what its history last wrote.
func (r *remaking) compare(ctx context.Context) error {
	return r.older.View(ctx, func(t Txn) error {
		f := newFacts(until{t, ctx})
		for _, kind := range model.Kinds() {
			f.scan(Prefix(recordsFrom(kind, "")), func(key, _ []byte) bool {
				if !r.met[digestOf(key)].last {
					f.fail(&damage{"upgrade", fmt.Sprintf("%q is not what its history says", key)})
				}
				return true
			})
		}
		return f.err
	})
}

// appendHistory writes the history of each part, and sends it with the records.
func (r *remaking) appendHistory(ctx context.Context) error {
	defer close(r.ready)
	x := &gathered{total: total{seed: maphash.MakeSeed()}}
	f := newFacts(x)
	for c := range r.found {
		now := commit{At: c.At, Actor: c.Actor, Key: c.Key, Print: c.Print, Plans: c.Plans, Receipt: c.Receipt}
		f.appendChange(f.numbered(now, c.records, c.events), c.records, c.Writes, c.events)
		for _, p := range c.rows {
			f.put(p.key, p.value)
		}
		if x.size < writtenAtOnce {
			continue
		}
		if err := cmp.Or(f.err, send(ctx, r.ready, x.take())); err != nil {
			return err
		}
	}
	r.head, r.heads, r.total = f.head(), f.heads, x.total
	last := x.take()
	last.pairs = append(last.pairs, x.history...) // the newest part of the history stays unpacked
	return cmp.Or(f.err, send(ctx, r.ready, last))
}

// gathered is a Txn that keeps what is written for a chunk, except the heads, which change with each change. It reads nothing.
type gathered struct {
	history, rows []pair
	size          int
	total         total
}

// Get implements Txn.
func (*gathered) Get([]byte) ([]byte, error) { return nil, nil }

// Scan implements Txn.
func (*gathered) Scan(Range, func(key, value []byte) bool) error { return nil }

// Delete implements Txn.
func (*gathered) Delete([]byte) error { return nil }

// Put implements Txn.
func (x *gathered) Put(key, value []byte) error {
	to := &x.rows
	switch {
	case bytes.HasPrefix(key, appendedTable):
		to = &x.history
	case bytes.HasPrefix(key, []byte(tableHead)), bytes.Equal(key, keyHead):
		return nil
	}
	*to = append(*to, pair{key, value})
	x.size += len(key) + len(value)
	x.total.add(key, value)
	return nil
}

// take takes all but the newest part of the history.
func (x *gathered) take() (out chunk) {
	n, loose := len(x.history), 0
	for n > 0 && loose < looseBytes {
		n--
		loose += len(x.history[n].key) + len(x.history[n].value)
	}
	out = chunk{packAll(x.history[:n]), x.rows}
	x.history, x.rows, x.size = slices.Clone(x.history[n:]), nil, 0
	return out
}

// write writes the new file.
func (r *remaking) write(ctx context.Context) error {
	for x := range r.ready {
		slices.SortFunc(x.pairs, func(a, b pair) int { return bytes.Compare(a.key, b.key) }) // pairs in order fill pages
		err := r.Update(ctx, func(t Txn) error {
			b := t.(*boltTxn)
			b.state.FillPercent = 1
			err := b.putFrames(x.frames)
			for _, p := range x.pairs {
				err = cmp.Or(err, t.Put(p.key, p.value))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// finish writes the heads, and deletes the answers that are too old.
func (r *remaking) finish(ctx context.Context) error {
	return r.Update(ctx, func(t Txn) error {
		f := newFacts(t)
		f.putHead(r.head)
		for _, part := range sortedKeys(r.heads) {
			h := r.heads[part]
			h.Counts = r.counts[part]
			for more := true; more; {
				more = f.prune(&h, part)
			}
			f.putAgentHead(part, h)
		}
		return f.err
	})
}

// prove compares the pairs of the new file with those that were written.
func (r *remaking) prove(ctx context.Context) error {
	b, err := ledgerCopy{path: r.path}.open()
	if err != nil {
		return err
	}
	defer b.Close()
	has := total{seed: r.total.seed}
	var mu sync.Mutex // protects has
	var tables errgroup.Group
	for _, table := range Tables {
		tables.Go(func() error {
			x := total{seed: r.total.seed}
			err := b.View(ctx, func(t Txn) error {
				return until{t, ctx}.Scan(Prefix([]byte(table)), func(key, value []byte) bool {
					x.add(key, value)
					return true
				})
			})
			mu.Lock()
			defer mu.Unlock()
			has.pairs, has.sum = has.pairs+x.pairs, has.sum+x.sum
			return err
		})
	}
	err = tables.Wait()
	if err == nil && has != r.total {
		err = &damage{"upgrade", fmt.Sprintf("the new file has %d keys, %d were written, and they differ", has.pairs, r.total.pairs)}
	}
	return err
}
