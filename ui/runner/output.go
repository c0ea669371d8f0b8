package runner

import (
	"bufio"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// maxLine bounds a line of a program's output in bytes. Agents' programs write a whole tool result in one line.
const maxLine = 8 << 20

var errLongLine = errors.New("a line is too long")

// eachLine calls take with every line of r, without the line end. It skips a line that is too long and passes take an error instead.
func eachLine(r io.Reader, take func(line []byte, err error)) {
	b := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	isLong := false
	for {
		part, isPart, err := b.ReadLine()
		if isLong = isLong || len(line)+len(part) > maxLine; !isLong {
			line = append(line, part...)
		}
		switch {
		case err == nil && isPart:
			continue
		case err != nil:
			return
		case isLong:
			take(nil, errLongLine)
		default:
			take(line, nil)
		}
		line, isLong = line[:0], false
	}
}

// Capped passes on the first Max bytes and discards the rest, so that a flood neither fills a disk nor stops the program that writes it. It
// is safe for concurrent use.
type Capped struct {
	To  io.Writer
	Max int64
	// Err is the first error of To. All later bytes are discarded.
	Err error

	mu      sync.Mutex // protects Err and written
	written int64
}

func (c *Capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fits := p[:min(int64(len(p)), max(0, c.Max-c.written))]
	if len(fits) > 0 && c.Err == nil {
		n, err := c.To.Write(fits)
		c.written += int64(n)
		c.Err = err
	}
	return len(p), nil
}

// Written returns the number of bytes passed on.
func (c *Capped) Written() int64 { return c.written }

// pendingAnswers is how many answers are queued for a program that reads slowly.
const pendingAnswers = 64

// inputPipe is the standard input of a program that uses the rounds protocol: a first line, and one more line for each answer. If the
// program does not read, answers are lost and nothing blocks.
type inputPipe struct {
	// read is the end that the program reads.
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
			_, _ = p.write.Write(append(line, '\n')) // the program may have stopped reading
		}
	}()
	return p, nil
}

// close ends the input. No answer may be sent after it.
func (p *inputPipe) close() {
	p.read.Close()
	p.write.Close()
	close(p.lines)
	<-p.ended
}

// outputPipe reads a program's output. After the program has ended it reads on only while output keeps coming, since a child that escaped
// may hold the pipe open for ever.
type outputPipe struct {
	*os.File
	ended atomic.Bool
}

// drain is how long to wait for more output after the program has ended.
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

// stop records that the program has ended.
func (p *outputPipe) stop() {
	p.ended.Store(true)
	_ = p.SetReadDeadline(time.Now().Add(drain))
}
