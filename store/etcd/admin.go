package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/authpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// idOfCluster is a cluster's id as etcdctl shows it.
func idOfCluster(id uint64) string { return strconv.FormatUint(id, 16) }

// Status implements kv.Cluster.
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
		asking.Go(func() { s.Members[i], ids[i] = b.statusOf(ctx, client) })
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
func (b *Backend) statusOf(ctx context.Context, client *clientv3.Client) (m store.ClusterMember, id string) {
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
	if all, err := client.MemberList(ctx); err == nil && b.config.TLS != nil {
		for _, x := range all.Members {
			if x.ID == r.Header.MemberId {
				m.Peers = b.peers(ctx, x.PeerURLs)
			}
		}
	}
	return m, idOfCluster(r.Header.ClusterId)
}

// peers is what a member's ports for the other members do with the user's certificate. Who is let in there is believed to be a member.
func (b *Backend) peers(ctx context.Context, urls []string) (does string) {
	config := b.config.TLS.Clone()
	config.InsecureSkipVerify = true // the member is told nothing
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &config.Certificates[0], nil }
	for _, url := range urls {
		address, secure := strings.CutPrefix(url, "https://")
		if !secure {
			return kv.PeersAccept
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			continue
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		member := tls.Client(conn, config)
		_, unsent := io.WriteString(member, "GET /version HTTP/1.0\r\n\r\n")
		_, silent := member.Read(make([]byte, 1))
		if does = kv.PeersRefuse; cmp.Or(unsent, silent) == nil {
			return kv.PeersAccept
		}
	}
	return does
}

// permission is what a role may do with a range of keys. An end that is empty means one key.
type permission struct {
	key, end string
	of       authpb.Permission_Type
}

// permissions are what a user needs for a grant.
func (b *Backend) permissions(g store.Grant) []permission {
	prefix := func(path string, of authpb.Permission_Type) permission {
		s := beginning(b.root + path)
		return permission{s.from, s.to, of}
	}
	switch {
	case g.Read:
		return []permission{prefix("", authpb.READ)}
	case len(g.Agents) == 0:
		return []permission{prefix("", authpb.READWRITE)}
	}
	write := func(path string) permission { return permission{key: b.root + path, of: authpb.READWRITE} }
	all := []permission{prefix("", authpb.READ), write(mayWrite)}
	for _, agent := range g.Agents {
		for _, name := range store.Tables {
			if tables[name].shown {
				all = append(all, write(spaceShown+name+string(agent)), prefix(spaceShown+name+string(agent)+"/", authpb.READWRITE))
			}
		}
		all = append(all, prefix(spaceParts+string(agent)+"/", authpb.READWRITE), write(liveOf(agent)))
	}
	return all
}

// mayWrite is a key that nobody writes: whoever may change an agent may.
const mayWrite = "w"

// OnlyReads implements store.Backend. The server looks whether a change is permitted before it compares, and no key has this
// revision.
func (b *Backend) OnlyReads(ctx context.Context) (bool, error) {
	key := b.root + mayWrite
	_, err := b.changeIf(ctx, key, -1, clientv3.OpPut(key, ""))
	if errors.Is(err, rpctypes.ErrPermissionDenied) {
		return true, nil
	}
	return false, err
}

// root is the user who may do everything.
const root = "root"

// Grant implements kv.Cluster. The user's role for the ledger gets what it lacks before it loses what it shall not have, so that
// a grant that is interrupted is made again by the same command, and programs that run keep what they may do before and after. Root also
// makes the cluster enforce permissions.
func (b *Backend) Grant(ctx context.Context, user string, g store.Grant) (enforced bool, err error) {
	role, wanted := "vise/"+b.config.Ledger+"/"+user, b.permissions(g)
	auth := func(do func(context.Context, *clientv3.Client) (any, error)) {
		if err != nil {
			return
		}
		switch _, err = answered(b, ctx, do); {
		case errors.Is(err, rpctypes.ErrUserAlreadyExist), errors.Is(err, rpctypes.ErrRoleAlreadyExist),
			errors.Is(err, rpctypes.ErrPermissionNotGranted): // done before
			err = nil
		}
	}
	has := func(user, role string) {
		auth(func(ctx context.Context, c *clientv3.Client) (any, error) {
			return c.UserAddWithOptions(ctx, user, "", &clientv3.UserAddOptions{NoPassword: true})
		})
		auth(func(ctx context.Context, c *clientv3.Client) (any, error) {
			return c.RoleAdd(ctx, role)
		})
		auth(func(ctx context.Context, c *clientv3.Client) (any, error) {
			return c.UserGrantRole(ctx, user, role)
		})
	}
	has(user, role)
	for _, p := range wanted {
		auth(func(ctx context.Context, c *clientv3.Client) (any, error) {
			return c.RoleGrantPermission(ctx, role, p.key, p.end, clientv3.PermissionType(p.of))
		})
	}
	var had []*authpb.Permission
	auth(func(ctx context.Context, c *clientv3.Client) (any, error) {
		r, err := c.RoleGet(ctx, role)
		if err == nil {
			had = r.Perm
		}
		return r, err
	})
	for _, p := range had {
		if slices.ContainsFunc(wanted, func(w permission) bool { return w.key == string(p.Key) && w.end == string(p.RangeEnd) }) {
			continue
		}
		auth(func(ctx context.Context, c *clientv3.Client) (any, error) {
			return c.RoleRevokePermission(ctx, role, string(p.Key), string(p.RangeEnd))
		})
	}
	auth(func(ctx context.Context, c *clientv3.Client) (any, error) {
		r, err := c.AuthStatus(ctx)
		if err == nil {
			enforced = r.Enabled
		}
		return r, err
	})
	if !enforced && b.config.User == root {
		has(root, root)
		auth(func(ctx context.Context, c *clientv3.Client) (any, error) {
			return c.AuthEnable(ctx)
		})
		enforced = err == nil
	}
	switch away := (*model.Error)(nil); {
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		err = model.Refused("the cluster does not permit %s to grant anything", model.Text(b.config.User)).
			At("home").WithHint("give the certificate and the key of the cluster's user root")
	case errors.As(err, &away) && away.Code == model.CodeBusy:
		err = away.WithHint("run the same command again: it goes on where it stopped")
	}
	return enforced, err
}

// maxOps is how many operations a commit can have: the server's own limit (--max-txn-ops), of which some are kept free.
const maxOps = 128 - 8

// Limits implements store.Backend.
func (b *Backend) Limits() (ops, bytes int) { return maxOps, maxBytes }

// space is how much of its quota the member that was asked last has in use.
type space struct {
	mu    sync.Mutex // protects all
	at    time.Time  // of the last question
	used  int64      // in percent
	known bool       // there was an answer
}

// spaceEvery is how old the knowledge of the space can be.
const spaceEvery = 10 * time.Second

// SpaceUsed implements store.Backend, with the quota of a member. Only processes that write ask.
func (b *Backend) SpaceUsed(ctx context.Context) (percent int64, known bool) {
	s := &b.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at) > spaceEvery {
		s.at = time.Now()
		r, err := once(b, ctx, func(ctx context.Context, c *clientv3.Client) (*clientv3.StatusResponse, error) {
			return c.Status(ctx, c.Endpoints()[0])
		})
		if err == nil && r.DbSizeQuota > 0 { // servers before 3.6 do not tell
			s.used, s.known = r.DbSizeInUse*100/r.DbSizeQuota, true
		}
	}
	return s.used, s.known
}
