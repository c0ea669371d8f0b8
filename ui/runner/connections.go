package runner

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// maxUnproven bounds the connections that have not shown a valid token. One more connection closes the oldest one of the sender that has
// the most. So a sender that opens many connections, silent or without a token, does not keep others out.
const maxUnproven = 512

// connections is a listener that enforces maxUnproven.
type connections struct {
	net.Listener

	mu       sync.Mutex // protects the rest, and the place of each connection
	unproven list.List  // of *connection, oldest first
	senders  map[string]int
}

// connection is one accepted connection. place is nil while it is proven, or once it is closed.
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

// setProven records whether the current request of c has shown a valid token.
func (c *connection) setProven(proven bool) {
	if old := c.all.place(c, proven); old != nil {
		_ = old.Close() // this is all that its sender is told
	}
}

// place records whether c is proven. It returns the connection to close, or nil.
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

// remove takes c off the list. The caller holds l.mu.
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

type connectionKey struct{}

// withConnection returns the context for the requests of a connection.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, unwrapped(c))
}

// proven records that a request has shown a valid token.
func proven(r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok && c != nil {
		c.setProven(true)
	}
}

// betweenRequests withdraws the proof when a request ends. A proof holds for one request.
func betweenRequests(c net.Conn, state http.ConnState) {
	if x := unwrapped(c); x != nil && state == http.StateIdle {
		x.setProven(false)
	}
}

// unwrapped returns the connection below TLS.
func unwrapped(c net.Conn) *connection {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = over.NetConn()
	}
	x, _ := c.(*connection)
	return x
}
