package store

import (
	"os"

	"vise/model"
	"vise/store/files"
)

// A full disk cannot take even a completion, because a change needs pages before it frees
// any. So a home keeps some room in reserve, and gives it up to the first change that finds
// no other: work can be finished, and is told that the disk is full.

const (
	reserveFile  = "reserve"
	reserveBytes = 4 << 20
	// plenty is how much must be free before the reserve is taken back.
	plenty = 64 << 20
)

// reserve takes the reserve if it is not there and there is room for it.
func (l *Ledger) reserve() error {
	path := l.home.path(reserveFile)
	if info, err := os.Lstat(path); err == nil && info.Size() >= reserveBytes {
		return nil
	}
	if free, known := freeBytes(l.home.Dir); !known || free < plenty {
		return nil
	}
	return l.home.machine.Replace(path, func(f *files.File) error {
		_, err := f.Write(make([]byte, reserveBytes))
		return err
	})
}

// giveUpReserve frees the reserve; false means that there is none.
func (l *Ledger) giveUpReserve() bool {
	if l.home.Dir == "" {
		return false
	}
	return l.home.machine.Remove(l.home.path(reserveFile)) == nil
}

func reserveWarning() model.Warning {
	return model.Warning{Kind: model.WarnDiskFull, Message: "the disk is full: this was saved in the room that vise keeps in reserve; free some space now, the next change may not fit"}
}
