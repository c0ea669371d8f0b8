//go:build unix

package agents

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// gone returns when standard error has no reader left: the calling program has ended, in whatever way.
func gone() {
	watched := []unix.PollFd{{Fd: int32(os.Stderr.Fd())}}
	for {
		_, err := unix.Poll(watched, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
