package etcd

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// The agents are divided into shards, by a hash of their names. s/<number> is the claim of a scheduler on a shard, and s/by/<lease> says
// that a scheduler takes part; both are under its lease, and end with it.
const (
	spaceShards = "s/"
	spaceBy     = spaceShards + "by/"
	spaceClaims = spaceShards + "of/" // of other work than an agent's; see Claim
	shardCount  = 16
	shardLease  = 5 * time.Second
	// shardLook is how often a scheduler renews its lease and looks for shards that are free.
	shardLook = 500 * time.Millisecond
	// deniedLook is how often one looks whose user may not claim shards.
	deniedLook = time.Minute
)

// errDenied: the user may change the parts of some agents, or nothing, and so claims no shard. Its scheduler tries to look at all agents.
var errDenied = errors.New("claims are not permitted")

func shardOf(agent model.AgentID) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(agent)) // never fails
	return int(h.Sum32() % shardCount)
}

func pathOfShard(n int) string { return fmt.Sprintf("%s%02d", spaceShards, n) }

// shards are the claims of one scheduler.
type shards struct {
	b    *Backend
	name string

	lease clientv3.LeaseID // 0 without one; Run's alone
	moved kv.News          // of the rest

	mu     sync.Mutex    // protects the rest
	claims map[int]int64 // the revisions at which they were made, by shard
	idle   error
}

// Shards implements store.Backend.
func (b *Backend) Shards(name string) store.Shards {
	return &shards{b: b, name: name}
}

// Run implements store.Shards.
func (s *shards) Run(ctx context.Context) {
	defer s.leave(context.WithoutCancel(ctx), nil)
	for pause := shardLook; ; {
		switch err := s.look(ctx); {
		case ctx.Err() != nil:
			return
		case model.HasCode(err, model.CodeRefused):
			pause = deniedLook
			s.set(nil, errDenied)
		case err != nil:
			s.set(s.held(), err) // it is tried again at the next look
		default:
			pause = shardLook
		}
		if store.Pause(ctx, pause) != nil {
			return
		}
	}
}

// Changed implements store.Shards.
func (s *shards) Changed() <-chan struct{} { return s.moved.Next() }

// Idle implements store.Shards.
func (s *shards) Idle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle == errDenied {
		return nil
	}
	return s.idle
}

// claim is what the changes of a scheduler depend on.
type claim struct {
	agent model.AgentID
	made  int64
}

type claimKey struct{}

// Claim implements store.Shards.
func (s *shards) Claim(ctx context.Context, agent model.AgentID) (context.Context, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle == errDenied {
		return ctx, true
	}
	made, ok := s.claims[shardOf(agent)]
	return context.WithValue(ctx, claimKey{}, claim{agent, made}), ok
}

// fenceShard makes the change of a scheduler depend on its claim.
func (t *txn) fenceShard() {
	if c, ok := t.ctx.Value(claimKey{}).(claim); ok {
		t.fences[pathOfShard(shardOf(c.agent))] = fence{c.made,
			model.Refuse(model.CodeStale, "another scheduler looks after agent %s now", c.agent).At("agent_id")}
	}
}

// set notes what is claimed, and why nothing is.
func (s *shards) set(claims map[int]int64, idle error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if maps.Equal(claims, s.claims) && fmt.Sprint(idle) == fmt.Sprint(s.idle) {
		return
	}
	s.claims, s.idle = claims, idle
	s.moved.Broadcast()
}

func (s *shards) held() map[int]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.claims)
}

// leave gives all claims up.
func (s *shards) leave(ctx context.Context, why error) {
	s.set(nil, why)
	if s.lease == 0 || s.b.enter(ctx) != nil {
		return
	}
	defer s.b.users.Done()
	_ = s.b.revokeLease(ctx, s.lease) // otherwise it ends by itself
	s.lease = 0
}

// look renews the lease, and claims or gives up shards until this scheduler has a fair share.
func (s *shards) look(ctx context.Context) error {
	if err := s.b.clocks.tooFarApart(); err != nil {
		s.leave(ctx, err)
		return err
	}
	if err := s.b.enter(ctx); err != nil {
		return err
	}
	defer s.b.users.Done()
	if err := s.renew(ctx); err != nil {
		return err
	}
	all, err := s.b.schedulers(ctx)
	if err != nil {
		return err
	}
	if _, known := all[s.lease]; !known {
		all[s.lease] = scheduler{claims: map[int]int64{}}
	}
	held := maps.Clone(all[s.lease].claims)
	fair := (shardCount + len(all) - 1) / len(all)
	if extra := slices.Sorted(maps.Keys(held)); len(extra) > fair {
		for _, n := range extra[fair:] {
			made := held[n]
			delete(held, n)
			s.set(maps.Clone(held), nil)
			key := s.b.root + pathOfShard(n)
			if _, err := s.b.changeIf(ctx, key, made, clientv3.OpDelete(key)); err != nil {
				return err
			}
		}
	}
	taken := map[int]bool{}
	for _, x := range all {
		for n := range x.claims {
			taken[n] = true
		}
	}
	for i := 0; i < shardCount && len(held) < fair; i++ {
		n := (int(s.lease%shardCount) + i) % shardCount // so that two that begin together seldom want the same
		if taken[n] {
			continue
		}
		key := s.b.root + pathOfShard(n)
		made, err := s.b.changeIf(ctx, key, 0, clientv3.OpPut(key, s.name, clientv3.WithLease(s.lease)))
		if err != nil {
			return err
		}
		if made != 0 {
			held[n] = made
		}
	}
	s.set(held, nil)
	return nil
}

// renew renews the lease, or gets another one and takes part with it.
func (s *shards) renew(ctx context.Context) error {
	if s.lease != 0 {
		err := s.b.keepAlive(ctx, s.lease)
		if !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return err
		}
		s.lease = 0
		s.set(nil, nil)
	}
	lease, err := s.b.grantLease(ctx, shardLease)
	if err != nil {
		return err
	}
	_, err = answered(s.b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.PutResponse, error) {
		return c.Put(ctx, s.b.root+spaceBy+strconv.FormatInt(int64(lease), 16), s.name, clientv3.WithLease(lease))
	})
	if err == nil {
		s.lease = lease
	}
	return err
}

// scheduler is one that takes part, and its claims.
type scheduler struct {
	name   string
	claims map[int]int64
}

// schedulers reads what schedulers have in spaceShards, by lease.
func (b *Backend) schedulers(ctx context.Context) (map[clientv3.LeaseID]scheduler, error) {
	r, err := b.read(ctx, []clientv3.Op{clientv3.OpGet(b.root+spaceShards, clientv3.WithPrefix())})
	if err != nil {
		return nil, err
	}
	all := map[clientv3.LeaseID]scheduler{}
	for _, kv := range r.Responses[0].GetResponseRange().Kvs {
		if strings.HasPrefix(string(kv.Key), b.root+spaceClaims) {
			continue
		}
		lease := clientv3.LeaseID(kv.Lease)
		x, known := all[lease]
		if !known {
			x = scheduler{string(kv.Value), map[int]int64{}}
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(string(kv.Key), b.root+spaceShards)); err == nil {
			x.claims[n] = kv.CreateRevision
		}
		all[lease] = x
	}
	return all, nil
}
