//go:build unix && !linux

package runner

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

func bootID() string { return "" }

// startOf asks ps, whose answer is precise to a second.
func startOf(pid int) string {
	out, err := exec.Command("/bin/ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func isRunning(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
