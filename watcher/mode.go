package watcher

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Mode says how a watcher learns of changes.
type Mode struct {
	// Every is how often the watcher polls; zero if it gets events.
	Every time.Duration
	// Reason says why it polls.
	Reason string
}

// Polling reports whether some changes are found only by polling.
func (m Mode) Polling() bool { return m.Every != 0 }

// String is a sentence for the status line, such as
// "watching by polling, every 2s (inotify limit reached)".
func (m Mode) String() string {
	if !m.Polling() {
		return "watching"
	}
	return fmt.Sprintf("watching by polling, every %s (%s)", m.Every, m.Reason)
}

// isLimit reports whether err says that the system has no more watches, or watchers, to
// give: 128 watchers per user by default, which other programs use too.
func isLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func reasonOf(err error) string {
	if isLimit(err) {
		return "inotify limit reached"
	}
	return "no file events here"
}
