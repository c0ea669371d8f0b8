package runner

import (
	"io"
	"os"
	"sync/atomic"
	"time"
)

// pendingAnswers is how many answers wait for a program that is slow to read.
const pendingAnswers = 64

// dialogue is the standard input of a program that speaks rounds: a first line, and one
// more for each answer. A program that does not read misses answers, and nothing waits.
type dialogue struct {
	// read is the program's end.
	read, write *os.File
	lines       chan []byte
	ended       chan struct{}
}

func newDialogue(first []byte) (*dialogue, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	d := &dialogue{read: r, write: w, lines: make(chan []byte, pendingAnswers), ended: make(chan struct{})}
	d.lines <- first
	go d.feed()
	return d, nil
}

func (d *dialogue) feed() {
	defer close(d.ended)
	for line := range d.lines {
		if _, err := d.write.Write(append(line, '\n')); err != nil {
			break // the program does not listen any more, or we hung up
		}
	}
	for range d.lines {
	}
}

// close hangs up. Nobody may answer after it.
func (d *dialogue) close() {
	d.read.Close()
	d.write.Close()
	close(d.lines)
	<-d.ended
}

// mouth reads what a program writes. Once the program has ended, it waits for a little
// more only as long as some comes: a child that left may hold the pipe open for ever.
type mouth struct {
	*os.File
	ended atomic.Bool
}

// lastWords is how long more output is waited for after the program has ended.
const lastWords = time.Second

func (m *mouth) Read(p []byte) (int, error) {
	if m.ended.Load() {
		_ = m.SetReadDeadline(time.Now().Add(lastWords))
	}
	n, err := m.File.Read(p)
	if os.IsTimeout(err) {
		err = io.EOF
	}
	return n, err
}

// hush tells that the program has ended.
func (m *mouth) hush() {
	m.ended.Store(true)
	_ = m.SetReadDeadline(time.Now().Add(lastWords))
}
