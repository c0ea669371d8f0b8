package todos

import (
	"errors"

	"vise/model/todo"

	"golang.org/x/sys/unix"
)

// Processes tells of the processes of the machine named host. Of others it knows nothing.
func Processes(host string) todo.Probe {
	return func(h string, pid int) todo.Liveness {
		if h != host || pid <= 0 {
			return todo.Unknown
		}
		if err := unix.Kill(pid, 0); errors.Is(err, unix.ESRCH) {
			return todo.Dead
		}
		return todo.Alive
	}
}
