//go:build unix

package agents

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// gone returns when nobody is left to read standard error: the program that called has
// ended, however it did.
func gone() {
	watched := []unix.PollFd{{Fd: int32(os.Stderr.Fd())}}
	for {
		_, err := unix.Poll(watched, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
