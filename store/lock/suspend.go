package lock

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
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

	mu      sync.Mutex // protects what follows, and is held while the process is stopped
	inside  int
	pending bool
}

// Prepare installs the hold on Ctrl-Z ahead of the first Acquire.
func Prepare() { suspension.once.Do(suspension.install) }

func (s *suspender) install() {
	arrivals := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU} {
		if !signal.Ignored(sig) { // whoever started the process may have switched it off
			signal.Notify(arrivals, sig)
		}
	}
	go func() {
		for range arrivals {
			s.arrived()
		}
	}()
}

func (s *suspender) arrived() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = true
	s.settle()
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
	s.settle()
}

// settle stops the process if that is due. With mu held, nobody enters meanwhile. The
// stop signals themselves would not do: once Notify had them, Go swallows them for good.
func (s *suspender) settle() {
	if !s.pending || s.inside > 0 {
		return
	}
	s.pending = false
	if !orphaned() {
		stopSelf()
	}
}

// orphaned reports whether nobody could resume this process with job control. The system
// ignores a Ctrl-Z then, as in a terminal whose only program this is.
func orphaned() bool {
	parent := os.Getppid()
	if group, err := unix.Getpgid(parent); err == nil && group == unix.Getpgrp() {
		return false // the parent started the group, and has a shell for a parent
	}
	theirs, err := unix.Getsid(parent)
	ours, err2 := unix.Getsid(0)
	return err != nil || err2 != nil || theirs != ours
}
