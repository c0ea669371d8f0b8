package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"vise/store/files"
)

// CopyForBbolt is a private copy of a ledger's file for bbolt to work on, and what ends a
// commit: bbolt writes by itself, so that nobody can be asked before each write. After its
// commit the file is made what its copy is, by the operations of bbolt's own commit in their
// order: growth and a sync, the pages and a sync, the meta page and a sync.
// TestAWatchedMachineIsAskedWhatBboltDoes holds that order against bbolt's system calls.
func CopyForBbolt(file *files.File) (*os.File, func(pageSize int) error, error) {
	c, err := os.CreateTemp("", "vise-shadow-*")
	if err != nil {
		return nil, nil, err
	}
	_, err = io.Copy(c, file.File)
	if err = errors.Join(err, os.Remove(c.Name())); err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	return c, func(pageSize int) error { return carryOver(file, c, pageSize) }, nil
}

// content of a file, wherever it stands.
func content(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	raw := make([]byte, info.Size())
	_, err = f.ReadAt(raw, 0)
	return raw, err
}

// carryOver carries out on f what bbolt has done to its copy.
func carryOver(f *files.File, copied *os.File, pageSize int) error {
	want, err := content(copied)
	if err != nil {
		return err
	}
	have, err := content(f.File)
	if err != nil {
		return err
	}
	if len(want) > len(have) {
		if err := errors.Join(f.Truncate(int64(len(want))), f.Sync()); err != nil {
			return err
		}
		have = append(have, make([]byte, len(want)-len(have))...)
	}
	metas := 2 * pageSize
	if err := writeChanged(f, have, want, metas, len(want), pageSize); err != nil {
		return err
	}
	return writeChanged(f, have, want, 0, metas, pageSize)
}

// writeChanged writes the pages from a place to another that differ, each with those that
// its header says belong to it, and syncs.
func writeChanged(f *files.File, have, want []byte, from, to, pageSize int) error {
	for at := from; at < to; {
		end := at + pageSize
		if bytes.Equal(have[at:end], want[at:end]) {
			at = end
			continue
		}
		end = min(end+int(binary.NativeEndian.Uint32(want[at+12:]))*pageSize, to)
		if _, err := f.WriteAt(want[at:end], int64(at)); err != nil {
			return err
		}
		at = end
	}
	return f.Sync()
}
