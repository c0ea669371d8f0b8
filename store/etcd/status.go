package etcd

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
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
	s.Members, s.Schedulers = make([]store.ClusterMember, len(b.clients)), []store.ClusterScheduler{}
	ids, schedulers := make([]string, len(b.clients)), map[clientv3.LeaseID]scheduler{}
	var asking sync.WaitGroup
	asking.Go(func() { schedulers, err = b.schedulers(ctx) })
	for i, client := range b.clients {
		asking.Go(func() { s.Members[i], ids[i] = statusOf(ctx, client) })
	}
	asking.Wait()
	s.ID = cmp.Or(ids...)
	for _, x := range schedulers {
		s.Schedulers = append(s.Schedulers, store.ClusterScheduler{Name: x.name, Shards: len(x.claims), Of: shardCount})
	}
	slices.SortFunc(s.Schedulers, func(a, b store.ClusterScheduler) int { return cmp.Compare(a.Name, b.Name) })
	return s, err
}

// statusOf is what a member says, and the id of its cluster.
func statusOf(ctx context.Context, client *clientv3.Client) (m store.ClusterMember, id string) {
	ctx, cancel := context.WithTimeout(ctx, rpcLimit)
	defer cancel()
	m.Endpoint = client.Endpoints()[0]
	r, err := client.Status(ctx, m.Endpoint)
	if err != nil {
		m.Error = plain(err).Error()
		return m, ""
	}
	m.Version, m.Leader = r.Version, r.Leader == r.Header.MemberId
	for _, alarm := range r.Errors {
		m.Alarms = append(m.Alarms, strings.TrimPrefix(alarm, saidBy))
	}
	m.Bytes, m.Used, m.Quota = r.DbSize, r.DbSizeInUse, r.DbSizeQuota
	return m, idOfCluster(r.Header.ClusterId)
}
