//go:build !linux

package runner

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"vise/store/files"
)

// ps calls the system's program, in one time zone and language. The start time is precise to a second.
func ps(args ...string) string {
	c := exec.Command("/bin/ps", args...)
	c.Env = []string{"TZ=UTC", "LC_ALL=C"}
	out, _ := c.Output()
	return string(out)
}

func startOf(pid int) string {
	return strings.Join(strings.Fields(ps("-o", "lstart=", "-p", strconv.Itoa(pid))), " ")
}

func isRunning(pid int) bool { return files.Running(pid) }

// table returns the running processes.
func table() processes {
	all := processes{}
	for line := range strings.Lines(ps("-axo", "pid=,ppid=,pgid=,stat=,lstart=")) {
		f := strings.Fields(line)
		if len(f) < 9 || strings.HasPrefix(f[3], "Z") {
			continue
		}
		number := func(i int) int { n, _ := strconv.Atoi(f[i]); return n }
		all[number(0)] = process{parent: number(1), group: number(2), start: strings.Join(f[4:9], " ")}
	}
	return all
}

// standsAlone reports whether a process is a vise in a session of its own.
func standsAlone(pid int, _ process) bool {
	session, err := unix.Getsid(pid)
	own, _ := os.Executable()
	return err == nil && session == pid && strings.TrimSpace(ps("-o", "comm=", "-p", strconv.Itoa(pid))) == own
}

func adopting() bool { return false }

// startedBeforeRuns is for orphans, which this process does not adopt on these systems.
func startedBeforeRuns(process) bool { return false }
