package lock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"vise/store/files"
)

// Holder describes the process that holds a lock. The process itself wrote the JSON
// fields into the file; Stopped comes from the system.
type Holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Start is when the process started. It tells the process from a later one with the
	// same PID. It is empty where the system does not know.
	Start string `json:"start,omitempty"`
	// Stopped reports that a signal stopped the process. It releases nothing until it
	// continues.
	Stopped bool `json:"-"`
}

// String names the holder for a message: "pid 812 (vise mcp), stopped, since 14:03:05".
func (h Holder) String() string {
	if h.PID == 0 {
		return "a process that cannot be seen"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "pid %d", h.PID)
	if h.Command != "" {
		fmt.Fprintf(&b, " (%s)", h.Command)
	}
	if h.Stopped {
		b.WriteString(", stopped")
	}
	if !h.Since.IsZero() {
		b.WriteString(", since " + h.Since.Local().Format(time.TimeOnly))
	}
	return b.String()
}

// Busy is the error of a wait that ended without the lock.
type Busy struct {
	Holder Holder
	Waited time.Duration
	// Cause is the context's error, or nil when the limit was reached.
	Cause error
}

func (b *Busy) Error() string {
	return fmt.Sprintf("held by %s (waited %v)", b.Holder, b.Waited.Round(time.Millisecond))
}

func (b *Busy) Unwrap() error { return b.Cause }

func (f *File) busy(begun time.Time, cause error) error {
	return &Busy{Holder: f.holder(), Waited: time.Since(begun), Cause: cause}
}

// holder returns the holder that the file names, checked against what the system knows
// about that process.
func (f *File) holder() Holder {
	h := readHolder(f.path)
	if h.PID == 0 {
		return h
	}
	p := f.machine.ProcessOf(h.PID)
	if h.Start != p.Start {
		return Holder{} // the recorded process has ended
	}
	h.Stopped = p.Stopped
	return h
}

// maxCommand is the limit of a command in bytes. It is small enough that a record holds
// the command after JSON escaping.
const maxCommand = 60

// recordSize is fixed, so that one write replaces the record before it.
const recordSize = 512

// defaultCommand returns the program and its verb. It leaves out further arguments, which
// may hold private data.
func defaultCommand(args []string) string {
	if len(args) == 0 {
		return ""
	}
	name := filepath.Base(args[0])
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		name += " " + args[1]
	}
	return name
}

// writeHolder records this process as the holder. Processes that wait show the record;
// the lock does not depend on it.
func (f *File) writeHolder() {
	h := f.self
	h.Since = f.machine.Now().UTC()
	b, err := json.Marshal(h)
	if err != nil {
		return
	}
	record := bytes.Repeat([]byte(" "), recordSize)
	copy(record[:recordSize-1], b)
	record[recordSize-1] = '\n'
	f.machine.Write(f.path, record, 0, f.file.WriteAt)
}

func readHolder(path string) Holder {
	var h Holder
	raw, err := files.ReadSmall(path, recordSize)
	if err != nil || json.Unmarshal(bytes.TrimSpace(raw), &h) != nil {
		return Holder{}
	}
	h.Command = printable(h.Command)
	return h
}

// printable shortens a command that was read from a file and replaces its control
// characters, so that it cannot control a terminal.
func printable(command string) string {
	if len(command) > maxCommand {
		command = command[:maxCommand]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, command)
}

// suspension delays Ctrl-Z while this process has the lock. A stopped holder would keep
// every other process out for as long as it stays stopped. Signals belong to the process,
// so there is one suspension for each process.
//
// It is installed once and stays. Installing and removing it around each transaction
// costs 145 µs, ten times as much as a read.
var suspension suspender

type suspender struct {
	once sync.Once

	mu      sync.Mutex // protects the fields below; also held while the process is stopped
	inside  int
	pending bool
}

// Prepare installs the handler that delays Ctrl-Z, ahead of the first Acquire.
func Prepare() { suspension.once.Do(suspension.install) }

func (s *suspender) install() {
	arrivals := make(chan os.Signal, 1)
	for _, sig := range stops {
		if !signal.Ignored(sig) { // the parent process may have switched it off
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

// settle stops the process if a stop is pending and no lock is held. It is called with mu
// held, so that no goroutine enters meanwhile. Raising the stop signal itself again would
// have no effect: after Notify, Go swallows it for good.
func (s *suspender) settle() {
	if !s.pending || s.inside > 0 {
		return
	}
	s.pending = false
	if !orphaned() {
		stopSelf()
	}
}

// stops are the signals by which a terminal stops a process.
var stops = []os.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}

// orphaned reports whether no shell could resume this process with job control. The
// system then ignores a Ctrl-Z, as in a terminal whose only program this is.
func orphaned() bool {
	parent := os.Getppid()
	if group, err := unix.Getpgid(parent); err == nil && group == unix.Getpgrp() {
		return false // the parent started the group, and its own parent is a shell
	}
	theirs, err := unix.Getsid(parent)
	ours, err2 := unix.Getsid(0)
	return err != nil || err2 != nil || theirs != ours
}
