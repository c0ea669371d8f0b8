//go:build unix

package runner

import (
	"os"
	"syscall"
)

func sessionOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// ask has a program and its group end by themselves.
func ask(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGTERM)
	_ = syscall.Kill(-p.Pid, syscall.SIGCONT)
}

// niceness has a program, and all that it starts, give way to interactive ones.
const niceness = 5

func giveWay(p *os.Process) { _ = syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, niceness) }
