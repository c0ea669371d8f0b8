package process

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

// endSurvivors kills the processes that carry a run's marker: those that left the group of
// the program that started them. It returns how many are left.
func endSurvivors(run string) int {
	var left []int
	for range passes {
		if left = marked(run); len(left) == 0 {
			return 0
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(between)
	}
	return len(marked(run))
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
		if err == nil && bytes.Contains(env, want) && running(pid) {
			found = append(found, pid)
		}
	}
	return found
}
