package runner

import (
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A process that leaves its group, its session and the marker behind can still be told by
// its parent: once the one that started it has ended, it becomes a child of this process
// and not of the system's first one.
var adopting = sync.OnceValue(func() bool {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
})

// runs are the programs that run now, by their process numbers.
var runs struct {
	mu   sync.Mutex // protects pids
	pids map[int]bool
}

// begin notes a program that runs, until the returned function.
func begin(pid int) (end func()) {
	runs.mu.Lock()
	defer runs.mu.Unlock()
	if runs.pids == nil {
		runs.pids = map[int]bool{}
	}
	runs.pids[pid] = true
	return func() {
		runs.mu.Lock()
		defer runs.mu.Unlock()
		delete(runs.pids, pid)
	}
}

// oldestRun is when the oldest of the programs that still run began, in ticks; none is 0.
func oldestRun() (oldest uint64) {
	runs.mu.Lock()
	defer runs.mu.Unlock()
	for pid := range runs.pids {
		if n, err := strconv.ParseUint(startOf(pid), 10, 64); err == nil && (oldest == 0 || n < oldest) {
			oldest = n
		}
	}
	return oldest
}

// The fields of stat, counted from the third of /proc/<pid>/stat.
const (
	statState   = 0
	statParent  = 1
	statSession = 3
	statStart   = 19
)

// orphans are children of this process that it did not start: they came to it from a
// program that has ended, in a session of their own. What began while another program runs
// may be that one's. Those that have ended are forgotten on the way. A supervisor of vise's
// own, which is meant to stay and is in the ledger, is none.
func orphans() []int {
	if !adopting() {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	self, session, oldest := strconv.Itoa(os.Getpid()), stat(os.Getpid())[statSession], oldestRun()
	own, _ := os.Readlink("/proc/self/exe")
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		f := stat(pid)
		if len(f) <= statStart || f[statParent] != self || f[statSession] == session {
			continue
		}
		if f[statState] == "Z" {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			continue
		}
		started, _ := strconv.ParseUint(f[statStart], 10, 64)
		exe, _ := os.Readlink("/proc/" + e.Name() + "/exe")
		if exe != own && (oldest == 0 || started < oldest) {
			found = append(found, pid)
		}
	}
	return found
}
