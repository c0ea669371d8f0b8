package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"vise/model"
	"vise/store/files"
	"vise/store/kv"
)

// Cluster says where the ledger of a home lies that is on a cluster, and what this machine has seen of it. It is the content of fleet.json,
// which makes a directory such a home. Plan files, the hook queue and the console's state lie in the directory.
type Cluster struct {
	// Endpoints are the members' addresses, HOST:PORT. Ledger is the name of the ledger on the cluster.
	Endpoints []string `json:"endpoints"`
	Ledger    string   `json:"ledger"`
	// CA, Cert and Key are the absolute paths of the files for TLS. They are empty for a cluster on this machine without TLS.
	CA   string `json:"ca,omitempty"`
	Cert string `json:"cert,omitempty"`
	Key  string `json:"key,omitempty"`
	// ID is the cluster's own id, Home the id in the ledger, Epoch the ledger's epoch. Another cluster or ledger is refused.
	ID    string `json:"cluster_id"`
	Home  string `json:"home_id"`
	Epoch uint64 `json:"epoch"`
	// Revision is a revision that the ledger has reached. A ledger below it is an older one, and is refused.
	Revision uint64 `json:"revision"`
	// Archive is the id of this machine's archive; empty before there is one.
	Archive string `json:"archive,omitempty"`
	// Mirror keeps what is shown of all agents in memory. It is for a program that reads again and again, and is not in the file.
	Mirror bool `json:"-"`
}

// ErrCluster means that the ledger of a home lies on a cluster, and this program has no client for clusters.
var ErrCluster = errors.New("the ledger of this home lies on a cluster")

// ClusterFile is the file of a home whose ledger lies on a cluster.
const ClusterFile = "fleet.json"

// firstEpoch is the epoch of a ledger that was made on its cluster.
const firstEpoch = 1

// joinAgain is the hint for a home whose cluster or ledger is not the one that it has seen.
const joinAgain = "if it was replaced or restored on purpose, move %s away and run vise admin fleet join again; docs/fleet.md says more"

// OnCluster reports whether the home in dir has its ledger on a cluster.
func OnCluster(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ClusterFile))
	return err == nil
}

// ReadCluster reads fleet.json of the home in dir.
func ReadCluster(dir string) (c Cluster, err error) {
	path := filepath.Join(dir, ClusterFile)
	raw, err := files.ReadSmall(path, maxHomeFile)
	if err != nil {
		return c, err
	}
	if err = json.Unmarshal(raw, &c); err == nil && (len(c.Endpoints) == 0 || !isLedgerName(c.Ledger) || c.Home == "") {
		err = errors.New("it names no ledger")
	}
	if err != nil {
		return c, kv.Refuse("move it away and run vise admin fleet join again", "%s cannot be read: %v", path, err)
	}
	return c, nil
}

func (c Cluster) Save(h Home) error { return h.write(ClusterFile, c) }

// isLedgerName reports whether a ledger on a cluster can have this name: it is a part of its keys.
func isLedgerName(name string) bool {
	return len(name) <= 64 && model.IsName(name, model.LowerCase+model.Digits, "._-")
}

// clusterScheme begins the address of a ledger on a cluster.
const clusterScheme = "etcd://"

// ParseCluster reads the address etcd://HOST:PORT[,HOST:PORT]/LEDGER.
func ParseCluster(address string) (c Cluster, err error) {
	bad := func(format string, args ...any) (Cluster, error) {
		return c, model.Invalid(format, args...).At("address",
			"an address is etcd://HOST:PORT[,HOST:PORT]/LEDGER")
	}
	rest, ok := strings.CutPrefix(address, clusterScheme)
	hosts, name, named := strings.Cut(rest, "/")
	if !ok || !named {
		return bad("%q is not the address of a ledger on a cluster", model.Text(address))
	}
	if !isLedgerName(name) {
		return bad("%q is not a ledger's name: it has 1 to 64 of a-z, 0-9, dot, dash and underscore", model.Text(name))
	}
	c.Ledger = name
	for endpoint := range strings.SplitSeq(hosts, ",") {
		if host, port, err := net.SplitHostPort(endpoint); err != nil || host == "" || port == "" {
			return bad("%q is not HOST:PORT", model.Text(endpoint))
		}
		c.Endpoints = append(c.Endpoints, endpoint)
	}
	return c, nil
}

// IsAddress reports whether a name is meant as the address of a ledger on a cluster.
func IsAddress(name string) bool { return strings.HasPrefix(name, clusterScheme) }

// Address is the address of the ledger.
func (c Cluster) Address() string {
	return clusterScheme + strings.Join(c.Endpoints, ",") + "/" + c.Ledger
}

// openCluster opens the ledger of a home that lies on a cluster. No member is asked before the first transaction, which compares the ledger
// with what this machine has seen.
func openCluster(dir string, o Options) (*Ledger, error) {
	c, err := ReadCluster(dir)
	if err != nil {
		return nil, Explain(err)
	}
	h := Home{Dir: dir, ID: c.Home, Revision: c.Revision, Machine: o.Machine}
	if err := cmp.Or(h.private("."), h.private(ClusterFile)); err != nil {
		return nil, Explain(err)
	}
	if o.Cluster == nil {
		return nil, ErrCluster
	}
	b, err := o.Cluster(c)
	if err != nil {
		return nil, Explain(err)
	}
	return onCluster(h, c, b, o), nil
}

// HomeID returns the id of the home in dir, without its ledger. It is empty if there is none, or none that can be read.
func HomeID(dir string) string {
	if c, err := ReadCluster(dir); err == nil {
		return c.Home
	}
	h := Home{Dir: dir}
	if h.Read() != nil {
		return ""
	}
	return h.ID
}

func onCluster(h Home, c Cluster, b Backend, o Options) *Ledger {
	l := LedgerOn(b, o.Plans)
	l.home, l.Now = h, o.Machine.Now
	l.cluster = &clusterHome{Cluster: c}
	l.cluster.noted.Store(c.Revision)
	return l
}

// Join makes dir the home of a ledger on a cluster, which is empty if fresh is set, and otherwise exists. It returns what it has noted of
// the cluster.
func Join(ctx context.Context, dir string, c Cluster, b Backend, fresh bool, o Options) (Cluster, error) {
	h := Home{Dir: dir, Machine: o.Machine}
	if OnCluster(dir) {
		return c, model.Conflict("%s has joined a cluster before", model.Text(dir)).WithHint(joinAgain, ClusterFile)
	}
	if err := h.HasOwn(); err != nil {
		return c, err
	}
	l := onCluster(h, c, b, o)
	s, err := l.ClusterStatus(ctx)
	if err != nil {
		return c, err
	}
	c.ID, c.Epoch = s.ID, firstEpoch
	if fresh {
		if err = l.initializeCluster(ctx); model.HasCode(err, model.CodeRefused) {
			err = model.Refused("this user may not make the ledger %s", c.Ledger).At("home").
				Because(err).WithHint("whoever may change all of it can: vise admin fleet grant USER ADDRESS, without --read and --only")
		}
	}
	if err == nil {
		err = b.View(ctx, func(t Txn) error {
			return cmp.Or(NewFacts(t).Status().Permits(false), l.learnCluster(t, &c))
		})
	}
	if err != nil {
		return c, Explain(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return c, err
	}
	for _, d := range []string{AgentsDir, SpoolDir, "state", "log"} {
		if err := h.Machine.Mkdir(h.Path(d)); err != nil {
			return c, err
		}
	}
	return c, cmp.Or(h.private("."), c.Save(h))
}

// HasOwn refuses to join a home that has a ledger in a file.
func (h Home) HasOwn() error {
	for _, name := range []string{HomeFile, LedgerFile} {
		if _, err := os.Lstat(h.Path(name)); !files.IsGone(err) {
			return model.Conflict("%s has a ledger of its own", model.Text(h.Dir)).
				WithHint("name a home that is not there yet: --home DIR; vise admin move %s etcd://HOST:PORT/NAME takes that ledger to a "+
					"cluster, as one of its own", model.Text(h.Dir))
		}
	}
	return nil
}

// initializeCluster makes an empty ledger on the cluster.
func (l *Ledger) initializeCluster(ctx context.Context) error {
	l.home.ID = l.NewID()
	return WriteFacts(ctx, l.backend, func(f *Facts) error {
		if err := f.Status().Permits(false); err != nil {
			return err
		}
		if v, err := f.Txn.Get(KeyHome); err != nil || v != nil {
			return cmp.Or(err, error(model.Conflict("the cluster has a ledger %s already", l.cluster.Ledger).
				WithHint("leave --new out to join it, or name another one")))
		}
		f.PutJSON(KeyEpoch, firstEpoch)
		return l.initialize(f.Txn)
	})
}

// learnCluster notes what a ledger on a cluster is.
func (l *Ledger) learnCluster(t Txn, c *Cluster) error {
	f := NewFacts(t)
	if !f.JSON(KeyHome, &c.Home) && f.Err == nil {
		return model.NotFound("the cluster has no ledger %s", c.Ledger).At("address",
			"check the name; --new makes an empty ledger")
	}
	f.JSON(KeyEpoch, &c.Epoch)
	c.Revision = f.Head().Revision
	l.learnSchema(f)
	return f.Err
}

// clusterHome is what an open ledger knows of its cluster.
type clusterHome struct {
	Cluster
	// compared reports that the ledger was compared with what this machine has seen.
	compared atomic.Bool
	// noted is the revision in fleet.json.
	noted atomic.Uint64
}

// compareCluster compares, in a process's first transaction, the ledger on the cluster with what this machine has seen.
func (l *Ledger) compareCluster(t Txn) error {
	x := l.cluster
	if x == nil || x.compared.Load() {
		return nil
	}
	now := x.Cluster
	if err := l.learnCluster(t, &now); err != nil {
		return err
	}
	hint := fmt.Sprintf(joinAgain, l.home.Path(ClusterFile))
	switch {
	case now.Home != x.Home:
		return kv.Refuse(hint, "%s has another ledger than this home has seen (%s, not %s)", x.Address(), model.Text(now.Home), x.Home)
	case now.Epoch != x.Epoch:
		return kv.Refuse(hint, "the ledger %s was moved or restored since this home joined it", x.Address())
	case now.Revision < x.Revision:
		return kv.Refuse(hint, "the ledger %s is older than this home has seen: %s", x.Address(), LostChanges(now.Revision, x.Revision))
	}
	x.compared.Store(true)
	l.followed.committed(now.Revision)
	return nil
}

// noteCluster writes the newest revision that this process has seen to fleet.json, if that is much newer. An older ledger in its place is
// then noticed. If it cannot be written, the next process does so.
func (l *Ledger) noteCluster() {
	seen := l.followed.mine.Load()
	if l.cluster == nil || seen < l.cluster.noted.Load()+noteEvery {
		return
	}
	c, err := ReadCluster(l.home.Dir)
	if err != nil || c.Home != l.cluster.Home || c.Revision >= seen {
		return
	}
	c.Revision = seen
	if c.Save(l.home) == nil {
		l.cluster.noted.Store(seen)
	}
}

// Cluster returns what this home has noted of the cluster on which its ledger lies, and whether there is one.
func (l *Ledger) Cluster() (c Cluster, is bool) {
	if l.cluster == nil {
		return c, false
	}
	return l.cluster.Cluster, true
}

// OnlyReads reports whether the user of the cluster may change nothing of the ledger.
func (l *Ledger) OnlyReads(ctx context.Context) (bool, error) {
	only, err := l.backend.OnlyReads(ctx)
	return only, Explain(err)
}

// ClusterStatus asks the members of the ledger's cluster.
func (l *Ledger) ClusterStatus(ctx context.Context) (ClusterStatus, error) {
	if l.Can.Cluster == nil {
		return ClusterStatus{}, ErrCluster
	}
	s, err := l.Can.Cluster.Status(ctx)
	return s, Explain(err)
}

// GrantOn permits a user what is granted of the ledger on a cluster, and no more. It reports whether the cluster enforces permissions.
func GrantOn(ctx context.Context, b Backend, user string, g Grant) (enforced bool, err error) {
	return LedgerOn(b, nil).Can.Cluster.Grant(ctx, user, g)
}

// ClusterLedger opens a ledger that is on a cluster, without a home. If a home has noted it in c, another ledger is refused.
func ClusterLedger(ctx context.Context, c Cluster, b Backend) (*Ledger, error) {
	l := onCluster(Home{}, c, b, Options{})
	now := c
	if err := b.View(ctx, func(t Txn) error { return l.learnCluster(t, &now) }); err != nil {
		return nil, Explain(err)
	}
	if c.Home != "" && (c.Home != now.Home || c.Epoch != now.Epoch) {
		return nil, Explain(kv.Refuse("join it again", "%s has another ledger than this home has seen, or it was moved or restored since",
			model.Text(c.Address())))
	}
	l.home.ID, l.cluster = now.Home, nil
	return l, nil
}

// JoinMoved writes the fleet.json of a home whose ledger has moved to a cluster.
func JoinMoved(ctx context.Context, dir string, c Cluster, b Backend) error {
	h := Home{Dir: dir}
	l := onCluster(h, c, b, Options{})
	s, err := l.ClusterStatus(ctx)
	if err != nil {
		return err
	}
	c.ID = s.ID
	if err := b.View(ctx, func(t Txn) error { return l.learnCluster(t, &c) }); err != nil {
		return Explain(err)
	}
	return c.Save(h)
}
