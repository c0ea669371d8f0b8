package runner

import (
	"math"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A sender's name is taken up to its limit.
func TestASendersNameAtItsLimit(t *testing.T) {
	long := strings.Repeat("a", maxSource)
	for event, want := range map[string]string{
		"": "webhook", "push": "webhook push", long: "webhook " + long, long + "a": "webhook", "\xff": "webhook",
	} {
		r := &http.Request{Header: http.Header{"X-Github-Event": {event}}}
		if got := sourceOf(r); got.Raw() != want { // raw: compared
			t.Errorf("%d bytes name %q, want %q", len(event), got, want)
		}
	}
}

// So many connections are taken at once; the next one waits until one of them ends.
func TestConnectionsAtTheirLimit(t *testing.T) {
	l, err := (&Server{Listen: "127.0.0.1:0"}).listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := make(chan net.Conn)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			taken <- c
		}
	}()
	for range maxConnections + 1 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	var last net.Conn
	for range maxConnections {
		last = <-taken
		defer last.Close()
	}
	select {
	case c := <-taken:
		c.Close()
		t.Error("one more is taken")
	case <-time.After(100 * time.Millisecond):
		last.Close()
		(<-taken).Close()
	}
}

// A program can write just as much as is allowed; beyond it its turn ends.
func TestOutputAtItsLimit(t *testing.T) {
	for out, want := range map[string]error{"abc": nil, "ab\n": nil, "abcd": errFlood, "a\nb\nc": errFlood} {
		var got error
		x := &turn{worker: &worker{}, listener: &plain{}, cancel: func(why error) { got = why }}
		x.program.Turn.Output = 3
		if x.listen(t.Context(), strings.NewReader(out)); got != want {
			t.Errorf("%q ends the turn with %v, want %v", out, got, want)
		}
	}
	said := &plain{}
	all := &turn{worker: &worker{}, listener: said}
	all.program.Turn.Output = math.MaxInt64
	if all.listen(t.Context(), strings.NewReader("abc")); said.text.String() != "abc\n" {
		t.Errorf("without a limit %q is heard", said.text.String())
	}
}
