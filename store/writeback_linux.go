package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBack has the disk take a part of a file, and returns when it has. It makes nothing
// durable: that is Sync's.
func writeBack(f *os.File, from, n int64) error {
	const all = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	return unix.SyncFileRange(int(f.Fd()), from, n, all)
}
