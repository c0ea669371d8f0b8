package runner

import (
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxConnections bounds the connections that are open at once.
const maxConnections = 64

// few is a listener that accepts while there is room.
type few struct {
	net.Listener
	room chan struct{}
}

func (f *few) Accept() (net.Conn, error) {
	f.room <- struct{}{}
	c, err := f.Listener.Accept()
	if err != nil {
		<-f.room
		return nil, err
	}
	return &counted{Conn: c, leave: sync.OnceFunc(func() { <-f.room })}, nil
}

type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// allowed are the values of Host under which requests are taken. Without that, a name that
// an attacker's page resolves to this machine would count as the same origin.
func allowed(addr, listen string, more []string) map[string]bool {
	_, port, _ := net.SplitHostPort(addr)
	hosts := map[string]bool{strings.ToLower(addr): true, strings.ToLower(listen): true}
	for _, name := range []string{"localhost", "127.0.0.1", "[::1]"} {
		hosts[name+":"+port] = true
	}
	for _, name := range more {
		hosts[strings.ToLower(name)] = true
	}
	return hosts
}

// guard refuses requests for a host that is not ours.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hosts[strings.ToLower(r.Host)] {
			answer(w, http.StatusForbidden, "forbidden")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// near serves only this machine, whatever the address listens on.
func (s *Server) near(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil || !loopback(host) {
			answer(w, http.StatusNotFound, "not found")
			return
		}
		next(w, r)
	}
}

// The pace of deliveries: for one capability, for requests that prove nothing, and for all
// together, which spares the ledger.
const (
	perSecond = 10
	burst     = 20

	strangersPerSecond = 50
	strangersBurst     = 100

	allPerSecond = 500
	allBurst     = 1000
	// maxBuckets bounds what is remembered of capabilities.
	maxBuckets = 4096
)

// pace is one bucket of tokens a name.
type pace struct {
	now func() time.Time

	mu      sync.Mutex // protects buckets
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newPace(now func() time.Time) *pace {
	return &pace{now: now, buckets: map[string]bucket{}}
}

// take reports whether there was a token for name.
func (p *pace) take(name string, perSecond, burst float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	b, ok := p.buckets[name]
	if !ok {
		if len(p.buckets) >= maxBuckets {
			clear(p.buckets) // who was slowed down starts afresh; that is better than to grow
		}
		b = bucket{tokens: burst, at: now}
	}
	b.tokens = min(burst, b.tokens+now.Sub(b.at).Seconds()*perSecond)
	b.at = now
	enough := b.tokens >= 1
	if enough {
		b.tokens--
	}
	p.buckets[name] = b
	return enough
}

// quiet turns what the HTTP server logs into reports.
func quiet(report func(error)) *log.Logger { return log.New(reporter(report), "", 0) }

type reporter func(error)

func (r reporter) Write(p []byte) (int, error) {
	r(httpError(strings.TrimSpace(string(p))))
	return len(p), nil
}

type httpError string

func (e httpError) Error() string { return string(e) }
