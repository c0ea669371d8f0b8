//go:build unix

package lock

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// suspension holds Ctrl-Z back while this process has the lock: a stopped holder keeps
// every other process out for as long as it stays stopped. Signals belong to the
// process, and so does this.
//
// It is installed once and stays, since installing and removing it around each
// transaction costs 145 µs, ten times a read.
var suspension suspender

type suspender struct {
	once sync.Once
	stop chan os.Signal

	mu      sync.Mutex // protects what follows, and is held while the process stops
	inside  int
	pending syscall.Signal
}

var stopSignals = []os.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}

// Prepare installs the hold on Ctrl-Z ahead of the first Acquire.
func Prepare() { suspension.once.Do(suspension.install) }

func (s *suspender) install() {
	s.stop = make(chan os.Signal, len(stopSignals))
	s.listen()
	go func() {
		for sig := range s.stop {
			s.arrived(sig.(syscall.Signal))
		}
	}()
}

// listen leaves a signal alone that whoever started the process has switched off.
func (s *suspender) listen() {
	for _, sig := range stopSignals {
		if !signal.Ignored(sig) {
			signal.Notify(s.stop, sig)
		}
	}
}

func (s *suspender) arrived(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inside > 0 {
		s.pending = sig
		return
	}
	s.suspend(sig)
}

func (s *suspender) enter() {
	Prepare()
	s.mu.Lock()
	s.inside++
	s.mu.Unlock()
}

func (s *suspender) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside--
	if s.inside == 0 && s.pending != 0 {
		sig := s.pending
		s.pending = 0
		s.suspend(sig)
	}
}

// suspend does what the signal would have done. With mu held, nobody enters meanwhile.
func (s *suspender) suspend(sig syscall.Signal) {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	signal.Stop(s.stop)
	defer s.listen()
	if syscall.Kill(os.Getpid(), sig) != nil {
		return
	}
	// The system ignores these signals in a process group that nobody could resume.
	const ignored = 50 * time.Millisecond
	select {
	case <-resumed:
	case <-time.After(ignored):
	}
}
