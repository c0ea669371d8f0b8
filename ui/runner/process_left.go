package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
)

// record is the content of the file that names the processes of a run, for whoever comes after a driver that died.
type record struct {
	Driver    model.Process   `json:"driver"`
	Program   int             `json:"program"`
	Processes []model.Process `json:"processes"`
}

// maxRecord bounds such a file in bytes.
const maxRecord = 16 << 20

// recordOf is the file for a run of an agent. An agent can have several runs: a turn and tasks.
func recordOf(dir string, agent model.AgentID, run string) string {
	return filepath.Join(dir, "state", "running", string(agent), run+".json")
}

// newRecord is the file for a new run of an agent.
func newRecord(dir string, agent model.AgentID) string { return recordOf(dir, agent, home.NewKey()) }

// keep writes the record if it has changed. If that fails, a later driver does not find the processes.
func (r *run) keep(p processes) {
	if r.record == "" {
		return
	}
	x := record{Driver: Self(), Program: r.group}
	for _, pid := range slices.Sorted(maps.Keys(p)) {
		x.Processes = append(x.Processes, identified(pid, p[pid].start))
	}
	raw, err := json.Marshal(x)
	if err != nil || bytes.Equal(raw, r.written) || os.MkdirAll(filepath.Dir(r.record), 0o700) != nil {
		return
	}
	if files.WriteAtomic(r.record, raw) == nil {
		r.written = raw
	}
}

// EndLeft ends what drivers that died have left running of an agent: the recorded processes whose number, start and boot prove that they
// are the same, and what these have started. It names the others that still run, and does not touch them: those without such a proof, those
// that this process is part of, and those that do not end.
func EndLeft(dir string, agent model.AgentID) (ended, named []model.Process, err error) {
	found, err := filepath.Glob(recordOf(dir, agent, "*"))
	for _, path := range found {
		var x record
		raw, readErr := files.ReadSmall(path, maxRecord)
		if readErr == nil {
			readErr = json.Unmarshal(raw, &x)
		}
		if readErr != nil {
			err = errors.Join(err, files.UnlessGone(readErr)) // its run has ended meanwhile
			continue
		}
		if Alive(x.Driver) {
			continue
		}
		gone, left := x.end()
		if ended, named = append(ended, gone...), append(named, left...); len(left) == 0 {
			err = errors.Join(err, files.UnlessGone(os.Remove(path)))
		}
	}
	return ended, named, err
}

// end ends the processes of the record, and returns those that it ended and those that still run.
func (x record) end() (ended, left []model.Process) {
	if x.Driver.Boot != bootID() {
		return nil, nil // the machine has ended them
	}
	all, r, stays := table(), run{group: -1, known: processes{}}, processes{}
	for pid := os.Getpid(); all[pid].start != ""; pid = all[pid].parent {
		stays[pid] = all[pid]
	}
	for _, p := range x.Processes {
		now, runs := all[p.PID]
		_, isOurs := stays[p.PID]
		switch {
		case !runs || p.Start != "" && p.Start != now.start: // it has ended
		case isOurs || p.Start == "" || p.Boot == "":
			left = append(left, p)
		default:
			r.known[p.PID] = now
			if p.PID == x.Program {
				r.group = p.PID
			}
		}
	}
	seen := processes{}
	find := func() processes {
		members, _ := r.look()
		maps.DeleteFunc(members, func(pid int, _ process) bool { _, is := stays[pid]; return is })
		maps.Copy(seen, members)
		return members
	}
	find().signal(syscall.SIGTERM)
	untilNone(find, func(processes) {})
	remain := killAll(find)
	for pid, p := range table() {
		if p.group == x.Program { // the program has ended: nothing proves that the group is still the same
			remain[pid] = p
		}
	}
	for pid, p := range seen {
		if _, is := remain[pid]; !is {
			ended = append(ended, identified(pid, p.start))
		}
	}
	for pid, p := range remain {
		left = append(left, identified(pid, p.start))
	}
	return ended, left
}
