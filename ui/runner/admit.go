package runner

import (
	"net/http"
	"net/netip"
	"sync"

	"golang.org/x/time/rate"

	"vise/model"
)

// The pace of deliveries. A request with a valid token draws from a bucket of its own sender and capability. A correctly signed delivery
// also draws from a bucket of its capability. No other request draws from these. All other requests are counted by sender, and all
// together, before vise reads the ledger for them.
const (
	perSecond = 10
	burst     = 20

	senderPerSecond = 5
	senderBurst     = 20

	unknownPerSecond = 10
	unknownBurst     = 50

	// localPerSecond limits requests for health and metrics.
	localPerSecond = 10
	localBurst     = 20

	// maxLimiters bounds the limiters that are kept in memory.
	maxLimiters = 4096
)

// pace holds one limiter for each name.
type pace struct {
	mu       sync.Mutex // protects limiters
	limiters map[string]*rate.Limiter
}

// takes reports whether there was a token for name.
func (s *Server) takes(name string, perSecond rate.Limit, burst int) bool {
	p := &s.pace
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.limiters[name]
	if l == nil {
		if p.limiters == nil || len(p.limiters) >= maxLimiters {
			p.limiters = map[string]*rate.Limiter{} // all limits start afresh; that is better than growing without a bound
		}
		l = rate.NewLimiter(perSecond, burst)
		p.limiters[name] = l
	}
	return l.AllowN(s.Now(), 1)
}

// tokens holds the tokens that were valid when the ledger was last read. It only decides which bucket a request draws from; the ledger
// decides whether the token is valid.
type tokens struct {
	mu       sync.Mutex // protects the rest
	revision uint64
	valid    map[string]bool // by capability and hash
}

func tokenKey(id model.IngressID, hash string) string { return string(id) + " " + hash }

func (t *tokens) has(id model.IngressID, hash string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.valid[tokenKey(id, hash)]
}

// refresh reads the capabilities again if the ledger has changed.
func (t *tokens) refresh(r model.Reader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.valid != nil && t.revision == r.Revision() {
		return
	}
	t.revision, t.valid = r.Revision(), map[string]bool{}
	for _, a := range r.Agents("", maxAgents) {
		for _, in := range r.Ingresses(a.ID, maxIngresses) {
			if !in.Revoked {
				t.valid[tokenKey(in.ID, in.TokenHash)] = true
			}
		}
	}
}

// maxIngresses bounds the capabilities of one agent that tokens holds.
const maxIngresses = 1000

// admit finds the capability whose token the request carries, or else answers. Unknown, revoked and wrong tokens get the same answer.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (in model.Ingress, ok bool) {
	id, token, sender := model.IngressID(r.PathValue("id")), tokenOf(r), "sender "+senderOf(r.RemoteAddr)
	known := s.tokens.has(id, hashToken(token))
	var inPace bool
	if known {
		inPace = s.takes(sender+" "+string(id), perSecond, burst)
	} else {
		inPace = s.takes(sender, senderPerSecond, senderBurst) &&
			s.takes("unknown", unknownPerSecond, unknownBurst)
	}
	if !inPace {
		tooMany(w)
		return in, false
	}
	err := s.Ledger.View(r.Context(), func(f model.Reader) error {
		if model.ValidID(string(id)) {
			in, _ = f.Ingress(id)
		}
		if !known || !opens(in, token) {
			s.tokens.refresh(f)
		}
		return nil
	})
	switch {
	case err != nil:
		s.fail(w, err)
	case !opens(in, token):
		answer(w, http.StatusUnauthorized, "unauthorized")
	default:
		return in, true
	}
	return in, false
}

// senderOf returns the sender that limits count: an address, or for IPv6 the /64 network, as one sender usually has a whole one.
func senderOf(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := at.Addr().Unmap()
	if ip.Is6() {
		return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
	}
	return ip.String()
}
