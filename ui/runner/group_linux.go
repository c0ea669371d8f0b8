package runner

import "syscall"

// groupOfItsOwn makes a program the leader of its group, and ends it with us: a driver
// that is killed leaves no agent running that nobody listens to.
func groupOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
