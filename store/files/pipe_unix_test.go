//go:build unix

package files

import (
	"syscall"
	"testing"
)

func pipe(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o600)) }
