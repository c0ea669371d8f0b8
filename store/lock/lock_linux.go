package lock

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// stopSelf stops the process before it returns. The system delivers a signal to this
// thread on the way out of the system call, while another thread may take a signal to the
// process.
func stopSelf() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)
}

// queueByte is an offset behind the holder's record. Each process that waits for the flock
// has a shared lock on this byte, which ends with the process and keeps no process out.
const queueByte = 1 << 20

// enqueue shows the holder that this process waits.
func enqueue(f *os.File) { mark(f, unix.F_OFD_SETLK, unix.F_RDLCK) }

// dequeue ends that.
func dequeue(f *os.File) { mark(f, unix.F_OFD_SETLK, unix.F_UNLCK) }

// awaited reports whether another process waits.
func awaited(f *os.File) bool { return mark(f, unix.F_OFD_GETLK, unix.F_WRLCK) == unix.F_RDLCK }

// mark asks for a lock on the queue's byte, and returns the type of the lock that
// conflicts. Where the system has no such locks, awaited is always false; that costs
// fairness, nothing else.
func mark(f *os.File, how int, kind int16) int16 {
	l := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: queueByte, Len: 1}
	if unix.FcntlFlock(f.Fd(), how, &l) != nil {
		return unix.F_UNLCK
	}
	return l.Type
}
