package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
)

// tableLive has the turns that live: f/live/<agent>, under the lease of the turn's holder. The cluster deletes such a place when the lease
// is not renewed. It is written once, so that its last change is its creation.
const tableLive = "live/"

func liveOf(agent model.AgentID) string { return spaceShown + tableLive + string(agent) }

// live is what lies at a place of tableLive.
type live struct {
	Turn   int              `json:"turn"`
	Holder model.Text       `json:"holder"`
	Lease  clientv3.LeaseID `json:"lease"`
	ttl    time.Duration    // of a lease that is still to be granted
}

// fence is what a commit asks of a place besides that what was read is unchanged. If it does not hold, the change is refused and not judged
// again.
type fence struct {
	created int64 // the revision at which the place was written first; 0 if nothing may lie there
	refusal error
}

// leased is what a transaction asks of leases.
type leased struct {
	fences map[string]fence // by place
	// lives are the turns that begin to live with the commit, or end to if they are zero.
	lives   map[model.AgentID]live
	allLive bool // the places of all turns that live are in known
}

func (t *txn) fence(place string, created int64, refusal error) {
	if t.fences == nil {
		t.fences = map[string]fence{}
	}
	t.fences[place] = fence{created, refusal}
}

// over is the refusal for the holder of a turn that is over.
func over(agent model.AgentID, turn int) error {
	return model.Refuse(model.CodeStale, "turn %d of agent %s is over", turn, agent).At("turn").
		WithHint("claim a turn first; nothing was written")
}

// Lives reports whether a turn lives. The commit does not depend on it.
func (t *txn) Lives(agent model.AgentID, turn int) (bool, error) {
	if x, changes := t.lives[agent]; changes {
		return x.Turn == turn, nil
	}
	x, _, err := t.live(agent)
	return err == nil && x.Turn == turn, err
}

// live is the turn of an agent that lives, and the revision of its claim; zero if none does.
func (t *txn) live(agent model.AgentID) (x live, claimed int64, err error) {
	place := liveOf(agent)
	switch _, known := t.known[place]; {
	case known || t.allLive:
	case t.writable || t.mirror != nil:
		err = t.load(one(place))
	default: // a reader usually asks for several agents
		var pages []page
		if pages, err = t.fetch(read{span: beginning(spaceShown + tableLive)}); err == nil {
			t.allLive = true
			for _, p := range pages[0].pairs {
				t.known[p.place] = p
			}
		}
	}
	p := t.known[place]
	if err == nil && p.changed != 0 {
		if err = json.Unmarshal(p.value, &x); err != nil {
			err = fmt.Errorf("the turn at %q: %w", place, err)
		}
	}
	return x, p.changed, err
}

// Claim makes a turn live, with a new lease, unless another turn of the agent does.
func (t *txn) Claim(agent model.AgentID, turn int, holder model.Text, lease time.Duration) error {
	t.fence(liveOf(agent), 0, model.Refuse(model.CodeStale, "another process has claimed a turn of agent %s", agent).At("agent_id").
		WithHint("wait for its end; one turn runs at a time"))
	t.changeTurn(agent, live{Turn: turn, Holder: holder, ttl: lease})
	return nil
}

// changeTurn lets the commit write the living turn of an agent, or delete it if that is zero.
func (t *txn) changeTurn(agent model.AgentID, x live) {
	if t.lives == nil {
		t.lives = map[model.AgentID]live{}
	}
	t.lives[agent] = x
}

// Holds makes the commit depend on a turn that lives.
func (t *txn) Holds(agent model.AgentID, turn int) error {
	x, claimed, err := t.live(agent)
	if err == nil && x.Turn != turn {
		err = over(agent, turn)
	}
	if err == nil {
		t.fence(liveOf(agent), claimed, over(agent, turn))
	}
	return err
}

// End ends a turn that lives. Its lease ends by itself.
func (t *txn) End(agent model.AgentID, turn int) error {
	err := t.Holds(agent, turn)
	if err == nil {
		t.changeTurn(agent, live{})
	}
	return err
}

// Renew renews the lease of a turn at once.
func (t *txn) Renew(agent model.AgentID, turn int) error {
	x, _, err := t.live(agent)
	if err == nil && x.Turn != turn {
		err = over(agent, turn)
	}
	if err != nil {
		return err
	}
	t.sent = true // the cluster itself says whether the lease is valid
	if err = t.b.renew(t.ctx, x.Lease); errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return over(agent, turn)
	}
	return err
}

// grant gets the leases of the turns that the commit makes live. A lease that the commit then does not use ends by itself.
func (t *txn) grant() error {
	for agent, x := range t.lives {
		if x.Turn == 0 || x.Lease != 0 {
			continue
		}
		lease, err := t.b.grant(t.ctx, x.ttl)
		if err != nil {
			return err
		}
		x.Lease = lease
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
	for place, f := range t.fences {
		compares = append(compares, clientv3.Compare(clientv3.CreateRevision(t.b.root+place), "=", f.created))
		otherwise = append(otherwise, clientv3.OpGet(t.b.root+place))
	}
	for place := range t.met {
		if isAnswer(place) {
			otherwise = append(otherwise, clientv3.OpGet(t.b.root+place))
		}
	}
	return compares, otherwise
}

func isAnswer(place string) bool { return strings.HasPrefix(place, spaceWhole+"key/") }

// refused is the refusal of a fence that does not hold. It is nil if the command was carried out before: judged again, it finds its answer.
func (t *txn) refused(r *clientv3.TxnResponse) (refusal error) {
	for _, x := range r.Responses {
		for _, kv := range x.GetResponseRange().Kvs {
			if isAnswer(string(kv.Key[len(t.b.root):])) {
				return nil
			}
		}
	}
	for place, f := range t.fences {
		created := int64(0)
		if kv := headIn(r, t.b.root+place); kv != nil {
			created = kv.CreateRevision
		}
		if created != f.created {
			return f.refusal
		}
	}
	return nil
}

// grant gets a lease. The cluster has a shortest one, of some seconds.
func (b *Backend) grant(ctx context.Context, length time.Duration) (clientv3.LeaseID, error) {
	seconds := int64((length + time.Second - 1) / time.Second)
	r, err := answered(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.LeaseGrantResponse, error) {
		return c.Grant(ctx, seconds)
	})
	if err != nil {
		return 0, err
	}
	return r.ID, nil
}

// renew renews a lease. The error is ErrLeaseNotFound if it is over. (The client's own call asks a member that is away without a pause.)
func (b *Backend) renew(ctx context.Context, lease clientv3.LeaseID) error {
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
