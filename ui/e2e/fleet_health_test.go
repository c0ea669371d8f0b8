package e2e

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/store/storetest"
)

// health asks a server whether it is ready.
type health struct {
	t    *testing.T
	base string
}

// serves starts the server of a home.
func (m *fleetHome) serves() health {
	m.t.Helper()
	cmd := m.command("serve", "--listen", "127.0.0.1:0")
	log, err := cmd.StderrPipe()
	must(m.t, err)
	must(m.t, cmd.Start())
	m.t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() })
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if at := regexp.MustCompile(`listening on ([0-9.:]+)`).FindStringSubmatch(lines.Text()); at != nil {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return health{m.t, "http://" + at[1]}
		}
	}
	m.t.Fatal("the server did not start")
	return health{}
}

func (h health) get(path string) (status int, body string) {
	h.t.Helper()
	ctx, stop := context.WithTimeout(h.t.Context(), 10*time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.base+path, nil)
	must(h.t, err)
	got, err := http.DefaultClient.Do(r)
	must(h.t, err)
	defer got.Body.Close()
	raw, err := io.ReadAll(got.Body)
	must(h.t, err)
	return got.StatusCode, string(raw)
}

// until asks, five times a second, until the answer has that status, and returns how long that took.
func (h health) until(status int, limit time.Duration) (took time.Duration, body string) {
	h.t.Helper()
	tick := time.NewTicker(time.Second / 5)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		got, body := h.get("/readyz")
		took = time.Since(began)
		switch {
		case got == status:
			return took, body
		case took > limit:
			h.t.Fatalf("after %v it still answers %d %s", took, got, body)
		}
	}
}

// A server is not ready without a majority of the members, or if no member says anything. It lives, and is ready again by itself.
func TestAServerSaysThatItsClusterCannotBeUsed(t *testing.T) {
	cluster := storetest.StartEtcd(t, 3)
	bin := fleetPrograms(t)
	home := newFleetHome(t, bin)
	home.must("fleet", "join", address(cluster, "team"), "--insecure", "--new")
	h := home.serves()
	h.until(http.StatusOK, 20*time.Second)
	// stop and start are what happens to two members, or to all.
	for _, x := range []struct {
		what        string
		stop, start func()
	}{
		{"two of three members are killed", func() { cluster.Members[1].Kill(); cluster.Members[2].Kill() },
			func() { cluster.Members[1].Start(t); cluster.Members[2].Start(t) }},
		{"all members are stopped", func() { signalAll(t, cluster, syscall.SIGSTOP) }, func() { signalAll(t, cluster, syscall.SIGCONT) }},
	} {
		x.stop()
		took, body := h.until(http.StatusServiceUnavailable, 20*time.Second)
		if !strings.Contains(body, "lagging") && !strings.Contains(body, "busy") {
			t.Errorf("%s: it answers %s", x.what, body)
		}
		if lives, _ := h.get("/healthz"); lives != http.StatusOK {
			t.Errorf("%s: healthz is %d", x.what, lives)
		}
		x.start()
		again, _ := h.until(http.StatusOK, 30*time.Second)
		t.Logf("%s: not ready after %v: %s; ready %v after they run again", x.what, took, body, again)
	}
}

func signalAll(t *testing.T, cluster *storetest.Etcd, s syscall.Signal) {
	t.Helper()
	for _, m := range cluster.Members {
		must(t, m.Signal(s))
	}
}
