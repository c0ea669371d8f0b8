package storetest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Etcd is an etcd cluster on this machine for one test.
type Etcd struct {
	Members []*Member
	peers   *peers
}

// secure are the files of a cluster that is reached with TLS, and only with certificates of its CA.
type secure struct {
	ca, cert, key string
	peers         []string // flags for the ports of the members among themselves
}

// Member is one server of a cluster.
type Member struct {
	Endpoint string
	args     []string
	process  *os.Process
}

// StartEtcd starts a cluster, which ends with the test. The test is skipped if there is no server: .ci/run etcd builds it.
func StartEtcd(t testing.TB, members int) *Etcd {
	t.Helper()
	return startEtcd(t, members, secure{})
}

// StartSmallEtcd starts a cluster of one member whose data can have so many bytes.
func StartSmallEtcd(t testing.TB, quota int) *Etcd {
	t.Helper()
	return startEtcd(t, 1, secure{}, fmt.Sprint("--quota-backend-bytes=", quota))
}

// StartSecureEtcd starts a cluster of one member that accepts only certificates of the CA, and of another one from members.
func StartSecureEtcd(t testing.TB, ca *CA) *Etcd {
	t.Helper()
	cert, key := ca.Issue(t, "etcd", time.Now().Add(time.Hour))
	peers := NewCA(t)
	peer, peerKey := peers.Issue(t, "member", time.Now().Add(time.Hour))
	return startEtcd(t, 1, secure{ca.File, cert, key, []string{"--peer-cert-file", peer, "--peer-key-file", peerKey,
		"--peer-trusted-ca-file", peers.File, "--peer-client-cert-auth"}})
}

// EtcdServer is the path of the server. The test is skipped if there is none.
func EtcdServer(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(cache, "vise-etcd", "etcd")
	if _, err := os.Stat(binary); errors.Is(err, fs.ErrNotExist) {
		Lacks(t, "etcd (.ci/run etcd builds it)")
	}
	return binary
}

func startEtcd(t testing.TB, members int, s secure, flags ...string) *Etcd {
	t.Helper()
	binary := EtcdServer(t)
	dir := memoryDir(t)
	c := &Etcd{peers: newPeers()}
	var peers, reached, all []string
	ports := freePorts(t, 2*members)
	for i := range members {
		peers = append(peers, fmt.Sprintf("http://127.0.0.1:%d", ports[members+i]))
		reached = append(reached, "http://"+c.peers.relay(t, i, strings.TrimPrefix(peers[i], "http://")))
		if s.peers != nil { // a relay reads what members say
			peers[i] = strings.Replace(peers[i], "http:", "https:", 1)
			reached[i] = peers[i]
		}
		all = append(all, fmt.Sprintf("m%d=%s", i, reached[i]))
	}
	for i := range members {
		m := &Member{Endpoint: fmt.Sprintf("http://127.0.0.1:%d", ports[i])}
		if s.ca != "" {
			m.Endpoint = strings.Replace(m.Endpoint, "http:", "https:", 1)
		}
		m.args = []string{binary, "--name", fmt.Sprint("m", i), "--data-dir", filepath.Join(dir, fmt.Sprint("m", i)),
			"--listen-client-urls", m.Endpoint, "--advertise-client-urls", m.Endpoint,
			"--listen-peer-urls", peers[i], "--initial-advertise-peer-urls", reached[i],
			"--initial-cluster", strings.Join(all, ","), "--log-level", "fatal"}
		m.args = append(m.args, flags...)
		if s.ca != "" {
			m.args = append(m.args, "--cert-file", s.cert, "--key-file", s.key, "--trusted-ca-file", s.ca, "--client-cert-auth")
			m.args = append(m.args, s.peers...)
		}
		c.Members = append(c.Members, m)
	}
	t.Cleanup(func() {
		for _, m := range c.Members {
			m.Kill()
		}
	})
	for _, m := range c.Members {
		m.Start(t)
	}
	for _, m := range c.Members {
		m.await(t, s)
	}
	return c
}

// Endpoints are the addresses of all members.
func (c *Etcd) Endpoints() (all []string) {
	for _, m := range c.Members {
		all = append(all, m.Endpoint)
	}
	return all
}

// Leader is the member that leads the cluster, whose members are reached without certificates.
func (c *Etcd) Leader(t testing.TB) int {
	t.Helper()
	client := &http.Client{Timeout: time.Second} // a member can be stopped
	for i, m := range c.Members {
		r, err := client.Post(m.Endpoint+"/v3/maintenance/status", "application/json", strings.NewReader("{}"))
		if err != nil {
			continue
		}
		var status struct {
			Header struct {
				Member string `json:"member_id"`
			} `json:"header"`
			Leader string `json:"leader"`
		}
		err = json.NewDecoder(r.Body).Decode(&status)
		_ = r.Body.Close()
		if err == nil && status.Leader != "" && status.Leader == status.Header.Member {
			return i
		}
	}
	t.Fatal("nobody leads")
	return 0
}

// Silence is the longest time between two of the times, which follow one another.
func Silence(times []time.Time) (longest time.Duration) {
	for i := 1; i < len(times); i++ {
		longest = max(longest, times[i].Sub(times[i-1]))
	}
	return longest
}

// Start starts a member, also again after Kill.
func (m *Member) Start(t testing.TB) {
	t.Helper()
	cmd := exec.Command(m.args[0], m.args[1:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = childAttributes()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m.process = cmd.Process
}

// Kill ends a member as a power cut does.
func (m *Member) Kill() {
	if m.process != nil {
		_ = m.process.Kill()
		_, _ = m.process.Wait()
		m.process = nil
	}
}

// Signal sends a signal to a member, such as to stop it for a while.
func (m *Member) Signal(s syscall.Signal) error { return m.process.Signal(s) }

// await waits until the member serves.
func (m *Member) await(t testing.TB, s secure) {
	t.Helper()
	client := http.DefaultClient
	if s.ca != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			t.Fatal(err)
		}
		// The answer is not read, and the server is the test's own.
		config := &tls.Config{Certificates: []tls.Certificate{pair}, InsecureSkipVerify: true}
		client = &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.Endpoint+"/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.Do(request)
		if err == nil {
			_ = r.Body.Close()
		}
		if err == nil && r.StatusCode == http.StatusOK {
			return
		}
		timer := time.NewTimer(20 * time.Millisecond)
		select {
		case <-ctx.Done():
			t.Fatalf("the etcd member %s does not serve: %v", m.Endpoint, err)
		case <-timer.C:
		}
	}
}

// memoryDir is a directory for data that need not outlive the test, in memory if possible.
func memoryDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "vise-etcd-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func freePorts(t testing.TB, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
