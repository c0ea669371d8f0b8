package runner

import (
	"net/http"
	"strings"
	"testing"
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

// So many connections are not proven at once; the next one closes another.
func TestUnprovenConnectionsAtTheirLimit(t *testing.T) {
	var all connections
	for n := 1; n <= maxUnproven+1; n++ {
		if closed := all.place(&connection{sender: "s"}, false); (closed != nil) != (n > maxUnproven) {
			t.Errorf("connection %d closes %v", n, closed)
		}
	}
}

// A program can write just as much as is allowed; beyond it is told once.
func TestOutputAtItsLimit(t *testing.T) {
	told := 0
	f := &flood{max: 3, flooded: func() { told++ }}
	for i, want := range []int{0, 1, 1} {
		_, err := f.Write([]byte("abc"))
		if told != want || (err == nil) != (i == 0) {
			t.Errorf("after %d bytes: %v, told %d times, want %d", f.written, err, told, want)
		}
	}
}
