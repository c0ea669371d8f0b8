package runner

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// groupOfItsOwn makes a program the leader of its process group and has the kernel end it with its parent, so that a killed driver leaves
// no agent running.
func groupOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

var bootID = sync.OnceValue(func() string {
	raw, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(raw))
})

// stat holds the used fields of /proc/<pid>/stat; it is zero if there is no such process.
type stat struct{ state, parent, group, session, start string }

// statOf reads the fields from the third on. The second is the name in parentheses and can contain anything.
func statOf(pid int) stat {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if err != nil || len(f) < 20 {
		return stat{}
	}
	return stat{state: f[0], parent: f[1], group: f[2], session: f[3], start: f[19]}
}

// isRunning reports whether a process exists and has not ended. A zombie has ended.
func (s stat) isRunning() bool { return s.state != "" && s.state != "Z" && s.state != "X" }

// ticks returns when a process started, in clock ticks since the machine started.
func (s stat) ticks() uint64 {
	n, _ := strconv.ParseUint(s.start, 10, 64)
	return n
}

func isRunning(pid int) bool { return statOf(pid).isRunning() }

func startOf(pid int) string { return statOf(pid).start }

// adopting makes this process adopt orphans. A process that leaves its group and its session and drops the marker can still be found by its
// parent: once the process that started it has ended, it becomes a child of this process instead of init.
var adopting = sync.OnceValue(func() bool {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
})

// runs holds the start times in ticks of the programs that run now, by process number.
var runs = struct {
	sync.Mutex
	started map[int]uint64
}{started: map[int]uint64{}}

// begin records a program as running until end is called.
func begin(pid int) (end func()) {
	runs.Lock()
	defer runs.Unlock()
	runs.started[pid] = statOf(pid).ticks()
	return func() {
		runs.Lock()
		defer runs.Unlock()
		delete(runs.started, pid)
	}
}

// startedBeforeRuns reports whether a process is older than all programs that run now.
func startedBeforeRuns(s stat) bool {
	runs.Lock()
	defer runs.Unlock()
	for _, ticks := range runs.started {
		if s.ticks() >= ticks {
			return false
		}
	}
	return true
}

// passes is how often the process table is read to find children that keep forking. Between two readings, killed processes get time to
// disappear.
const (
	passes  = 20
	between = 5 * time.Millisecond
)

// endSurvivors kills the processes that left the program's group: those with the run's marker, and orphans. It waits for their end and for
// that of the group, which was killed, and returns how many had left it and how many are left.
func endSurvivors(run string, group int) (escaped, survivors int) {
	var killed []int
	for range passes {
		left := escapees(run)
		if len(left) == 0 && !stillRun(group, killed) {
			return escaped, 0
		}
		killed = append(killed, left...)
		escaped = max(escaped, len(left))
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(between)
	}
	return escaped, len(escapees(run))
}

// stillRun reports whether killed processes, or some of a group that was killed, still run. A process that ends has no environment any
// more, so escapees does not find it.
func stillRun(group int, killed []int) bool {
	entries, _ := os.ReadDir("/proc")
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			return false
		}
		s := statOf(pid)
		return s.isRunning() && (s.group == strconv.Itoa(group) || slices.Contains(killed, pid))
	})
}

// escapees returns the running processes that carry the run's marker, and orphans.
func escapees(run string) (found []int) {
	entries, _ := os.ReadDir("/proc")
	mark, self := []byte(marker+"="+run), statOf(os.Getpid())
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		s := statOf(pid)
		env, _ := os.ReadFile("/proc/" + e.Name() + "/environ") // another user's environment cannot be read
		if s.isRunning() && bytes.Contains(env, mark) || isOrphan(pid, s, self) {
			found = append(found, pid)
		}
	}
	return found
}

// isOrphan reports whether pid is an orphan: a child of this process that this process did not start, in a session of its own. Its program
// has ended. A process that began while another program was running may belong to that program, so it is not counted. An orphan that has
// ended is reaped. A supervisor of vise's own should stay and is in the ledger, so it is not an orphan.
func isOrphan(pid int, s, self stat) bool {
	if !adopting() || s.parent != strconv.Itoa(os.Getpid()) || s.session == self.session {
		return false
	}
	if s.state == "Z" {
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		return false
	}
	own, _ := os.Readlink("/proc/self/exe")
	exe, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return exe != own && startedBeforeRuns(s)
}
