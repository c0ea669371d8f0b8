package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"vise/store/files"
)

// shadow is a private copy of a ledger's file for bbolt to work on, where a test watches the
// machine's operations: bbolt writes by itself, so that nobody can be asked before each
// write. After a commit the file is made what its copy is, by the operations of bbolt's own
// commit in their order: growth and a sync, the pages and a sync, the meta page and a sync.
// TestAShadowDoesWhatBboltDoes holds that order against bbolt's system calls.
type shadow struct {
	machine *files.Machine
	copy    *os.File
}

func newShadow(m *files.Machine, file *os.File) (*shadow, error) {
	c, err := os.CreateTemp("", "vise-shadow-*")
	if err != nil {
		return nil, err
	}
	err = os.Remove(c.Name())
	if _, copyErr := io.Copy(c, file); err != nil || copyErr != nil {
		return nil, errors.Join(err, copyErr, c.Close())
	}
	return &shadow{m, c}, nil
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

// commit carries out on file what bbolt has done to the copy.
func (s *shadow) commit(file *os.File, pageSize int) error {
	want, err := content(s.copy)
	if err != nil {
		return err
	}
	have, err := content(file)
	if err != nil {
		return err
	}
	f := s.machine.File(file)
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
