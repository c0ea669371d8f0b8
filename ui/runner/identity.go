package runner

import (
	"os"
	"strings"
	"sync"

	"vise/model"
)

// Self is this process.
var Self = sync.OnceValue(func() model.Process { return ProcessOf(os.Getpid()) })

// Of is the process that has the number pid on this machine now.
func ProcessOf(pid int) model.Process {
	return model.Process{PID: pid, Start: startOf(pid), Boot: bootID(), Host: hostID()}
}

// Alive reports whether p still runs. Of a process on another machine nothing is known:
// it counts as alive, and whoever shares a machine with it will see to it.
func Alive(p model.Process) bool {
	if p.Host != hostID() {
		return true
	}
	return p.Boot == bootID() && isRunning(p.PID) && (p.Start == "" || startOf(p.PID) == p.Start)
}

// hostID tells this machine from others.
var hostID = sync.OnceValue(func() string {
	if raw, err := os.ReadFile("/etc/machine-id"); err == nil && len(strings.TrimSpace(string(raw))) > 0 {
		return strings.TrimSpace(string(raw))
	}
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
})
