package apart

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"vise/ui/markdown/layout"
)

// question is a leaf. One of Prose and Code is set; neither has a look of its own: Look is
// theirs, and that of all that follow without one.
type question struct {
	Prose *layout.Prose
	Code  *layout.Code
	Look  *layout.Look
}

// answer is what came of a leaf. The first of a process names its build instead.
type answer struct {
	Build string
	Lines []string
	Known bool
	Err   string
}

var (
	errSlow  = fmt.Errorf("took longer than %v to lay out", workLimit)
	errEnded = errors.New("the renderer ended over it")
)

// worker is a process and the pipes to it. One goroutine at a time may use it.
type worker struct {
	cmd   *exec.Cmd
	to    io.WriteCloser
	from  io.ReadCloser
	send  *gob.Encoder
	read  *gob.Decoder
	look  layout.Look // that was sent last
	ended chan struct{}
}

// newWorker starts the process. What it says on standard error is lost: the screen is not
// its own.
func newWorker(cmd *exec.Cmd) (*worker, error) {
	in, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, out, err := os.Pipe()
	if err != nil {
		_, _ = in.Close(), to.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout = in, out
	err = cmd.Start()
	_, _ = in.Close(), out.Close()
	if err != nil {
		_, _ = to.Close(), from.Close()
		return nil, err
	}
	w := &worker{cmd: cmd, to: to, from: from, send: gob.NewEncoder(to), read: gob.NewDecoder(from), ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is nobody's business
		close(w.ended)
	}()
	return w, nil
}

func (w *worker) hasEnded() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// end ends the process, and returns when it has ended.
func (w *worker) end() {
	_ = w.cmd.Process.Kill() // it may have ended by itself
	<-w.ended
	_, _ = w.to.Close(), w.from.Close()
}

// ask returns errSlow or errEnded where no answer came; the worker is of no use then.
func (w *worker) ask(q question, look layout.Look) (answer, error) {
	if look != w.look {
		q.Look, w.look = &look, look
	}
	late, stop := w.deadline(workLimit)
	defer stop()
	if err := w.send.Encode(q); err != nil {
		return answer{}, errEnded
	}
	return w.next(late)
}

// receive waits for what the process says unasked.
func (w *worker) receive(within time.Duration) (answer, error) {
	late, stop := w.deadline(within)
	defer stop()
	return w.next(late)
}

func (w *worker) next(late *atomic.Bool) (a answer, err error) {
	switch err := w.read.Decode(&a); {
	case err == nil:
		return a, nil
	case late.Load():
		return a, errSlow
	}
	return a, errEnded
}

// deadline kills the process after a while.
func (w *worker) deadline(after time.Duration) (late *atomic.Bool, stop func() bool) {
	late = new(atomic.Bool)
	t := time.AfterFunc(after, func() {
		late.Store(true)
		_ = w.cmd.Process.Kill()
	})
	return late, t.Stop
}
