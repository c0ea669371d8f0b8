package files

import (
	"os"
	"path/filepath"
)

// LockAtOnce has this process alone do what name stands for in a home, until the file is closed; ErrLocked where
// another one does.
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

// StateFile opens a file that is locked, or keeps what a process needs the next time, in the home's directory state.
func StateFile(home, name string) (*os.File, error) {
	state := filepath.Join(home, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	return OpenRegular(filepath.Join(state, name), os.O_RDWR|os.O_CREATE, 0o600)
}
