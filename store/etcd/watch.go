package etcd

import (
	"context"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// The times of a watch. A member that says nothing for silence is given up for another.
const (
	askEvery = time.Second
	silence  = 3 * time.Second
)

// watch knows the newest commit to the ledger.
type watch struct {
	mu      sync.Mutex    // protects all
	mark    int64         // the revision of the newest commit that was heard of
	channel chan struct{} // closed at the next one
	begun   bool
	stop    context.CancelFunc
	done    chan struct{} // closed when the watch has ended
}

// heard notes a commit.
func (b *Backend) heard(revision int64) {
	w := &b.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if revision <= w.mark {
		return
	}
	w.mark = revision
	if w.channel != nil {
		close(w.channel)
		w.channel = nil
	}
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
func (b *Backend) News() <-chan struct{} {
	w := &b.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.channel == nil {
		w.channel = make(chan struct{})
	}
	return w.channel
}

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
	t := b.begin(ctx, false)
	if _, err := t.Get(about); err != nil {
		return err
	}
	b.heard(t.at)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun {
		return nil
	}
	w.begun, w.done = true, make(chan struct{})
	ctx, w.stop = context.WithCancel(context.Background())
	go func() {
		defer close(w.done)
		for ctx.Err() == nil {
			b.listen(ctx)
		}
	}()
	return nil
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

// listen watches on one member, from the newest commit that was heard of, until the member says nothing or has no leader.
func (b *Backend) listen(ctx context.Context) {
	member := b.member.Load()
	client := b.clients[member%uint64(len(b.clients))]
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	b.watch.mu.Lock()
	from := b.watch.mark + 1
	b.watch.mu.Unlock()
	said := client.Watch(ctx, b.root, clientv3.WithPrefix(), clientv3.WithRev(from), clientv3.WithProgressNotify())
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	for last := time.Now(); ; {
		select {
		case r, ok := <-said:
			if !ok || r.Err() != nil {
				if r.CompactRevision > 0 || r.Err() == rpctypes.ErrCompacted {
					b.heard(r.CompactRevision) // something was missed
				}
				b.member.CompareAndSwap(member, member+1)
				_ = wait(ctx, pauseAfter(b))
				return
			}
			last = time.Now()
			for _, e := range r.Events {
				b.heard(e.Kv.ModRevision)
			}
		case <-ask.C:
			if time.Since(last) > silence {
				b.member.CompareAndSwap(member, member+1)
				return
			}
			asking, cancel := context.WithTimeout(ctx, askEvery/2) // while the member is away, the client waits for it
			_ = client.RequestProgress(asking)
			cancel()
		case <-ctx.Done():
			return
		}
	}
}
