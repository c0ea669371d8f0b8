package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"vise/store/storetest"
)

// attacked is a cluster of one member, as vise admin fleet init makes it, and a ledger on it.
type attacked struct {
	t      *testing.T
	dir    string // of init
	client string // the member's port for clients, as HOST:PORT
	peer   string // and for members
}

// newAttacked starts a cluster. change is what becomes of the member's script.
func newAttacked(t *testing.T, bin string, change func(string) string) *attacked {
	t.Helper()
	server := storetest.EtcdServer(t)
	x := &attacked{t: t, dir: t.TempDir()}
	x.client, x.peer = twoPorts(t)
	at := "etcd://" + x.client + "/team"
	runFor(t, x.dir, bin, "vise admin fleet init "+at+" --user ann,bob,eve")
	path := filepath.Join(x.dir, "member-1", "start.sh")
	script, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(change(string(script))), 0o600))
	const as = " --ca user-root/ca.pem --cert user-root/user.pem --key user-root/user.pem"
	runFor(t, x.dir, bin+":"+filepath.Dir(server), "sh member-1/start.sh >member.log 2>&1 &\nvise admin fleet grant ann "+at+as+
		"\nvise admin fleet grant bob "+at+as+" --only bob\nvise admin fleet grant eve "+at+as+" --read")
	return x
}

// twoPorts are two free ports, of which one follows the other.
func twoPorts(t *testing.T) (first, second string) {
	t.Helper()
	for range 100 {
		a, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		second = fmt.Sprint("127.0.0.1:", a.Addr().(*net.TCPAddr).Port+1)
		b, err := net.Listen("tcp", second)
		must(t, a.Close())
		if err == nil {
			must(t, b.Close())
			return a.Addr().String(), second
		}
	}
	t.Fatal("there are no two free ports")
	return "", ""
}

// shows is how somebody reaches the member who shows the certificate of a file, or none.
func (x *attacked) shows(file string) *tls.Config {
	c := &tls.Config{InsecureSkipVerify: true} // an attacker does not ask who answers
	if file != "" {
		file = filepath.Join(x.dir, file)
		pair, err := tls.LoadX509KeyPair(file, file)
		must(x.t, err)
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	return c
}

// tells sends a member what another one sends that is not the leader: that a user wants a change.
func (x *attacked) tells(c *tls.Config, cluster, member, authRevision uint64, as, key string) error {
	request := &etcdserverpb.InternalRaftRequest{Put: &etcdserverpb.PutRequest{Key: []byte(key), Value: []byte("by " + as)},
		Header: &etcdserverpb.RequestHeader{ID: uint64(time.Now().UnixNano()), Username: as, AuthRevision: authRevision}}
	data, err := request.Marshal()
	must(x.t, err)
	number := func(to []byte, field int, v uint64) []byte {
		return binary.AppendUvarint(binary.AppendUvarint(to, uint64(field)<<3), v)
	}
	text := func(to []byte, field int, v []byte) []byte {
		return append(binary.AppendUvarint(binary.AppendUvarint(to, uint64(field)<<3|2), uint64(len(v))), v...)
	}
	const proposal = 2                                                                       // raftpb.MsgProp
	message := number(number(number(nil, 1, proposal), 2, member), 3, member+1)              // type, to, from
	message = text(message, 7, text(number(number(number(nil, 1, 0), 2, 0), 3, 0), 4, data)) // an entry: type, term, index, data
	r, err := http.NewRequest(http.MethodPost, "https://"+x.peer+"/raft", bytes.NewReader(message))
	must(x.t, err)
	for name, value := range map[string]string{"X-Etcd-Cluster-ID": strconv.FormatUint(cluster, 16),
		"X-Server-From":    strconv.FormatUint(member+1, 16),
		"X-Server-Version": "3.6.0", "X-Min-Cluster-Version": "3.0.0", "X-Raft-To": strconv.FormatUint(member, 16)} {
		r.Header.Set(name, value)
	}
	transport := &http.Transport{TLSClientConfig: c}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(answer.Body)
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", answer.Status, said)
	}
	return nil
}

// told is the part of an attacker who sends a member that root wants a key put. It looks whether the key is there later.
func (x *attacked) told(file, key string) error {
	root := x.clientOf("user-root/user.pem")
	defer root.Close()
	status, err := root.Status(ctx, root.Endpoints()[0])
	must(x.t, err)
	auth, err := root.AuthStatus(ctx)
	must(x.t, err)
	err = x.tells(x.shows(file), status.Header.ClusterId, status.Header.MemberId, auth.AuthRevision, "root", key)
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err == nil && len((<-root.Watch(limited, key, clientv3.WithRev(1))).Events) == 0 {
		x.t.Errorf("a member takes %q, and does nothing", file)
	}
	if got, unread := root.Get(ctx, key); err != nil && (unread != nil || len(got.Kvs) > 0) {
		x.t.Errorf("%q wrote, after %v: %v", file, err, unread)
	}
	return err
}

// joins makes a home of a user.
func (x *attacked) joins(m *fleetHome, user string, more ...string) {
	x.t.Helper()
	dir := filepath.Join(x.dir, "user-"+user)
	m.must(append([]string{"admin", "fleet", "join", "etcd://" + x.client + "/team", "--ca", filepath.Join(dir, "ca.pem"),
		"--cert", filepath.Join(dir, "user.pem"), "--key", filepath.Join(dir, "user.pem")}, more...)...)
}

// clientOf is etcd's client with a certificate.
func (x *attacked) clientOf(file string) *clientv3.Client {
	x.t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"https://" + x.client}, TLS: x.shows(file), Logger: zap.NewNop()})
	must(x.t, err)
	return c
}

// shakesHands reports why the port for clients does not let somebody in. The client waits in vain.
func (x *attacked) shakesHands(file string) error {
	c := x.shows(file)
	c.NextProtos = []string{"h2"}
	conn, err := tls.Dial("tcp", x.client, c)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Read(make([]byte, 1))
	return err
}

// refusedBy is who refused an act; yes if nobody did.
func refusedBy(err error) string {
	switch {
	case err == nil:
		return "yes"
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return "rights"
	}
	for _, said := range []string{"tls: ", "EOF", "reset by peer", "broken pipe"} {
		if strings.Contains(err.Error(), said) {
			return "TLS"
		}
	}
	return err.Error()
}

// What somebody can do to a cluster that is set up as docs/fleet.md says, by etcd's own client, and who refuses the rest: the table of the
// page.
func TestWhoCanDoWhatToACluster(t *testing.T) {
	storetest.EtcdServer(t) // before the programs are built
	bin := fleetPrograms(t)
	x, ann := newAttacked(t, bin, func(s string) string { return s }), newFleetHome(t, bin)
	x.joins(ann, "ann", "--new")
	ann.makes("Is ann's")
	root := x.clientOf("user-root/user.pem")
	defer root.Close()
	first := func(table string) string {
		r, err := root.Get(ctx, "/vise/team/p/ann/"+table+"/", clientv3.WithPrefix(), clientv3.WithLimit(1))
		must(t, err)
		if len(r.Kvs) == 0 {
			t.Fatalf("ann has no %s", table)
		}
		return string(r.Kvs[0].Key)
	}
	type act func(context.Context, *clientv3.Client) error
	put := func(key string) act {
		return func(ctx context.Context, c *clientv3.Client) error { _, err := c.Put(ctx, key, "x"); return err }
	}
	remove := func(key string) act {
		return func(ctx context.Context, c *clientv3.Client) error { _, err := c.Delete(ctx, key); return err }
	}
	acts := []struct {
		name string
		do   act
	}{
		{"read", func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Get(ctx, "/vise/team/", clientv3.WithPrefix())
			return err
		}},
		{"write bob's", put("/vise/team/p/bob/x")},
		{"write ann's", put("/vise/team/p/ann/x")},
		{"change ann's handle", put(first("handle"))},
		{"change ann's id", put(first("item"))},
		{"change ann's key", put(first("key"))},
		{"delete ann's handle", remove(first("handle"))},
		{"delete ann's id", remove(first("item"))},
		{"delete ann's key", remove(first("key"))},
		{"name for all", put("/vise/team/n/handle/wi-1")},
		{"change grants", func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.RoleGrantPermission(ctx, "vise/team/eve", "/", "", clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		}},
	}
	var table strings.Builder
	for n, row := range []string{"", "member-1/server.pem", "user-eve/user.pem", "user-bob/user.pem", "user-ann/user.pem", "user-root/user.pem",
		"member-1/peer.pem"} {
		c, locked := x.clientOf(row), x.shakesHands(row)
		fmt.Fprintf(&table, "%-20s", row)
		for _, a := range acts {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			err := locked
			if err == nil {
				err = a.do(ctx, c)
			}
			cancel()
			fmt.Fprintf(&table, "%-7s", refusedBy(err))
		}
		must(t, c.Close())
		fmt.Fprintln(&table, refusedBy(x.told(row, fmt.Sprint("/by/", n))))
	}
	const want = `                    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS
member-1/server.pem TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS
user-eve/user.pem   yes    rights rights rights rights rights rights rights rights rights rights TLS
user-bob/user.pem   yes    yes    rights rights rights rights rights rights rights rights rights TLS
user-ann/user.pem   yes    yes    yes    yes    yes    yes    yes    yes    yes    yes    rights TLS
user-root/user.pem  yes    yes    yes    yes    yes    yes    yes    yes    yes    yes    yes    TLS
member-1/peer.pem   TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    TLS    yes
`
	if table.String() != want {
		t.Errorf("read, write bob's, ann's, change ann's handle, id, key, delete them, name for all, grants, as a member:\n%swant\n%s",
			&table, want)
	}
}

// Where members trust the authority of the users, a user who may only read changes everything as root. vise admin fleet status finds that.
func TestAStatusFindsAPortForMembersThatAcceptsUsers(t *testing.T) {
	bin := fleetPrograms(t)
	x := newAttacked(t, bin, func(s string) string {
		return strings.Replace(s, "--peer-trusted-ca-file peers.pem", "--peer-trusted-ca-file ca.pem", 1)
	})
	eve := newFleetHome(t, bin)
	x.joins(newFleetHome(t, bin), "ann", "--new")
	x.joins(eve, "eve")
	if err := x.told("user-eve/user.pem", "/by/eve"); err != nil {
		t.Fatalf("this is the fault that the status is to find: %v", err)
	}
	eve.fails(1, []string{"for the other members accepts your certificate", "its port for members accepts your certificate", "fleet init"},
		"admin", "fleet", "status")
}

// What somebody has deleted on the cluster is found, does not move as it is, and is made again from the history and the records.
func TestWhatWasDeletedOnTheClusterIsMadeAgain(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	m, at := newFleetHome(t, fleetPrograms(t)), address(cluster, "team")
	m.must("admin", "fleet", "join", at, "--insecure", "--new")
	handle := m.makes("Once", "--key", "same")
	c, err := clientv3.New(clientv3.Config{Endpoints: cluster.Endpoints(), Logger: zap.NewNop()})
	must(t, err)
	defer c.Close()
	for _, key := range []string{"p/ann/handle/" + handle, "p/ann/key/", "f/index/ann/"} {
		r, err := c.Delete(ctx, "/vise/team/"+key, clientv3.WithPrefix())
		must(t, err)
		if r.Deleted == 0 {
			t.Fatalf("nothing is at %s", key)
		}
	}
	m.fails(1, []string{"3 rows or counts differ", "does not lead to its answer", "vise admin fleet check --repair"}, "admin", "fleet", "check")
	home := filepath.Join(t.TempDir(), "home")
	m.fails(5, []string{"nothing has moved, and the ledger is open", "vise admin fleet check --repair"}, "move", at, home, "--insecure")
	if out := m.must("admin", "fleet", "check", "--repair"); !strings.Contains(out, "3 derived rows were made again") {
		t.Errorf("the repair says:\n%s", out)
	}
	if again := m.makes("Once", "--key", "same"); again != handle {
		t.Errorf("the same command made %s, then %s", handle, again)
	}
	m.must("show", handle)
	m.must("move", at, home, "--insecure")
}
