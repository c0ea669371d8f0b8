package runner

import (
	"io"
	"os"
	"sync/atomic"
	"time"
)

// pendingAnswers is how many answers wait for a program that is slow to read.
const pendingAnswers = 64

// inputPipe is the standard input of a program that speaks rounds: a first line, and one
// more for each answer. A program that does not read misses answers, and nothing waits.
type inputPipe struct {
	// read is the program's end.
	read, write *os.File
	lines       chan []byte
	ended       chan struct{}
}

func newInputPipe(first []byte) (*inputPipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &inputPipe{read: r, write: w, lines: make(chan []byte, pendingAnswers), ended: make(chan struct{})}
	p.lines <- first
	go func() {
		defer close(p.ended)
		for line := range p.lines {
			_, _ = p.write.Write(append(line, '\n')) // the program may not listen any more
		}
	}()
	return p, nil
}

// close ends the input. Nobody may answer after it.
func (p *inputPipe) close() {
	p.read.Close()
	p.write.Close()
	close(p.lines)
	<-p.ended
}

// outputPipe reads what a program writes. Once the program has ended, it waits for a little
// more only as long as some comes: a child that left may hold the pipe open for ever.
type outputPipe struct {
	*os.File
	ended atomic.Bool
}

// drain is how long more output is waited for after the program has ended.
const drain = time.Second

func (p *outputPipe) Read(b []byte) (int, error) {
	if p.ended.Load() {
		_ = p.SetReadDeadline(time.Now().Add(drain))
	}
	n, err := p.File.Read(b)
	if os.IsTimeout(err) {
		err = io.EOF
	}
	return n, err
}

// stop tells that the program has ended.
func (p *outputPipe) stop() {
	p.ended.Store(true)
	_ = p.SetReadDeadline(time.Now().Add(drain))
}
