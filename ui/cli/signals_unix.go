//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreFileLimit makes a write beyond the file size limit fail with an error, like a full disk.
func ignoreFileLimit() { signal.Ignore(syscall.SIGXFSZ) }
