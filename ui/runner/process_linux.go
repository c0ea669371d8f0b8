package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"vise/store/files"
)

// statOf reads a process and its state; both are zero if there is no such process.
func statOf(pid int) (p process, state string) {
	f := files.ProcessStat(pid)
	if len(f) < 20 {
		return p, ""
	}
	number := func(i int) int { n, _ := strconv.Atoi(f[i]); return n }
	return process{parent: number(1), group: number(2), session: number(3), start: f[19]}, f[0]
}

// hasEnded reports whether a process with this state has ended. A zombie has.
func hasEnded(state string) bool { return state == "" || state == "Z" || state == "X" }

func isRunning(pid int) bool {
	_, state := statOf(pid)
	return !hasEnded(state)
}

func startOf(pid int) string {
	p, _ := statOf(pid)
	return p.start
}

// table returns the running processes. An orphan that this process has adopted and that has ended is reaped.
func table() processes {
	all, self := processes{}, os.Getpid()
	own, _ := statOf(self)
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		p, state := statOf(pid)
		switch {
		case !hasEnded(state):
			all[pid] = p
		case state == "Z" && p.parent == self && p.session != own.session:
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
	return all
}

// standsAlone reports whether a process is a vise in a session of its own.
func standsAlone(pid int, p process) bool {
	if p.session != pid {
		return false
	}
	own, _ := os.Readlink("/proc/self/exe")
	exe, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return exe == own
}

// adopting makes this process adopt orphans. A process that leaves its group and its session and is not noticed before the process that
// started it has ended becomes a child of this process instead of init.
var adopting = sync.OnceValue(func() bool {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
})

// startedBeforeRuns reports whether a process is older than all programs that run now.
func startedBeforeRuns(p process) bool {
	ticks := func(start string) uint64 { n, _ := strconv.ParseUint(start, 10, 64); return n }
	runs.Lock()
	defer runs.Unlock()
	for r := range runs.all {
		if ticks(p.start) >= ticks(r.started) {
			return false
		}
	}
	return true
}
