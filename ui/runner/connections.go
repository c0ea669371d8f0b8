package runner

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// maxUnproven bounds the connections that have not shown a valid token: a new one costs the
// oldest of the sender that has most of them. So neither who opens connections and says
// nothing, nor who has no token, keeps others out.
const maxUnproven = 512

// connections is a listener that holds them to it.
type connections struct {
	net.Listener

	mu       sync.Mutex // protects the rest, and each connection's place
	unproven list.List  // of *connection, oldest first
	senders  map[string]int
}

// connection is one of them; place is nil while it is proven, or closed.
type connection struct {
	net.Conn
	all    *connections
	sender string
	place  *list.Element
	closed bool
}

// Accept is part of net.Listener.
func (l *connections) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	x := &connection{Conn: c, all: l, sender: senderOf(c.RemoteAddr().String())}
	x.setProven(false)
	return x, nil
}

// Close is part of net.Conn.
func (c *connection) Close() error {
	c.all.mu.Lock()
	c.closed = true
	c.all.remove(c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// setProven says whether what c is used for now has shown a valid token.
func (c *connection) setProven(proven bool) {
	if old := c.all.place(c, proven); old != nil {
		_ = old.Close() // its sender learns it by that alone
	}
}

// place notes it, and returns the connection that has to go.
func (l *connections) place(c *connection, proven bool) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
	if proven || c.closed {
		return nil
	}
	if l.senders == nil {
		l.senders = map[string]int{}
	}
	c.place = l.unproven.PushBack(c)
	l.senders[c.sender]++
	if l.unproven.Len() <= maxUnproven {
		return nil
	}
	most := 0
	for _, n := range l.senders {
		most = max(most, n)
	}
	for e := l.unproven.Front(); ; e = e.Next() {
		if old := e.Value.(*connection); l.senders[old.sender] == most {
			return old
		}
	}
}

// remove is for who holds l.mu.
func (l *connections) remove(c *connection) {
	if c.place == nil {
		return
	}
	l.unproven.Remove(c.place)
	c.place = nil
	if l.senders[c.sender]--; l.senders[c.sender] == 0 {
		delete(l.senders, c.sender)
	}
}

// senderOf is whom limits count: an address, or the network of 64 bits that one sender has of IPv6.
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

type connectionKey struct{}

// withConnection is the context of a connection's requests.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, unwrapped(c))
}

// proven says that a request has shown a valid token.
func proven(r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok && c != nil {
		c.setProven(true)
	}
}

// betweenRequests: what a connection showed held for one request.
func betweenRequests(c net.Conn, state http.ConnState) {
	if x := unwrapped(c); x != nil && state == http.StateIdle {
		x.setProven(false)
	}
}

// unwrapped is the connection below TLS.
func unwrapped(c net.Conn) *connection {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = over.NetConn()
	}
	x, _ := c.(*connection)
	return x
}
