//go:build unix

package files

import (
	"os"
	"syscall"
)

func fsyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// NoFollow opens no symbolic link, and hands no descriptor to programs that are started.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_CLOEXEC
