package files

import (
	"strings"
	"sync"
)

// Tail keeps the end of what is written to it and counts all bytes. It can be read while it is written.
type Tail struct {
	// Max is how many bytes are kept, at most.
	Max int

	mu    sync.Mutex // protects the fields below
	kept  []byte
	total int64
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	t.total += int64(n)
	if len(p) > t.Max {
		p = p[len(p)-t.Max:]
	}
	t.kept = append(t.kept, p...)
	// The buffer may grow to twice Max, so that bytes are moved seldom.
	if len(t.kept) > 2*t.Max {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.Max:]...)
	}
	return n, nil
}

// String returns the end of the output as valid UTF-8, at most Max bytes.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept[max(0, len(t.kept)-t.Max):]
	// Each invalid byte becomes three bytes. If they do not fit, the beginning is cut.
	s := strings.ToValidUTF8(string(kept), "\uFFFD")
	for len(s) > t.Max {
		s = strings.ToValidUTF8(s[len(s)-t.Max:], "")
	}
	return s
}

// Total returns the number of bytes written in all.
func (t *Tail) Total() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}
