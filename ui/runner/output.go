package runner

import (
	"errors"
	"io"
	"strings"
	"sync"
)

// Tail keeps the end of what is written to it and counts the rest. It may be read while
// it is written.
type Tail struct {
	// Max is how many bytes are kept.
	Max int

	mu    sync.Mutex // protects what follows
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
	// Twice the size is let grow, so that bytes are moved seldom.
	if len(t.kept) > 2*t.Max {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.Max:]...)
	}
	return n, nil
}

// String is the end of the output as valid UTF-8, at most Max bytes.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept[max(0, len(t.kept)-t.Max):]
	// Three bytes for each that is not UTF-8 may not fit; the beginning goes.
	s := strings.ToValidUTF8(string(kept), "\uFFFD")
	for len(s) > t.Max {
		s = strings.ToValidUTF8(s[len(s)-t.Max:], "")
	}
	return s
}

// Total is how many bytes were written in all.
func (t *Tail) Total() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// Capped writes the first Max bytes on and swallows the rest, so that a flood neither fills
// a disk nor stops the program that makes it.
type Capped struct {
	To  io.Writer
	Max int64

	written int64
	// Err is the first error of To; what comes after it is swallowed.
	Err error
}

func (c *Capped) Write(p []byte) (int, error) {
	room := p[:min(int64(len(p)), max(0, c.Max-c.written))]
	if len(room) > 0 && c.Err == nil {
		n, err := c.To.Write(room)
		c.written += int64(n)
		c.Err = err
	}
	return len(p), nil
}

// Written is how much was written on.
func (c *Capped) Written() int64 { return c.written }

// ErrFlood is the error of a Limited that took more than its limit.
var ErrFlood = errors.New("more output than is allowed")

// Limited writes on until Max bytes, and then refuses and calls Flooded, once.
type Limited struct {
	To      io.Writer
	Max     int64
	Flooded func()

	written int64
}

func (l *Limited) Write(p []byte) (int, error) {
	if l.written+int64(len(p)) > l.Max {
		if l.written <= l.Max && l.Flooded != nil {
			l.Flooded()
		}
		l.written = l.Max + 1
		return 0, ErrFlood
	}
	l.written += int64(len(p))
	return l.To.Write(p)
}
