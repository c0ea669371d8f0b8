package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// maxLine bounds a line in bytes; the SDK closes the connection at a longer one.
	maxLine = 10 << 20
	// maxWaiting bounds the notifications that wait in the SDK. It closes the connection at 1,024.
	maxWaiting = 512
)

// gate hands a program's lines to the SDK: a notification only while few wait, a request or an answer only when all before it were handled.
// So the program's pipe fills, and the program waits, instead of the SDK giving up.
type gate struct {
	lines *bufio.Scanner
	// rest is what is left of the line that is being read.
	rest []byte

	mu      sync.Mutex // protects all below
	changed *sync.Cond
	// waiting counts notifications and requests that were handed over and not handled, answers the answers that nobody took yet.
	waiting, answers int
	err              error
}

func newGate(from io.Reader) *gate {
	g := &gate{lines: bufio.NewScanner(from)}
	g.lines.Buffer(nil, maxLine)
	g.changed = sync.NewCond(&g.mu)
	return g
}

// Read implements io.Reader for the SDK.
func (g *gate) Read(p []byte) (int, error) {
	for len(g.rest) == 0 {
		if !g.lines.Scan() {
			return 0, g.end(g.lines.Err())
		}
		if line := bytes.TrimSpace(g.lines.Bytes()); len(line) > 0 && g.admit(line) {
			g.rest = append(line[:len(line):len(line)], '\n')
		}
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// admit waits until a line may be handed over, and reports whether it is a message.
func (g *gate) admit(line []byte) bool {
	var m struct {
		ID     *json.RawMessage
		Method *string
	}
	err := json.Unmarshal(line, &m)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err != nil || m.ID == nil && m.Method == nil:
		return false
	case m.ID == nil:
		g.wait(maxWaiting)
		if *m.Method != "$/cancel_request" { // the SDK handles it itself
			g.waiting++
		}
	case m.Method == nil:
		g.wait(1)
		g.answers++
	default:
		g.wait(1)
		g.waiting++
	}
	return true
}

// wait waits until fewer than most are waiting.
func (g *gate) wait(most int) {
	for g.waiting >= most {
		g.changed.Wait()
	}
}

// drain is how long the end waits for answers to be taken. One whose caller has given up is never taken.
const drain = 5 * time.Second

// end waits until everything was handled and all answers were taken: the SDK drops what it has when the connection ends.
func (g *gate) end(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	late := false
	defer time.AfterFunc(drain, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		late = true
		g.changed.Broadcast()
	}).Stop()
	for (g.waiting > 0 || g.answers > 0) && !late {
		g.changed.Wait()
	}
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("the program wrote a line of more than %d MiB", maxLine>>20)
	}
	if g.err = err; err == nil {
		err = io.EOF
	}
	return err
}

// handled counts a notification as handled, or a request as begun.
func (g *gate) handled() { g.count(&g.waiting) }

// answered counts an answer as taken.
func (g *gate) answered() { g.count(&g.answers) }

func (g *gate) count(n *int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	*n = max(0, *n-1)
	g.changed.Broadcast()
}

func (g *gate) failed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}
