//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreFileLimit makes a limit on file sizes an error like a full disk.
func ignoreFileLimit() { signal.Ignore(syscall.SIGXFSZ) }
