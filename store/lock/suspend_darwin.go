package lock

import (
	"os"
	"syscall"
)

func stopSelf() { syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
