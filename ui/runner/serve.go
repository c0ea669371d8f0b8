package runner

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"vise/model"
	"vise/store"
	"vise/store/home"
)

// Server receives deliveries and serves the ledger's HTTP addresses. Its fields are set before Run and not changed after.
type Server struct {
	Ledger home.Ledger
	Now    func() time.Time
	// Listen is "host:port". Any host other than loopback needs Public.
	Listen string
	// Public allows an address that other machines can reach. Certificate and Key are files. Without them the traffic is not encrypted.
	Public           bool
	Certificate, Key string
	// Hosts are further accepted values of the Host header.
	Hosts []string
	// Ready is called with the address once the server takes requests. It may be nil.
	Ready func(net.Addr)
	// MCP serves agents' tools at paths that begin with MCPPath, to this machine only; nil serves none.
	MCP     http.Handler
	MCPPath string
	// Also runs as long as the server does. Its error ends the server. It may be nil.
	Also func(context.Context) error
	// Answered reports whether a permission request was answered in the agent's program; nil if nobody knows.
	Answered func(model.AgentID, model.Permission) bool
	// Version is that of the program. Conditions are the problems of the ledger, and Cluster what its cluster says; both may be nil.
	Version    string
	Conditions func(context.Context) []model.Condition
	Cluster    func(context.Context) (store.ClusterStatus, error)
	// Sessions are the known sessions of agents' programs, and Machines the states of the hosts; both may be nil.
	Sessions func() []home.Session
	Machines func() []model.HostState
	// Report is called with errors; it may be nil.
	Report func(error)

	began  time.Time
	counts counts
	hosts  map[string]bool
	pace   pace
	tokens tokens
}

// Bounds of a connection. They were tested against slow and greedy senders.
const (
	headerTime = 2 * time.Second
	readTime   = 5 * time.Second
	writeTime  = 15 * time.Second
	idleTime   = 30 * time.Second
	maxHeader  = 8 << 10
	// maxConnections is twice the number of senders that never finish in the test. A connection takes about 15 KB.
	maxConnections = 2000
	// closeTime is how long requests in progress may take when the server ends.
	closeTime = 3 * time.Second
)

// Run serves until ctx ends. It returns after everything that it started has ended.
func (s *Server) Run(ctx context.Context) error {
	if s.Report == nil {
		s.Report = func(error) {}
	}
	s.began = s.Now()
	shards := home.ShardsOf(s.Ledger)
	s.Ledger = timedLedger{s.Ledger, &s.counts}
	l, err := s.listen(ctx)
	if err != nil {
		return err
	}
	if err := s.Ledger.View(ctx, func(f model.Reader) error { s.tokens.refresh(f); return nil }); err != nil {
		s.Report(err) // tokens are then looked up in the ledger
	}
	s.hosts = allowed(l.Addr().String(), s.Listen, s.Hosts)
	if s.Ready != nil {
		s.Ready(l.Addr())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h := &http.Server{Handler: s.handler(), ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime,
		IdleTimeout: idleTime, MaxHeaderBytes: maxHeader, ErrorLog: log.New(reports(s.complain), "", 0)}
	var all sync.WaitGroup
	all.Go(func() { s.schedule(ctx, shards) })
	if s.Also != nil {
		all.Go(func() { cancel(s.Also(ctx)) })
	}
	all.Go(func() {
		<-ctx.Done()
		last, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer stop()
		if h.Shutdown(last) != nil {
			h.Close()
		}
	})
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		cancel(err)
	}
	all.Wait()
	return context.Cause(ctx)
}

func (s *Server) listen(ctx context.Context) (net.Listener, error) {
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return nil, model.Invalid("%s is not an address", model.Text(s.Listen)).At("listen",
			"use 127.0.0.1:PORT")
	}
	if !s.Public && !loopback(host) {
		return nil, model.Refused("%s can be reached by others", model.Text(s.Listen)).At("listen",
			"use 127.0.0.1, or say --public; with --cert and --cert-key what is sent cannot be read on the way")
	}
	tcp, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return nil, model.Refused("%v", model.Text(err.Error())).At("listen",
			"--listen names another address; another vise serve may have this one")
	}
	l := netutil.LimitListener(tcp, maxConnections)
	if s.Certificate == "" {
		return l, nil
	}
	pair, err := tls.LoadX509KeyPair(s.Certificate, s.Key)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}

// loopback reports whether a host means only this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (s *Server) schedule(ctx context.Context, shards store.Shards) {
	loop := &home.Scheduler{Ledger: s.Ledger, Now: s.Now, NewKey: home.NewKey, Alive: Alive, Answered: s.Answered,
		Shards: shards,
		Report: func(_ model.AgentID, err error) {
			if err != nil && !errors.Is(err, context.Canceled) {
				s.counts.errors.Add(1)
				s.Report(err)
			}
		}}
	_ = loop.Run(ctx) // ends with ctx
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+ingressPath+"{id}", s.deliver)
	mux.HandleFunc("POST "+ingressPath+"{id}/{token}", s.deliver)
	mux.HandleFunc("GET /healthz", s.local(s.health))
	mux.HandleFunc("GET /readyz", s.local(s.ready))
	mux.HandleFunc("GET /metrics", s.local(s.metrics))
	if s.MCP != nil {
		mux.Handle(s.MCPPath+"{agent}", s.here(s.MCP))
	}
	return s.guard(http.NewCrossOriginProtection().Handler(mux))
}

// allowed returns the accepted values of the Host header. Without this check, a name that an attacker's page resolves to this machine would
// count as the same origin.
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

// guard refuses requests for other hosts than the allowed ones.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hosts[strings.ToLower(r.Host)] && r.Host != localAddr(r) {
			answer(w, http.StatusForbidden, "forbidden")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// localAddr is the address at which a request came. As a Host header it is that of no name, and so of no attacker's page.
func localAddr(r *http.Request) string {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return at.String()
	}
	return ""
}

// here serves only requests from this machine, also those to its own address, whatever address the server listens on.
func (s *Server) here(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		own, _, _ := net.SplitHostPort(localAddr(r))
		if err != nil || !loopback(host) && host != own {
			answer(w, http.StatusNotFound, "not found")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// local is here with a rate limit.
func (s *Server) local(next http.HandlerFunc) http.HandlerFunc {
	return s.here(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.takes("local", localPerSecond, localBurst) {
			tooMany(w)
			return
		}
		next(w, r)
	})).ServeHTTP
}

// complain reports connection errors that senders cause, limited so that strangers cannot flood the log.
func (s *Server) complain(err error) {
	if s.takes("complaints", 1, complaints) {
		s.Report(err)
	}
}

// complaints is how many are reported at once; after that, one a second.
const complaints = 10

// reports is a writer for the log of the HTTP server.
type reports func(error)

func (r reports) Write(p []byte) (int, error) {
	r(errors.New(strings.TrimSpace(string(p))))
	return len(p), nil
}
