//go:build unix && !linux

package runner

import "syscall"

func groupOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
