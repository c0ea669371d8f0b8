package runner

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
)

// A thousand senders that never finish do not block one that finishes, nor one that began before them.
func TestSlowSendersHoldNobodyUp(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("", "")
	quiet, err := net.Dial("tcp", b.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer quiet.Close()
	if _, err := io.WriteString(quiet, "POST "+strings.TrimPrefix(url, b.base)+" HTTP/1.1\r\nHost: "+b.addr+"\r\n"); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		c, err := net.Dial("tcp", b.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nX-Slow:"); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	code, _ := b.post(url, "x")
	b.want("a good sender among them", code, http.StatusAccepted)
	if took := time.Since(begun); took > headerTime/2 {
		t.Errorf("it took %v", took)
	}
	_, _ = io.WriteString(quiet, "Content-Length: 1\r\n\r\nx")
	first := make([]byte, 12)
	if _, err := io.ReadFull(quiet, first); err != nil || string(first) != "HTTP/1.1 202" {
		t.Errorf("another sender, older than all of them, got %q, %v", first, err)
	}
}

// A sender without a token is refused before the ledger is read, and uses no tokens of the rate limit of others.
func TestStrangersDrainNobody(t *testing.T) {
	b := newServeBench(t)
	url, id := b.mint("", "")
	token, _ := NewToken()
	var codes [600]atomic.Int32
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			for range 40 {
				code, _ := b.post(IngressURL(b.base, id, token), "x")
				codes[code].Add(1)
			}
		})
	}
	for i := range burst {
		code, answer := b.post(url, "x")
		if i == 0 && code == http.StatusTooManyRequests {
			continue // made after the ledger was read last: once it is limited like an unknown one
		}
		if code != http.StatusAccepted {
			t.Errorf("delivery %d among strangers: %d %s", i, code, answer)
		}
	}
	all.Wait()
	if n := codes[http.StatusUnauthorized].Load(); n > unknownBurst+100 || n+codes[http.StatusTooManyRequests].Load() != 1200 {
		t.Errorf("of 1200 requests without a token the ledger was asked about %d; %d were slowed down", n,
			codes[http.StatusTooManyRequests].Load())
	}
}

// Problems of senders' connections are logged, but do not fill the operator's screen.
func TestStrangersDoNotFillTheLog(t *testing.T) {
	now, said := time.Unix(0, 0), 0
	s := &Server{Now: func() time.Time { return now }, Report: func(error) { said++ }}
	out := reports(s.complain)
	for range 1000 {
		_, _ = out.Write([]byte("TLS handshake error"))
	}
	now = now.Add(time.Second)
	_, _ = out.Write([]byte("TLS handshake error"))
	if said != complaints+1 {
		t.Errorf("%d lines of 1001", said)
	}
}

// A body that is too large is answered, and the connection is not cut, whether the length was sent or not.
func TestALargeBodyIsAnswered(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("", "")
	for name, address := range map[string]string{"who has a token": url, "a stranger": IngressURL(b.base, "in-none", "x")} {
		for range 5 {
			c, err := net.Dial("tcp", b.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = io.WriteString(c, "POST "+strings.TrimPrefix(address, b.base)+" HTTP/1.1\r\nHost: "+b.addr+
				"\r\nContent-Length: 5242880\r\n\r\n"+strings.Repeat("x", 5<<20))
			got, _ := io.ReadAll(c)
			if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 413") {
				t.Errorf("%s got %.60q, after %v", name, got, err)
			}
		}
	}
	r, err := http.NewRequest(http.MethodPost, url, io.MultiReader(strings.NewReader(strings.Repeat("x", 5<<20))))
	if err != nil {
		t.Fatal(err)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	b.want("one that does not say its length", got.StatusCode, http.StatusRequestEntityTooLarge)
	b.want("triggers", b.triggered(), 0)
}

// A sender is told that nobody waits, and can send the same again later; an address for an agent and a resource keeps
// the delivery.
func TestADeliveryThatNobodyWaitsForIsNotAcknowledged(t *testing.T) {
	b := newServeBench(t)
	url, _ := b.mint("", "")
	stable, _ := b.mintFor(model.MintIngress{AgentID: "ann", Resource: "run-2"})
	wait := func(resource model.Text) {
		b.wait = b.do("agent:ann", model.WaitFor{WorkItemID: b.item, Reason: "it", Wake: model.WakeExternal, Resource: resource}).WaitID
	}
	wait("run-3")
	code, answer := b.post(url, "x", "X-Delivery-Id: d-1")
	b.want("nobody waits: "+answer, code, http.StatusGone)
	code, answer = b.post(stable, "x", "X-Delivery-Id: d-1")
	b.want("kept: "+answer, code, http.StatusAccepted)
	b.want("triggers of another wait", b.triggered(), 0)
	wait("run-2")
	b.want("triggers of what was kept", b.triggered(), 1)
	wait("run-1")
	code, _ = b.post(url, "x", "X-Delivery-Id: d-1")
	b.want("the same again when somebody waits", code, http.StatusAccepted)
	b.want("triggers", b.triggered(), 1)
	code, _ = b.post(url, "x", "X-Delivery-Id: d-1", "User-Agent: another")
	b.want("the same from another User-Agent", code, http.StatusOK)
}

// A sender has limited time for its headers and for everything; then the connection is closed.
func TestASenderHasItsTime(t *testing.T) {
	t.Parallel()
	b := newServeBench(t)
	url, _ := b.mint("", "")
	for what, x := range map[string]struct {
		begin string
		limit time.Duration
	}{
		"headers": {"X-Slow:", headerTime},
		"a body":  {"Content-Length: 10\r\n\r\nx", readTime},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", b.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			begun := time.Now()
			_, err = io.WriteString(c, "POST "+strings.TrimPrefix(url, b.base)+" HTTP/1.1\r\nHost: "+b.addr+"\r\n"+x.begin)
			if err == nil {
				_ = c.SetReadDeadline(begun.Add(x.limit + 5*time.Second))
				_, err = io.ReadAll(c)
			}
			if took := time.Since(begun); err != nil || took < x.limit/2 {
				t.Errorf("after %v: %v", took, err)
			}
		})
	}
}

func TestASenderIsAnAddressOrANetworkOfIPv6(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true}, {"192.0.2.1:1", "192.0.2.2:1", false}, {"[::ffff:192.0.2.1]:1", "192.0.2.1:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff:1]:2", true}, {"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false}, {"[fe80::1%a]:1", "[fe80::2%b]:1", true},
	} {
		if same := senderOf(c.a) == senderOf(c.b); same != c.same {
			t.Errorf("%s and %s: the same sender %v", c.a, c.b, same)
		}
	}
}
