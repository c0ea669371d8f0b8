package lock

import (
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
