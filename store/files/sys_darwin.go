package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a file in dir, and fails if to exists.
func renameNew(dir *os.File, from, to string) error {
	at := int(dir.Fd())
	return unix.RenameatxNp(at, from, at, to, unix.RENAME_EXCL)
}

// Exchange swaps the names of two files in dir atomically.
func Exchange(dir *os.File, a, b string) error {
	at := int(dir.Fd())
	return unix.RenameatxNp(at, a, at, b, unix.RENAME_SWAP)
}

func started() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}
