package etcd

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// A claim is a key under a lease. A process that ends without giving it up keeps others from it as long as the lease holds.
const (
	claimHolds = 15 * time.Second
	claimBeats = 5 * time.Second
)

// Claim waits until nobody else has the claim with a name, and takes it. It is held until held ends, at the latest when release is called.
// What two processes do that both believe to have a claim must be safe all the same.
func (b *Backend) Claim(ctx context.Context, name string) (held context.Context, release func(), err error) {
	if err := b.enter(ctx); err != nil {
		return nil, nil, err
	}
	defer b.users.Done()
	key := b.root + spaceClaims + name
	for {
		lease, taken, err := b.tryClaim(ctx, key)
		if err != nil && !unanswered(err) {
			return nil, nil, err
		}
		if taken {
			held, stop := context.WithCancel(ctx)
			done := make(chan struct{})
			go func() {
				defer close(done)
				b.beat(held, lease)
				stop()
			}()
			return held, func() {
				stop()
				<-done
				_ = b.revoke(context.WithoutCancel(ctx), lease) // otherwise it lapses
			}, nil
		}
		if err := wait(ctx, claimBeats); err != nil {
			return nil, nil, err
		}
	}
}

// tryClaim takes a claim under a new lease, if nobody has it.
func (b *Backend) tryClaim(ctx context.Context, key string) (lease clientv3.LeaseID, taken bool, err error) {
	if free, err := b.changeIf(ctx, key, 0); err != nil || free == 0 {
		return 0, false, err
	}
	if lease, err = b.grant(ctx, claimHolds); err != nil {
		return 0, false, err
	}
	made, err := b.changeIf(ctx, key, 0, clientv3.OpPut(key, "", clientv3.WithLease(lease)))
	if made == 0 {
		_ = b.revoke(ctx, lease)
	}
	return lease, made != 0, err
}

// changeIf makes a change if a key was written first at a revision, or is not there if that is zero. It returns the revision of the cluster
// then, or 0 if the condition does not hold.
func (b *Backend) changeIf(ctx context.Context, key string, created int64, ops ...clientv3.Op) (revision int64, err error) {
	r, err := answered(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.TxnResponse, error) {
		return c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", created)).Then(ops...).Commit()
	})
	if err != nil || !r.Succeeded {
		return 0, err
	}
	return r.Header.Revision, nil
}

func (b *Backend) revoke(ctx context.Context, lease clientv3.LeaseID) error {
	_, err := once(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.LeaseRevokeResponse, error) {
		return c.Revoke(ctx, lease)
	})
	return err
}

// beat renews a lease until ctx ends, or the lease may have lapsed.
func (b *Backend) beat(ctx context.Context, lease clientv3.LeaseID) {
	for last := time.Now(); wait(ctx, claimBeats) == nil; {
		asked := time.Now()
		switch err := b.renew(ctx, lease); {
		case err == nil:
			last = asked
		case errors.Is(err, rpctypes.ErrLeaseNotFound), time.Since(last) > claimHolds-time.Second-claimBeats:
			return
		}
	}
}
