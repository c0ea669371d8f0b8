package storetest

import (
	"syscall"
	"testing"
)

// Pipe puts a named pipe at path.
func Pipe(t testing.TB, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
