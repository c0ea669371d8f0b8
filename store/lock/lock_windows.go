package lock

import "os"

// stops is empty, because no signal stops a process on Windows.
var stops []os.Signal

func orphaned() bool { return true }

func stopSelf() {}

// This system does not show whether another process waits. That costs fairness, nothing
// else.

func enqueue(*os.File)      {}
func dequeue(*os.File)      {}
func awaited(*os.File) bool { return false }

// sameFile reports whether f is the file at path. An open file cannot be deleted on Windows.
func sameFile(f *os.File, path string) bool {
	held, err := f.Stat()
	there, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(held, there)
}
