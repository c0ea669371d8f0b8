package home

import (
	"os"
	"path/filepath"

	"vise/store/files"
)

// LockAtOnce gives this process alone the task called name in a home, until the file is closed. If another process has it, the error is
// files.ErrLocked.
func LockAtOnce(home, name string) (*os.File, error) {
	f, err := lockFile(home, name)
	if err != nil {
		return nil, err
	}
	if err := files.Flock(f, files.Exclusive|files.AtOnce); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func lockFile(home, name string) (*os.File, error) {
	state := filepath.Join(home, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	return files.OpenRegular(filepath.Join(state, name), os.O_RDWR|os.O_CREATE, 0o600)
}
