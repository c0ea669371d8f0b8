//go:build unix

package runner

import (
	"os"
	"syscall"
)

func sessionOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// askGroup asks the processes of a group to end.
func askGroup(group int) {
	_ = syscall.Kill(-group, syscall.SIGTERM)
	_ = syscall.Kill(-group, syscall.SIGCONT)
}

// niceness makes a program and its children give way to interactive programs.
const niceness = 5

func giveWay(p *os.Process) { _ = syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, niceness) }
