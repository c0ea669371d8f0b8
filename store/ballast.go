package store

import (
	"errors"
	"io/fs"
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
	f, err := l.home.machine.OpenFile(path, os.O_WRONLY|os.O_CREATE|files.NoFollow, fileMode)
	if err != nil {
		return err
	}
	if err = errors.Join(occupy(f.File, reserveBytes), f.Close()); err != nil {
		return errors.Join(err, l.home.machine.Remove(path))
	}
	return nil
}

// giveUpReserve frees the reserve; false means that there is none.
func (l *Ledger) giveUpReserve() bool {
	if l.home.Dir == "" {
		return false
	}
	err := l.home.machine.Remove(l.home.path(reserveFile))
	return err == nil
}

func reserveWarning() model.Warning {
	return model.Warning{Kind: model.WarnDiskFull, Message: "the disk is full: this was saved in the room that vise keeps in reserve; free some space now, the next change may not fit"}
}

func (h Home) ledgerInfo() (fs.FileInfo, error) { return os.Lstat(h.path(ledgerFile)) }

// fill writes zeros, where room cannot be had otherwise.
func fill(f *os.File, size int64) error {
	zeros := make([]byte, 64<<10)
	for ; size > 0; size -= int64(len(zeros)) {
		if _, err := f.Write(zeros[:min(size, int64(len(zeros)))]); err != nil {
			return err
		}
	}
	return nil
}
