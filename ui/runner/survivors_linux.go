package runner

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// passes is how often the process table is read for children that keep forking, between
// what a killed one has to vanish.
const (
	passes  = 20
	between = 5 * time.Millisecond
)

// endSurvivors kills the processes that left the group of the program that started them:
// those that carry the run's marker, and orphans. It returns how many there were, and how
// many are left.
func endSurvivors(run string) (escaped, survivors int) {
	var left []int
	for range passes {
		if left = append(marked(run), orphans()...); len(left) == 0 {
			return escaped, 0
		}
		escaped = max(escaped, len(left))
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(between)
	}
	return escaped, len(marked(run)) + len(orphans())
}

// marked are the running processes of this user that were started with a run's marker.
func marked(run string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	want := []byte(marker + "=" + run)
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(env, want) && isRunning(pid) {
			found = append(found, pid)
		}
	}
	return found
}
