//go:build unix

package runner

import (
	"os"
	"syscall"
)

func sessionOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// ask asks a program and its group to end.
func ask(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGTERM)
	_ = syscall.Kill(-p.Pid, syscall.SIGCONT)
}

// niceness makes a program and its children give way to interactive programs.
const niceness = 5

func giveWay(p *os.Process) { _ = syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, niceness) }
