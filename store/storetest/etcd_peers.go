package storetest

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// peers are the connections among the members of a cluster. Each member is reached through a relay, which knows who calls it.
type peers struct {
	mu    sync.Mutex     // protects the rest
	ids   map[string]int // the members, by what they call one another
	away  int            // the member that is cut off from the others; -1 for none
	conns map[net.Conn]ends
}

// ends are the members that a connection joins; from is -1 if it is not known.
type ends struct{ from, to int }

// The headers in which a member says who it is, and whom it calls.
const (
	caller = "X-Server-From"
	called = "X-Raft-To"
)

func newPeers() *peers { return &peers{ids: map[string]int{}, away: -1, conns: map[net.Conn]ends{}} }

// relay lets the other members reach a member, and returns the address for them.
func (p *peers) relay(t testing.TB, to int, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.join(conn, to, address)
		}
	}()
	return l.Addr().String()
}

func (p *peers) join(conn net.Conn, to int, address string) {
	defer conn.Close()
	var said bytes.Buffer
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	request, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &said)))
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	there, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer there.Close()
	if !p.enter(conn, request.Header, to) {
		return
	}
	defer p.leave(conn)
	go func() {
		defer conn.Close()
		_, _ = io.Copy(conn, there)
	}()
	if _, err := there.Write(said.Bytes()); err == nil {
		_, _ = io.Copy(there, conn)
	}
}

// enter notes a connection, unless it is cut.
func (p *peers) enter(conn net.Conn, h http.Header, to int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id := h.Get(called); id != "" {
		p.ids[id] = to
	}
	e := ends{-1, to}
	if from, known := p.ids[h.Get(caller)]; known {
		e.from = from
	}
	if p.cut(e) {
		return false
	}
	p.conns[conn] = e
	return true
}

func (p *peers) leave(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
}

func (p *peers) cut(e ends) bool {
	return p.away >= 0 && (e.from == p.away || e.to == p.away || e.from < 0)
}

// CutOff cuts a member off from the others, not from its clients. With -1 all are joined again.
func (c *Etcd) CutOff(member int) {
	p := c.peers
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = member
	for conn, e := range p.conns {
		if p.cut(e) {
			_ = conn.Close()
		}
	}
}
