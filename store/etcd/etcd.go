package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"sync"
	"sync/atomic"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// Config says where a ledger is.
type Config struct {
	// Endpoints are the addresses of the cluster's members.
	Endpoints []string
	// Ledger is the ledger's id.
	Ledger string
	// ID is the cluster's id, if it is known. Another cluster is refused.
	ID string
	// TLS is nil for a cluster that is reached without encryption. User is the name in the certificate.
	TLS  *tls.Config
	User string
	// Mirror keeps in memory what is shown of all agents. It is for programs that live long.
	Mirror bool
}

// Backend is a store.Backend on an etcd cluster.
type Backend struct {
	config  Config
	root    string // of all keys
	clients []*clientv3.Client
	member  atomic.Uint64 // modulo the number of clients: the one that is asked first
	clocks  clocks
	names   names
	locks   partLocks
	watch   watch
	space   space
	begun   atomic.Bool // something was read
	mirror  *mirror     // nil without one

	mu     sync.Mutex // protects closed, and users from growing after it
	closed bool
	users  sync.WaitGroup // transactions
}

var errClosed = errors.New("the ledger is closed")

// Open returns the backend of a ledger. It connects to no member; the first transaction does.
func Open(c Config) (*Backend, error) {
	if len(c.Endpoints) == 0 || c.Ledger == "" {
		return nil, errors.New("a ledger on a cluster has endpoints and an id")
	}
	b := &Backend{config: c, root: "/vise/" + c.Ledger + "/"}
	if c.Mirror {
		b.mirror = &mirror{}
	}
	for _, endpoint := range c.Endpoints {
		// Each member has a client of its own: which one is asked, and for how long, is decided here.
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, TLS: c.TLS, Logger: zap.NewNop(), MaxUnaryRetries: 1,
			DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(atOnce), grpc.WithConnectParams(dialing)}})
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		b.clients = append(b.clients, client)
	}
	return b, nil
}

// atOnce lets a request to a member that cannot be reached fail at once. The client would wait for the member until the deadline.
func atOnce(ctx context.Context, method string, in, out any, c *grpc.ClientConn, call grpc.UnaryInvoker, o ...grpc.CallOption) error {
	return call(ctx, method, in, out, c, append(o, grpc.WaitForReady(false))...)
}

// dialing is how often a member that is away is dialled. By default the pauses grow to two minutes; a member that came back is not used
// before the end of one.
var dialing = grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: rpcLimit, Multiplier: 1, Jitter: 0.2, MaxDelay: rpcLimit},
	MinConnectTimeout: 5 * rpcLimit}

// enter begins a use of the backend.
func (b *Backend) enter(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b.users.Add(1)
	return nil
}

// View implements store.Backend.
func (b *Backend) View(ctx context.Context, fn func(store.Txn) error) error {
	return b.viewAt(ctx, 0, fn)
}

// viewAt is View of the keys at a revision, or at the newest one if it is zero.
func (b *Backend) viewAt(ctx context.Context, revision int64, fn func(store.Txn) error) error {
	if err := b.enter(ctx); err != nil {
		return err
	}
	defer b.users.Done()
	t := b.begin(ctx, false)
	if t.at = revision; revision != 0 {
		t.bulk = true
		return fn(t)
	}
	if err := t.useMirror(); err != nil {
		return err
	}
	return fn(t)
}

// Can implements store.Backend.
func (b *Backend) Can() store.Capabilities {
	return store.Capabilities{Cluster: b, User: model.Text(b.config.User), Mirrors: b.mirror != nil}
}

// Wake implements store.Backend. The watch delivers what others commit.
func (b *Backend) Wake() {}

// Close implements store.Backend.
func (b *Backend) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.users.Wait()
	b.watch.close()
	var err error
	for _, c := range b.clients {
		err = errors.Join(err, c.Close())
	}
	return err
}

// ReadCopy implements store.Backend.
func (b *Backend) ReadCopy(ctx context.Context) (store.Backend, error) {
	t := b.begin(ctx, false)
	_, err := t.Get(about)
	return frozen{b, t.at}, err
}

// frozen is a Backend that reads at one revision.
type frozen struct {
	*Backend
	at int64
}

func (f frozen) View(ctx context.Context, fn func(store.Txn) error) error {
	return f.viewAt(ctx, f.at, fn)
}

func (f frozen) Update(context.Context, func(store.Txn) error) error { return kv.ErrReadOnly }

func (f frozen) ReadCopy(context.Context) (store.Backend, error) { return f, nil }

// Close implements store.Backend. The ledger stays open.
func (f frozen) Close() error { return nil }
