//go:build !unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// noSpace are ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL of Windows.
const diskSpace = 2

var noSpace = []syscall.Errno{39, 112}

// freeBytes is not known here, and nothing is held in reserve.
func freeBytes(string) (uint64, bool) { return 0, false }

func giveUpLock(*os.File) {}

// inode is not known here.
func inode(fs.FileInfo) uint64 { return 0 }

// guard has nothing to check where modes do not say who may read.
func (h Home) guard() error { return nil }
