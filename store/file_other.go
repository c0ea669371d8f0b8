//go:build !unix

package store

import (
	"os"
	"syscall"
)

const noFollow = 0

// noSpace are ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL of Windows.
const diskSpace = 2

var noSpace = []syscall.Errno{39, 112}

func giveUpLock(*os.File) {}

// keepOpen does nothing: here an open file cannot be replaced.
func keepOpen(string) (letGo func()) { return func() {} }
