package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
)

// A change is judged again after a conflict, at most so often and so long.
const (
	maxTries = 8
	maxTime  = 5 * time.Second
	maxPause = 64 * time.Millisecond
)

// maxBytes is the size of the largest commit. The server takes 1.5 MiB.
const maxBytes = 5 << 18

// Update implements store.Backend.
func (b *Backend) Update(ctx context.Context, fn func(store.Txn) error) error {
	if err := b.enter(ctx); err != nil {
		return err
	}
	defer b.users.Done()
	lock := partLock{locks: &b.locks}
	defer lock.release()
	begun := time.Now()
	mirrored := b.mirror != nil
	for try := 1; ; try++ {
		t := b.begin(ctx, true)
		t.lock, t.first = &lock, try == 1
		conflict, err := t.judge(mirrored, fn)
		if t.failed == errAgain {
			try--
			continue
		}
		if (mirrored || t.assumed) && (conflict != "" || !t.sent) { // what was not compared at a commit is judged by what is newest
			mirrored = false
			continue
		}
		if err != nil || conflict == "" {
			return err
		}
		if try >= maxTries || time.Since(begun) > maxTime {
			return busy(conflict)
		}
		pause := min(time.Millisecond<<try, maxPause)
		if err := store.Pause(ctx, rand.N(pause)); err != nil {
			return err
		}
	}
}

// judge calls fn and commits what it writes. If mirrored is set, it reads the mirror.
func (t *txn) judge(mirrored bool, fn func(store.Txn) error) (conflict string, err error) {
	if mirrored {
		err = t.useMirror()
	}
	if err == nil {
		err = fn(t)
	}
	if err != nil {
		return "", err
	}
	return t.commit()
}

// busy is the error of a change that cannot be made for now.
func busy(what string) error {
	return model.Busy("others keep changing %s", model.Text(what)).WithHint("try again; nothing was changed")
}

// commit commits the writes, if nothing that they depend on has changed since it was read. Otherwise conflict says what has changed.
func (t *txn) commit() (conflict string, err error) {
	if err := t.complete(); err != nil {
		return "", err
	}
	if err := t.grantLeases(); err != nil {
		return "", err
	}
	ops, size := t.operations()
	turns, err := t.turnOperations()
	ops = append(ops, turns...)
	switch {
	case err != nil:
		return "", err
	case len(ops) == 0:
		return "", nil
	case size > maxBytes:
		return "", tooLarge("%d bytes in one change, and a cluster takes %d", size, maxBytes)
	}
	return t.send(ops)
}

func tooLarge(format string, args ...any) error {
	return model.Invalid("the change is too large for the cluster: "+format, args...).WithHint("do less at once")
}

// complete reads what the commit compares and was not read yet: the heads of parts that are written.
func (t *txn) complete() error {
	if len(t.writes) == 0 {
		return nil
	}
	reads := []read{one(spaceWhole + string(about))}
	for key := range t.writes {
		part := store.PartOf([]byte(key))
		if part == "" {
			continue
		}
		if _, ok := t.writes[tableHead+string(part)]; !ok {
			return fmt.Errorf("the change writes %q and leaves the head of agent %s", key, part)
		}
		reads = append(reads, one(headOf(part)))
	}
	pages, err := t.read(reads...)
	if err == nil {
		t.compared[reads[0].from] = pages[0].first().changed
	}
	return err
}

// operations are the writes as the server takes them.
func (t *txn) operations() (ops []clientv3.Op, size int) {
	for key, value := range t.writes {
		path := pathOf([]byte(key))
		switch {
		case key == string(about) && t.counts(t.cached[one(path)].first(), value): // by itself
		case value == nil:
			ops = append(ops, clientv3.OpDelete(t.b.root+path))
		default:
			ops = append(ops, clientv3.OpPut(t.b.root+path, string(value)))
		}
		size += len(path) + len(value)
	}
	return ops, size
}

// counts reports whether a new value of about is what the next commit makes of the stored one.
func (t *txn) counts(stored pair, value []byte) bool {
	if stored.changed == 0 {
		return false
	}
	next, err := store.LaterHead(stored.value, uint64(t.at-stored.changed)+1)
	return err == nil && bytes.Equal(next, value)
}

// compares are the conditions of the commit.
func (t *txn) compares() (all []clientv3.Cmp) {
	unchanged := func(path string, changed int64) {
		all = append(all, clientv3.Compare(clientv3.ModRevision(t.b.root+path), "=", changed))
	}
	for part, changed := range t.heads {
		unchanged(headOf(part), changed)
	}
	for s := range t.scanned {
		// That nothing was put. What was read and is deleted would pass; heads are never deleted.
		all = append(all, clientv3.Compare(clientv3.ModRevision(t.b.root+s.from), "<", t.at+1).WithRange(t.b.root+s.to))
		for r, p := range t.cached {
			if x := p.first(); r.to == "" && r.part == "" && x.changed != 0 && r.from >= s.from && r.from < s.to {
				t.compared[r.from] = x.changed
			}
		}
	}
	for path, changed := range t.compared {
		unchanged(path, changed)
	}
	return all
}

// send commits. If no member answers, it is not known whether the commit took place, and the same one is sent again: the first one that
// takes place changes what the others compare.
func (t *txn) send(ops []clientv3.Op) (conflict string, err error) {
	compares, heads := t.compares(), []clientv3.Op{}
	for part := range t.heads {
		heads = append(heads, clientv3.OpGet(t.b.root+headOf(part)))
	}
	fences, otherwise := t.fenced()
	compares, otherwise = append(compares, fences...), append(heads, otherwise...)
	t.b.clocks.send(t)
	unsure := false
	t.sent = true
	for begun := time.Now(); ; {
		r, err := once(t.b, t.ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.TxnResponse, error) {
			return c.Txn(ctx).If(compares...).Then(ops...).Else(otherwise...).Commit()
		})
		switch {
		case err == nil && r.Succeeded:
			t.committed(r.Header.Revision)
			return "", nil
		case err == nil:
			if unsure {
				if mine, err := t.mine(r); err != nil || mine {
					return "", err
				}
			}
			if err := t.refused(r); err != nil {
				return "", err
			}
			return t.conflict(r), nil
		case errors.Is(err, rpctypes.ErrTooManyOps):
			return "", tooLarge("it has %d operations, and the cluster's --max-txn-ops is lower", max(len(ops), len(compares)))
		case !unanswered(err) && t.ctx.Err() == nil && !unsure:
			return "", t.b.explainChange(err)
		}
		unsure = true
		if time.Since(begun) > maxTime || t.ctx.Err() != nil || !unanswered(err) {
			return "", fmt.Errorf("%w: %w", store.ErrUnknown, plain(err))
		}
		if err := store.Pause(t.ctx, pauseAfter(t.b)); err != nil {
			return "", fmt.Errorf("%w: %w", store.ErrUnknown, err)
		}
	}
}

// committed notes a commit of this process.
func (t *txn) committed(revision int64) {
	for id, part := range t.owners {
		if part != "" {
			t.b.names.put(id, part)
		}
	}
	t.b.mirror.deliver(revision)
	t.b.delivered(revision)
}

// conflict names what has changed.
func (t *txn) conflict(r *clientv3.TxnResponse) string {
	for part, read := range t.heads {
		if kv := headIn(r, t.b.root+headOf(part)); kv != nil && kv.ModRevision != read {
			return "agent " + string(part)
		}
	}
	return "the ledger"
}

// mine reports whether an earlier try of this commit took place, by a head that it writes: whether the first change of the head since it
// was read is this commit's.
func (t *txn) mine(r *clientv3.TxnResponse) (bool, error) {
	const steps = 16
	for part := range t.heads {
		was, value := t.cached[one(headOf(part))].first(), t.writes[tableHead+string(part)]
		if value == nil {
			continue
		}
		kv := headIn(r, t.b.root+headOf(part))
		for range steps {
			switch {
			case kv == nil || kv.Version <= was.version:
				return false, nil // it is as it was: another condition has failed
			case kv.Version == was.version+1:
				if string(kv.Value) == string(value) {
					t.committed(kv.ModRevision)
					return true, nil
				}
				return false, nil
			}
			older := &txn{b: t.b, ctx: t.ctx, at: kv.ModRevision - 1}
			r, err := t.b.read(t.ctx, []clientv3.Op{older.op(one(headOf(part)))})
			if err != nil {
				return false, fmt.Errorf("%w: %w", store.ErrUnknown, err)
			}
			kv = headIn(r, t.b.root+headOf(part))
		}
	}
	return false, fmt.Errorf("%w: what it writes was changed again", store.ErrUnknown)
}

// headIn is what a response has of a key that was read alone.
func headIn(r *clientv3.TxnResponse, key string) *mvccpb.KeyValue {
	for _, x := range r.Responses {
		kvs := x.GetResponseRange().Kvs
		if i := slices.IndexFunc(kvs, func(kv *mvccpb.KeyValue) bool { return string(kv.Key) == key }); i >= 0 {
			return kvs[i]
		}
	}
	return nil
}
