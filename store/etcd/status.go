package etcd

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/store"
)

// idOfCluster is a cluster's id as etcdctl shows it.
func idOfCluster(id uint64) string { return strconv.FormatUint(id, 16) }

// Status implements store.ClusterBackend.
func (b *Backend) Status(ctx context.Context) (s store.ClusterStatus, err error) {
	if err := b.enter(ctx); err != nil {
		return s, err
	}
	defer b.users.Done()
	s.Members = make([]store.ClusterMember, len(b.clients))
	answers, errs := make([]*clientv3.StatusResponse, len(b.clients)), make([]error, len(b.clients))
	var asking sync.WaitGroup
	for i, client := range b.clients {
		asking.Go(func() {
			limited, cancel := context.WithTimeout(ctx, rpcLimit)
			defer cancel()
			answers[i], errs[i] = client.Status(limited, client.Endpoints()[0])
		})
	}
	asking.Wait()
	if !slices.Contains(errs, nil) {
		if !unanswered(errs[0]) {
			return s, b.explain(errs[0])
		}
		return s, cmp.Or(b.denied(ctx), noAnswer(errs[0]))
	}
	for i, r := range answers {
		m := store.ClusterMember{Endpoint: b.clients[i].Endpoints()[0]}
		if err := errs[i]; err != nil {
			m.Error = err.Error()
		} else {
			s.ID = idOfCluster(r.Header.ClusterId)
			m.Version, m.Leader, m.Alarms = r.Version, r.Leader == r.Header.MemberId, r.Errors
			m.Bytes, m.Used, m.Quota = r.DbSize, r.DbSizeInUse, r.DbSizeQuota
		}
		s.Members[i] = m
	}
	schedulers, err := b.schedulers(ctx)
	if err != nil {
		return s, err
	}
	s.Schedulers = []store.ClusterScheduler{}
	for _, x := range schedulers {
		s.Schedulers = append(s.Schedulers, store.ClusterScheduler{Name: x.name, Shards: len(x.claims), Of: shardCount})
	}
	slices.SortFunc(s.Schedulers, func(a, b store.ClusterScheduler) int { return cmp.Compare(a.Name, b.Name) })
	return s, nil
}
