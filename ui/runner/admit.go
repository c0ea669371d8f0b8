package runner

import (
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"vise/model"
)

// The pace of deliveries. Who shows a valid token has a bucket a sender, and one a capability
// for what is also signed as it should be; nobody else draws from these. All others are
// counted by sender and together before the ledger is asked about them.
const (
	perSecond = 10
	burst     = 20

	senderPerSecond = 5
	senderBurst     = 20

	unknownPerSecond = 10
	unknownBurst     = 50

	// localPerSecond is for health and metrics.
	localPerSecond = 10
	localBurst     = 20

	// maxLimiters bounds what is remembered of senders and of capabilities.
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

// tokens are those that were valid when the ledger was read last: a filter before it, which
// decides alone who stands in line with strangers.
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

// refresh reads the capabilities again if the ledger moved.
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

// maxIngresses bounds the capabilities of an agent that are known before the ledger is asked.
const maxIngresses = 1000

// admit finds the capability that a request proves to hold. Without one, status says what it
// is answered; unknown, revoked and wrong are told alike.
func (s *Server) admit(r *http.Request) (in model.Ingress, status int, err error) {
	id, token, sender := model.IngressID(r.PathValue("id")), tokenOf(r), "sender "+senderOf(r.RemoteAddr)
	known := s.tokens.has(id, hashToken(token))
	switch {
	case known && s.pace.take(s.Now(), sender+" "+string(id), perSecond, burst):
		proven(r)
	case known, !s.pace.take(s.Now(), sender, senderPerSecond, senderBurst),
		!s.pace.take(s.Now(), "unknown", unknownPerSecond, unknownBurst):
		return in, http.StatusTooManyRequests, nil
	}
	err = s.Ledger.View(r.Context(), func(f model.Reader) error {
		if model.ValidID(string(id)) {
			in, _ = f.Ingress(id)
		}
		if !known || !opens(in, token) {
			s.tokens.refresh(f)
		}
		return nil
	})
	if err == nil && !opens(in, token) {
		return in, http.StatusUnauthorized, nil
	}
	proven(r)
	return in, 0, err
}
