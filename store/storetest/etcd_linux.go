package storetest

import "syscall"

// childAttributes let a server end with the test, even if the test is killed.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
