package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

func TestAnErrorOfTheClientIsSaidInPlainWords(t *testing.T) {
	for want, err := range map[string]error{
		"no answer in time": fmt.Errorf("asked: %w", context.DeadlineExceeded),
		"dial tcp 127.0.0.1:1: connect: connection refused": status.Error(codes.Unavailable,
			`connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"`),
		"EOF":               status.Error(codes.Unavailable, `last connection error: connection error: desc = "transport: authentication handshake failed: EOF"`),
		"permission denied": rpctypes.ErrPermissionDenied,
		"as it is":          errors.New("as it is"),
	} {
		if got := plain(err); got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%v is said as %q, want %q", err, got, want)
		}
	}
	if got := plain(status.Error(codes.DeadlineExceeded, "stream terminated by RST_STREAM")); got.Error() != "no answer in time" {
		t.Errorf("a late answer is said as %q", got)
	}
}

// joining asks the cluster of an address, as one does that joins it.
func joining(t *testing.T, c store.Cluster) error {
	t.Helper()
	b, err := Connect(c)
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = b.Can().Cluster.Status(t.Context())
	return err
}

// Whoever names the wrong files, the wrong host or a cluster of the other kind is told so, and not to try again.
func TestTheReasonWhyNoMemberIsReachedIsTold(t *testing.T) {
	ca := storetest.NewCA(t)
	cert, key := ca.Issue(t, "ann", time.Now().Add(time.Hour))
	host := func(c *storetest.Etcd) string { _, at, _ := strings.Cut(c.Endpoints()[0], "://"); return at }
	plainly, secure := host(storetest.StartEtcd(t, 1)), host(storetest.StartSecureEtcd(t, ca))
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := gone.Addr().String()
	_ = gone.Close()
	at := func(cert, key string, hosts ...string) store.Cluster {
		return store.Cluster{Endpoints: hosts, Ledger: "team", CA: ca.File, Cert: cert, Key: key}
	}
	without := func(hosts ...string) store.Cluster { return store.Cluster{Endpoints: hosts, Ledger: "team"} }
	const unknown = "nowhere.invalid"
	joined := at(cert, key, unknown+":2379")
	joined.ID = "abc"
	for _, x := range []struct {
		name string
		at   store.Cluster
		code model.Code
		says string
	}{
		{"a cluster with TLS, without it", without(secure), model.CodeRefused, "reached only with TLS"},
		{"a member that is gone, and one with TLS, without it", without(nobody, secure), model.CodeRefused, "reached only with TLS"},
		{"a cluster without TLS, with it", at(cert, key, plainly), model.CodeRefused, "reached without TLS"},
		{"the files swapped", at(key, cert, secure), model.CodeRefused, "has a key, and"},
		{"an unknown name", at(cert, key, unknown+":2379"), model.CodeNotFound, "finds no nowhere.invalid"},
		{"an unknown name in a home that has joined", joined, model.CodeBusy, "does not answer"},
		{"nobody there", at(cert, key, nobody), model.CodeBusy, "connection refused"},
		{"nobody there, without TLS", without(nobody), model.CodeBusy, "connection refused"},
		{"right", at(cert, key, secure), "", ""},
		{"right, without TLS", without(plainly), "", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			missing := (*net.DNSError)(nil)
			if host, _, _ := net.SplitHostPort(x.at.Endpoints[0]); host == unknown {
				if _, err := net.DefaultResolver.LookupHost(t.Context(), host); !errors.As(err, &missing) || !missing.IsNotFound {
					t.Skipf("this machine does not know whether there is a name: %v", err)
				}
			}
			err := joining(t, x.at)
			if code(err) != x.code || err != nil && (!strings.Contains(err.Error(), x.says) || strings.Contains(err.Error(), "rpc error")) {
				t.Error(err)
			}
		})
	}
}

// Without a majority each member is asked by itself, all at once.
func TestEachMemberSaysHowItIsWithoutAMajority(t *testing.T) {
	cluster := storetest.StartEtcd(t, 3)
	b := open(t, cluster, "l")
	if _, err := b.Status(ctx); err != nil {
		t.Fatal(err)
	}
	cluster.Members[0].Kill()
	cluster.Members[1].Kill()
	begun := time.Now()
	s, err := b.Status(ctx)
	if took := time.Since(begun); code(err) != model.CodeBusy || took > maxTime+3*rpcLimit {
		t.Errorf("after %v: %v", took, err)
	}
	if len(s.Members) != 3 || s.Members[0].Error == "" || s.Members[1].Error == "" || s.Members[2].Error != "" || s.Members[2].Version == "" {
		t.Errorf("the members say %+v", s.Members)
	}
	cluster.Members[2].Kill()
	if s, err = b.Status(ctx); code(err) != model.CodeBusy || len(s.Members) != 3 || s.Members[2].Error == "" {
		t.Errorf("without any: %v, %+v", err, s.Members)
	}
}

// A user who may change nothing is known without a change.
func TestAReaderIsKnown(t *testing.T) {
	ca := storetest.NewCA(t)
	cluster := storetest.StartSecureEtcd(t, ca)
	as := func(user string) *Backend {
		cert, key := ca.Issue(t, user, time.Now().Add(time.Hour))
		_, at, _ := strings.Cut(cluster.Endpoints()[0], "://")
		b, err := Connect(store.Cluster{Endpoints: []string{at}, Ledger: "l", CA: ca.File, Cert: cert, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		return b.(*Backend)
	}
	root := as("root")
	admin := root.clients[0]
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(admin.UserAddWithOptions(ctx, "root", "", &clientv3.UserAddOptions{NoPassword: true}))
	must(admin.RoleAdd(ctx, "root"))
	must(admin.UserGrantRole(ctx, "root", "root"))
	for user, g := range map[string]store.Grant{"all": {}, "some": {Agents: []model.AgentID{"ann"}}, "none": {Read: true}} {
		must(root.Grant(ctx, user, g))
	}
	must(admin.AuthEnable(ctx))
	revision := func() int64 {
		r, err := admin.Get(ctx, "x")
		must(r, err)
		return r.Header.Revision
	}
	before := revision()
	for user, want := range map[string]bool{"all": false, "some": false, "none": true} {
		if only, err := as(user).OnlyReads(ctx); err != nil || only != want {
			t.Errorf("%s only reads: %t, %v", user, only, err)
		}
	}
	if after := revision(); after != before {
		t.Errorf("to know it took the cluster from revision %d to %d", before, after)
	}
}
