package etcd

import (
	"context"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/store"
	"vise/store/kv"
)

// The times of a watch. A member that says nothing for silence is given up for another.
const (
	askEvery = time.Second / 2
	silence  = 2 * time.Second
)

// watch knows the newest commit to the ledger.
type watch struct {
	news kv.News // of commits

	mu    sync.Mutex // protects the rest
	mark  int64      // the revision of the newest commit that was delivered
	begun bool
	stop  context.CancelFunc
	done  chan struct{} // closed when the watch has ended
}

// delivered notes a commit that the watch delivered, or that is this process's.
func (b *Backend) delivered(revision int64) {
	w := &b.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if revision <= w.mark {
		return
	}
	w.mark = revision
	w.news.Broadcast()
}

// Mark implements store.Backend: the revision of the newest commit that this process knows.
func (b *Backend) Mark(ctx context.Context) (uint64, error) {
	if err := b.follow(ctx); err != nil {
		return 0, err
	}
	b.watch.mu.Lock()
	defer b.watch.mu.Unlock()
	return uint64(b.watch.mark), nil
}

// News implements store.Backend.
func (b *Backend) News() <-chan struct{} { return b.watch.news.Next() }

// follow begins the watch at the first call.
func (b *Backend) follow(ctx context.Context) error {
	w := &b.watch
	w.mu.Lock()
	begun := w.begun
	w.mu.Unlock()
	if begun {
		return nil
	}
	if err := b.enter(ctx); err != nil {
		return err
	}
	defer b.users.Done()
	if err := b.look(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun {
		return nil
	}
	w.begun, w.done = true, make(chan struct{})
	ctx, w.stop = context.WithCancel(context.Background())
	go func() {
		defer close(w.done)
		if b.mirror != nil {
			go b.tellLags(ctx)
		}
		for ctx.Err() == nil {
			b.listen(ctx)
		}
	}()
	return nil
}

// tellLags makes it news that the mirror is old, or no longer.
func (b *Backend) tellLags(ctx context.Context) {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for shown := 0; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if is := len(b.Conditions()); is != shown {
			shown = is
			b.watch.news.Broadcast()
		}
	}
}

// look finds the newest commit, and reads the mirror if there is one.
func (b *Backend) look(ctx context.Context) error {
	if b.mirror != nil {
		return b.readMirror(ctx)
	}
	t := b.begin(ctx, false)
	_, err := t.Get(about)
	if err == nil {
		b.delivered(t.at)
	}
	return err
}

func (w *watch) close() {
	w.mu.Lock()
	begun := w.begun
	w.mu.Unlock()
	if begun {
		w.stop()
		<-w.done
	}
}

// listen watches on one member, from the newest commit that was delivered, until the member says nothing or has no leader. Each commit
// writes a path in mirrored.
func (b *Backend) listen(ctx context.Context) {
	if b.mirror != nil && b.mirror.compacted() {
		if err := b.readMirror(ctx); err != nil {
			_ = store.Pause(ctx, pauseAfter(b))
			return
		}
	}
	member := b.member.Load()
	client := b.clients[member%uint64(len(b.clients))]
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	responses := client.Watch(ctx, b.root+mirrored.from, clientv3.WithRange(b.root+mirrored.to), clientv3.WithRev(b.next()),
		clientv3.WithFragment(), clientv3.WithProgressNotify())
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	for last := time.Now(); ; {
		select {
		case r, ok := <-responses:
			if !ok || r.Err() != nil {
				b.missed(r)
				b.member.CompareAndSwap(member, member+1)
				_ = store.Pause(ctx, pauseAfter(b))
				return
			}
			b.take(r)
			last = time.Now()
		case <-ask.C:
			if time.Since(last) > silence {
				b.member.CompareAndSwap(member, member+1)
				return
			}
			asking, cancel := context.WithTimeout(ctx, askEvery/2)
			_ = client.RequestProgress(asking) // while the member is away, the client waits for it
			cancel()
		case <-ctx.Done():
			return
		}
	}
}

// next is the revision from which to watch: the newest that is known, although nothing of it is new. A member does not tell how far a
// watch is that begins with a revision which does not exist yet, and a ledger at rest would seem to be away.
func (b *Backend) next() int64 {
	if m := b.mirror; m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.now.at
	}
	b.watch.mu.Lock()
	defer b.watch.mu.Unlock()
	return b.watch.mark
}

// take makes what a watch tells known, in whole revisions.
func (b *Backend) take(r clientv3.WatchResponse) {
	newest := r.Header.Revision
	switch n := len(r.Events); {
	case n > 0:
		newest = r.Events[n-1].Kv.ModRevision
	case !r.IsProgressNotify():
		return
	}
	b.clocks.compare(b.root, r.Events, time.Now())
	if b.mirror != nil {
		b.mirror.apply(b.root, r.Events, newest)
	}
	if len(r.Events) > 0 {
		b.delivered(newest)
	}
}

// missed notes that a watch ended because the member does not have what follows any more.
func (b *Backend) missed(r clientv3.WatchResponse) {
	if r.CompactRevision == 0 && r.Err() != rpctypes.ErrCompacted {
		return
	}
	if b.mirror == nil {
		b.delivered(r.CompactRevision)
		return
	}
	b.mirror.mu.Lock()
	defer b.mirror.mu.Unlock()
	b.mirror.stale = true
}
