package files

import (
	"os"
	"path/filepath"
)

// LockAtOnce gives this process alone the task called name in a home, until the file is closed. If another process has it, the error is
// ErrLocked.
func LockAtOnce(home, name string) (*os.File, error) {
	f, err := StateFile(home, name)
	if err != nil {
		return nil, err
	}
	if err := Flock(f, Exclusive|AtOnce); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// StateFile opens a file in the home's directory state, and creates both if they are missing.
func StateFile(home, name string) (*os.File, error) {
	state := filepath.Join(home, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	return OpenRegular(filepath.Join(state, name), os.O_RDWR|os.O_CREATE)
}
