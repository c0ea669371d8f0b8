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
	raw, err := json.Marshal(record{Driver: Self(), Program: r.group, Processes: p.identified()})
	if err != nil || bytes.Equal(raw, r.written) || os.MkdirAll(filepath.Dir(r.record), 0o700) != nil {
		return
	}
	if files.WriteAtomic(r.record, raw) == nil {
		r.written = raw
	}
}

// abandoned returns the records of drivers of an agent that died, by path. For "*" it returns those of all agents.
func abandoned(dir string, agent model.AgentID) (map[string]record, error) {
	out := map[string]record{}
	found, err := filepath.Glob(recordOf(dir, agent, "*"))
	for _, path := range found {
		var x record
		raw, readErr := files.ReadSmall(path, maxRecord)
		if readErr == nil {
			readErr = json.Unmarshal(raw, &x)
		}
		if err = errors.Join(err, files.UnlessGone(readErr)); readErr == nil && !Alive(x.Driver) { // one that is gone ended meanwhile
			out[path] = x
		}
	}
	return out, err
}

// Left returns the recorded processes that drivers of an agent that died have left running. For "*" it returns those of all agents.
func Left(dir string, agent model.AgentID) (left []model.Process, err error) {
	found, err := abandoned(dir, agent)
	for _, x := range found {
		left = append(left, slices.DeleteFunc(x.Processes, func(p model.Process) bool { return !Alive(p) })...)
	}
	return left, err
}

// EndLeft ends the processes that Left returns and those that they have started, if their number, start and boot prove that they are the
// recorded ones. It names the others that still run, and does not touch them: those without such a proof, those that this process is part
// of, and those that do not end.
func EndLeft(dir string, agent model.AgentID) (ended, named []model.Process, err error) {
	found, err := abandoned(dir, agent)
	for path, x := range found {
		gone, left := x.end()
		if ended, named = append(ended, gone...), append(named, left...); len(left) == 0 {
			err = errors.Join(err, files.UnlessGone(os.Remove(path)))
		}
	}
	return ended, named, err
}

// end ends the processes of the record, and returns those that it ended and those that still run.
func (x record) end() (ended, left []model.Process) {
	if x.Driver.Boot != files.Boot() {
		return nil, nil // the machine has ended them
	}
	all, r, stays := table(), run{group: -1, known: processes{}}, map[int]bool{}
	for pid := os.Getpid(); all[pid].start != "" && !stays[pid]; pid = all[pid].parent {
		stays[pid] = true
	}
	for _, p := range x.Processes {
		now, runs := all[p.PID]
		switch {
		case !runs || p.Start != "" && p.Start != now.start: // it has ended
		case stays[p.PID] || p.Start == "" || p.Boot == "":
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
		maps.DeleteFunc(members, func(pid int, _ process) bool { return stays[pid] })
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
	for pid := range remain {
		delete(seen, pid)
	}
	return seen.identified(), append(left, remain.identified()...)
}
