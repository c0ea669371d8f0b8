package runner

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
)

// process is what the system's process table says about a process.
type process struct {
	// session is known on Linux only. start is empty if the system does not tell it.
	parent, group, session int
	start                  string
}

// processes are running processes by number.
type processes map[int]process

// addDescendants adds the processes of all that are below those of p. A vise in a session of its own and what is below it are left out: a
// person or an agent started it to outlive the program.
func (p processes) addDescendants(all processes) {
	for grows := true; grows; {
		grows = false
		for pid, x := range all {
			_, below := p[x.parent]
			if _, known := p[pid]; below && !known && !standsAlone(pid, x) {
				p[pid], grows = x, true
			}
		}
	}
}

// signal sends a signal to the processes that still are the same.
func (p processes) signal(s os.Signal) {
	for pid, x := range p {
		// The handle is taken before the check, so that the checked process is the one that is signalled.
		if handle, err := os.FindProcess(pid); err == nil {
			if startOf(pid) == x.start {
				_ = handle.Signal(s)
			}
			_ = handle.Release()
		}
	}
}

// identified returns the processes in the order of their numbers.
func (p processes) identified() (out []model.Process) {
	for _, pid := range slices.Sorted(maps.Keys(p)) {
		out = append(out, model.Process{PID: pid, Start: p[pid].start, Boot: files.Boot(), Host: hostID()})
	}
	return out
}

// between is the pause between two looks at processes that should end.
const between = 5 * time.Millisecond

// untilNone calls act with what find finds until it finds nothing, for at most a grace. It returns what was found last.
func untilNone(find func() processes, act func(processes)) processes {
	for end := time.Now().Add(grace); ; time.Sleep(between) {
		left := find()
		if len(left) == 0 || time.Now().After(end) {
			return left
		}
		act(left)
	}
}

// killAll kills what find finds until it finds nothing, so that no process escapes by forking. It returns what could not be killed.
func killAll(find func() processes) processes {
	return untilNone(find, func(p processes) { p.signal(os.Kill) })
}

// run is a program that was started, and what it started.
type run struct {
	// group is the program's process group, which has the number of the program.
	group int
	// started is when the program started.
	started string
	// known are the processes of the run at the last look.
	known processes
	// record is the file that names them, and written its content.
	record  string
	written []byte
}

// runs are the programs that this process runs.
var runs = struct {
	sync.Mutex
	all map[*run]bool
}{all: map[*run]bool{}}

// start starts the program and records it.
func (r *run) start(c *exec.Cmd) error {
	runs.Lock() // no other run may take the program for an orphan
	defer runs.Unlock()
	if err := c.Start(); err != nil {
		return err
	}
	r.group = c.Process.Pid
	r.started = startOf(r.group)
	r.known = processes{r.group: {start: r.started}}
	runs.all[r] = true
	return nil
}

// look returns the processes of the run that run now: those of its group, those that were known and still run, and all below them. Orphans
// are the processes that this process has adopted and that no other run has started for certain.
func (r *run) look() (members, orphans processes) {
	runs.Lock()
	defer runs.Unlock()
	all := table()
	members = processes{}
	for pid, p := range all {
		if known, is := r.known[pid]; (p.group == r.group || is && known.start == p.start) && !standsAlone(pid, p) {
			members[pid] = p
		}
	}
	members.addDescendants(all)
	r.known = maps.Clone(members)
	orphans = processes{}
	for pid, p := range all {
		if adopting() && p.parent == os.Getpid() && p.session != all[p.parent].session && !standsAlone(pid, p) && !claimed(pid) {
			orphans[pid] = p
		}
	}
	orphans.addDescendants(all)
	return members, orphans
}

// claimed reports whether a process is known to be of a run.
func claimed(pid int) bool {
	for r := range runs.all {
		if _, is := r.known[pid]; is {
			return true
		}
	}
	return false
}

// ask sends the run's processes the signal that asks them to end.
func (r *run) ask() {
	members, _ := r.look()
	_ = syscall.Kill(-r.group, syscall.SIGTERM)
	_ = syscall.Kill(-r.group, syscall.SIGCONT)
	maps.DeleteFunc(members, func(_ int, p process) bool { return p.group == r.group })
	members.signal(syscall.SIGTERM)
}

// end kills what is left of a run whose program has ended. It returns how many processes had left the program's group, and how many are
// left. An orphan that began while another program ran may be of that program, so it lives as long as that.
func (r *run) end() (escaped, survivors int) {
	runs.Lock()
	delete(runs.all, r)
	runs.Unlock()
	left := killAll(func() processes {
		left, orphans := r.look()
		for pid, p := range orphans {
			if startedBeforeRuns(p) {
				left[pid] = p
			}
		}
		away := 0
		for _, p := range left {
			if p.group != r.group {
				away++
			}
		}
		escaped = max(escaped, away)
		return left
	})
	if len(left) == 0 && r.record != "" {
		_ = os.Remove(r.record)
	}
	return escaped, len(left)
}

// The pace of looks at the process table while a program runs: not more often than looksEvery, and for at most a 400th of the time.
const (
	looksEvery = 500 * time.Millisecond
	looksShare = 400
	// looksAtLeast bounds the pause on a busy machine, where a look takes long.
	looksAtLeast = 2 * time.Second
)

// watch keeps the record of the run until ctx ends.
func (r *run) watch(ctx context.Context) {
	for pause := looksEvery; home.Pause(ctx, pause) == nil; {
		begun := time.Now()
		members, orphans := r.look()
		pause = min(max(looksEvery, looksShare*time.Since(begun)), looksAtLeast)
		maps.Copy(orphans, members)
		r.keep(orphans)
	}
}
