package etcd

import (
	"context"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// space is how much of its quota the member that is asked has in use.
type space struct {
	mu      sync.Mutex    // protects all
	at      time.Time     // of the last question
	used    int64         // in percent
	known   bool          // there was an answer
	pending chan struct{} // closed when the answer is there; nil if none is awaited
}

// spaceEvery is how old the knowledge of the space can be.
const spaceEvery = 10 * time.Second

// AskSpace asks a member how much of its quota is in use, unless that was asked a short time ago. Only processes that write do so.
func (b *Backend) AskSpace() {
	s := &b.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending != nil || !s.at.IsZero() && time.Since(s.at) < spaceEvery || b.enter(context.Background()) != nil {
		return
	}
	s.at, s.pending = time.Now(), make(chan struct{})
	go func() {
		defer b.users.Done()
		r, err := once(b, context.Background(), func(ctx context.Context, c *clientv3.Client) (*clientv3.StatusResponse, error) {
			return c.Status(ctx, c.Endpoints()[0])
		})
		s.mu.Lock()
		defer s.mu.Unlock()
		if err == nil && r.DbSizeQuota > 0 { // servers before 3.6 do not tell
			s.used, s.known = r.DbSizeInUse*100/r.DbSizeQuota, true
		}
		close(s.pending)
		s.pending = nil
	}()
}

// SpaceUsed is the share in use, in percent, as a member said it last.
func (b *Backend) SpaceUsed() (percent int64, known bool) {
	s := &b.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if pending := s.pending; pending != nil && !s.known {
		s.mu.Unlock()
		<-pending // at most as long as a member has for an answer
		s.mu.Lock()
	}
	return s.used, s.known
}
