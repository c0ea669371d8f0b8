//go:build !linux

package storetest

import "syscall"

func childAttributes() *syscall.SysProcAttr { return nil }
