package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
)

// tableLive has the turns that live: f/live/<agent>, under the lease of the turn's holder. The cluster deletes such a path when the lease
// is not renewed. It is written once, so that its last change is its creation.
const tableLive = "live/"

func liveOf(agent model.AgentID) string { return spaceShown + tableLive + string(agent) }

// live is what is stored at a path of tableLive.
type live struct {
	Turn   int              `json:"turn"`
	Holder model.Text       `json:"holder"`
	Lease  clientv3.LeaseID `json:"lease"`
	ttl    time.Duration    // of a lease that is still to be granted
}

// fence is what a commit asks of a path besides that what was read is unchanged. If it does not hold, the change is refused and not judged
// again.
type fence struct {
	created int64 // the revision at which the path was written first; 0 if it must not exist
	refusal error
}

// over is the refusal for the holder of a turn that is over.
func over(agent model.AgentID, turn int) error {
	return model.Refuse(model.CodeStale, "turn %d of agent %s is over", turn, agent).At("turn",
		"claim a turn first; nothing was written")
}

// Lives implements store.Txn.
func (t *txn) Lives(agent model.AgentID, turn int) (*bool, error) {
	x, changes := t.lives[agent]
	err := error(nil)
	if !changes {
		x, _, err = t.live(agent)
	}
	lives := err == nil && x.Turn == turn
	return &lives, err
}

// live is the turn of an agent that lives, and the revision of its claim; zero if none does.
func (t *txn) live(agent model.AgentID) (x live, claimed int64, err error) {
	r := one(liveOf(agent))
	if _, known := t.local(r); !known && !t.writable { // a reader usually asks for several agents
		r = read{span: beginning(spaceShown + tableLive)}
	}
	pages, err := t.read(r)
	if err != nil {
		return x, 0, err
	}
	for _, p := range pages[0].pairs {
		if p.path != liveOf(agent) {
			continue
		}
		if err := json.Unmarshal(p.value, &x); err != nil {
			return x, 0, fmt.Errorf("the turn at %q: %w", p.path, err)
		}
		claimed = p.changed
	}
	return x, claimed, nil
}

// Claim implements store.Txn.
func (t *txn) Claim(agent model.AgentID, turn int, holder model.Text, lease time.Duration) error {
	t.fences[liveOf(agent)] = fence{refusal: model.Refuse(model.CodeStale, "another process has claimed a turn of agent %s", agent).
		At("agent_id", "wait for its end; one turn runs at a time")}
	t.lives[agent] = live{Turn: turn, Holder: holder, ttl: lease}
	return nil
}

// Holds implements store.Txn.
func (t *txn) Holds(agent model.AgentID, turn int) error {
	x, claimed, err := t.live(agent)
	if err == nil && x.Turn != turn {
		err = over(agent, turn)
	}
	if err == nil {
		t.fences[liveOf(agent)] = fence{claimed, over(agent, turn)}
	}
	return err
}

// End implements store.Txn. The lease ends by itself.
func (t *txn) End(agent model.AgentID, turn int) error {
	err := t.Holds(agent, turn)
	if err == nil {
		t.lives[agent] = live{}
	}
	return err
}

// Renew implements store.Txn.
func (t *txn) Renew(agent model.AgentID, turn int) error {
	x, _, err := t.live(agent)
	if err == nil && x.Turn != turn {
		err = over(agent, turn)
	}
	if err != nil {
		return err
	}
	t.sent = true // the cluster itself says whether the lease is valid
	if err = t.b.keepAlive(t.ctx, x.Lease); errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return over(agent, turn)
	}
	return err
}

// grantLeases gets the leases of the turns that the commit makes live. A lease that the commit then does not use ends by itself.
func (t *txn) grantLeases() (err error) {
	for agent, x := range t.lives {
		if x.Turn == 0 || x.Lease != 0 {
			continue
		}
		if x.Lease, err = t.b.grantLease(t.ctx, x.ttl); err != nil {
			return err
		}
		t.lives[agent] = x
	}
	return nil
}

// turnOperations are the turns that begin and end to live.
func (t *txn) turnOperations() (ops []clientv3.Op, err error) {
	for agent, x := range t.lives {
		at := t.b.root + liveOf(agent)
		if x.Turn == 0 {
			ops = append(ops, clientv3.OpDelete(at))
			continue
		}
		value, err := json.Marshal(x)
		if err != nil {
			return nil, err
		}
		ops = append(ops, clientv3.OpPut(at, string(value), clientv3.WithLease(x.Lease)))
	}
	return ops, nil
}

// fenced are the conditions of the fences, and what is read if the commit fails: whether they hold, and whether the command was answered.
func (t *txn) fenced() (compares []clientv3.Cmp, otherwise []clientv3.Op) {
	t.fenceShard()
	if len(t.fences) == 0 {
		return nil, nil
	}
	for path, f := range t.fences {
		compares = append(compares, clientv3.Compare(clientv3.CreateRevision(t.b.root+path), "=", f.created))
		otherwise = append(otherwise, clientv3.OpGet(t.b.root+path))
	}
	for path := range t.compared {
		if isAnswer(path) {
			otherwise = append(otherwise, clientv3.OpGet(t.b.root+path))
		}
	}
	return compares, otherwise
}

func isAnswer(path string) bool { return tableOf(keyAt(path)).name == tableAnswer }

// refused is the refusal of a fence that does not hold. It is nil if the command was carried out before: judged again, it finds its answer.
func (t *txn) refused(r *clientv3.TxnResponse) (refusal error) {
	for _, x := range r.Responses {
		for _, kv := range x.GetResponseRange().Kvs {
			if isAnswer(string(kv.Key[len(t.b.root):])) {
				return nil
			}
		}
	}
	for path, f := range t.fences {
		created := int64(0)
		if kv := headIn(r, t.b.root+path); kv != nil {
			created = kv.CreateRevision
		}
		if created != f.created {
			return f.refusal
		}
	}
	return nil
}

// grantLease gets a lease. The cluster has a shortest one, of some seconds.
func (b *Backend) grantLease(ctx context.Context, length time.Duration) (clientv3.LeaseID, error) {
	seconds := int64((length + time.Second - 1) / time.Second)
	r, err := answered(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.LeaseGrantResponse, error) {
		return c.Grant(ctx, seconds)
	})
	if err != nil {
		return 0, err
	}
	return r.ID, nil
}

// keepAlive renews a lease. The error is ErrLeaseNotFound if it is over. (The client's own call asks a member that is away without pause.)
func (b *Backend) keepAlive(ctx context.Context, lease clientv3.LeaseID) error {
	r, err := answered(b, ctx, func(ctx context.Context, c *clientv3.Client) (*etcdserverpb.LeaseKeepAliveResponse, error) {
		stream, err := etcdserverpb.NewLeaseClient(c.ActiveConnection()).LeaseKeepAlive(clientv3.WithRequireLeader(ctx))
		if err != nil {
			return nil, err
		}
		if err := stream.Send(&etcdserverpb.LeaseKeepAliveRequest{ID: int64(lease)}); err != nil {
			return nil, err
		}
		return stream.Recv()
	})
	if err == nil && r.TTL <= 0 {
		return rpctypes.ErrLeaseNotFound
	}
	return err
}

// A claim is a key under a lease. A process that ends without giving it up keeps others from it as long as the lease holds.
const (
	claimHolds = 15 * time.Second
	claimBeats = 5 * time.Second
)

// Claim implements kv.Cluster.
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
				_ = b.revokeLease(context.WithoutCancel(ctx), lease) // otherwise it lapses
			}, nil
		}
		if err := store.Pause(ctx, claimBeats); err != nil {
			return nil, nil, err
		}
	}
}

// tryClaim takes a claim under a new lease, if nobody has it.
func (b *Backend) tryClaim(ctx context.Context, key string) (lease clientv3.LeaseID, taken bool, err error) {
	if free, err := b.changeIf(ctx, key, 0); err != nil || free == 0 {
		return 0, false, err
	}
	if lease, err = b.grantLease(ctx, claimHolds); err != nil {
		return 0, false, err
	}
	made, err := b.changeIf(ctx, key, 0, clientv3.OpPut(key, "", clientv3.WithLease(lease)))
	if made == 0 {
		_ = b.revokeLease(ctx, lease)
	}
	return lease, made != 0, err
}

// changeIf makes a change if a key was written first at a revision, or is not there if that is zero. It returns the revision of the
// cluster then, or 0 if the condition does not hold.
func (b *Backend) changeIf(ctx context.Context, key string, created int64, ops ...clientv3.Op) (revision int64, err error) {
	r, err := answered(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.TxnResponse, error) {
		return c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", created)).Then(ops...).Commit()
	})
	if err != nil || !r.Succeeded {
		return 0, err
	}
	return r.Header.Revision, nil
}

func (b *Backend) revokeLease(ctx context.Context, lease clientv3.LeaseID) error {
	_, err := once(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.LeaseRevokeResponse, error) {
		return c.Revoke(ctx, lease)
	})
	return err
}

// beat renews a lease until ctx ends, or the lease may have lapsed.
func (b *Backend) beat(ctx context.Context, lease clientv3.LeaseID) {
	for last := time.Now(); store.Pause(ctx, claimBeats) == nil; {
		asked := time.Now()
		switch err := b.keepAlive(ctx, lease); {
		case err == nil:
			last = asked
		case errors.Is(err, rpctypes.ErrLeaseNotFound), time.Since(last) > claimHolds-time.Second-claimBeats:
			return
		}
	}
}
