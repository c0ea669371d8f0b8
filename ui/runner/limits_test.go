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
