package lock

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// stopSelf stops the process before it returns: a signal to this thread is taken on the
// way out of the system call, where one to the process may be left to another thread.
func stopSelf() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)
}

// queueByte lies behind the holder's record. Whoever waits for the flock has a shared lock
// on it, which ends with the process and locks out nobody.
const queueByte = 1 << 20

// enqueue says to the holder that this process waits.
func enqueue(f *os.File) { mark(f, unix.F_OFD_SETLK, unix.F_RDLCK) }

// dequeue takes that back.
func dequeue(f *os.File) { mark(f, unix.F_OFD_SETLK, unix.F_UNLCK) }

// awaited reports whether another process waits.
func awaited(f *os.File) bool { return mark(f, unix.F_OFD_GETLK, unix.F_WRLCK) == unix.F_RDLCK }

// mark asks for a lock on the queue's byte, and returns what stands in its way. Without
// such locks nobody is seen to wait: that costs fairness, nothing else.
func mark(f *os.File, how int, kind int16) int16 {
	l := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: queueByte, Len: 1}
	if unix.FcntlFlock(f.Fd(), how, &l) != nil {
		return unix.F_UNLCK
	}
	return l.Type
}
