//go:build unix && !linux

package runner

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"vise/store/files"
)

func groupOfItsOwn() *syscall.SysProcAttr { return files.OwnGroup() }

func bootID() string { return "" }

// startOf asks ps for the start time, which is precise to a second.
func startOf(pid int) string {
	out, _ := exec.Command("/bin/ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(out))
}

func isRunning(pid int) bool { return files.Running(pid) }

func begin(int) (end func()) { return func() {} }

func adopting() bool { return false }

// endSurvivors finds nothing on these systems: only the process group is ended.
func endSurvivors(string, int) (escaped, survivors int) { return 0, 0 }
