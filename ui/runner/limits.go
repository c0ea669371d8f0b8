package runner

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxConnections bounds the connections that are open at once.
const maxConnections = 64

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

// local serves only this machine, whatever the address listens on.
func (s *Server) local(next http.HandlerFunc) http.HandlerFunc {
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
	// maxLimiters bounds what is remembered of capabilities.
	maxLimiters = 4096
)

// pace holds a limiter a name.
type pace struct {
	mu       sync.Mutex // protects limiters
	limiters map[string]*rate.Limiter
}

// take reports whether there was a token for name.
func (p *pace) take(at time.Time, name string, perSecond rate.Limit, burst int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.limiters[name]
	if l == nil {
		if p.limiters == nil || len(p.limiters) >= maxLimiters {
			p.limiters = map[string]*rate.Limiter{} // who was slowed down starts afresh; that is better than to grow
		}
		l = rate.NewLimiter(perSecond, burst)
		p.limiters[name] = l
	}
	return l.AllowN(at, 1)
}

// reports is a writer of what the HTTP server logs.
type reports func(error)

func (r reports) Write(p []byte) (int, error) {
	r(errors.New(strings.TrimSpace(string(p))))
	return len(p), nil
}
