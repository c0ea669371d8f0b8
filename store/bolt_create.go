package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vise/store/files"
)

// CreateBolt makes the ledger file at path with what fill writes, all of it or nothing:
// the file gets its name when it is complete and on disk. A file that is there already is
// an error that is fs.ErrExist. The caller holds the ledger's lock.
func CreateBolt(path string, fill func(Txn) error) error { return createBolt(nil, path, fill) }

func createBolt(m *files.Machine, path string, fill func(Txn) error) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist})
	}
	draft := path + ".new"
	if err := m.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := fillBolt(m, draft, fill); err != nil {
		return errors.Join(fmt.Errorf("create ledger %s: %w", path, err), m.Remove(draft))
	}
	if err := m.Rename(draft, path); err != nil {
		return err
	}
	return m.SyncDir(filepath.Dir(path))
}

func fillBolt(m *files.Machine, path string, fill func(Txn) error) error {
	s, err := newSession(m, path, true, 0, func(path string, _ int) (*os.File, fs.FileInfo, error) {
		f, err := m.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|files.NoFollow, fileMode)
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		return f.File, info, err
	})
	if err != nil {
		return err
	}
	defer s.close()
	for _, name := range bucketsInOrder {
		if _, err := s.tx.CreateBucket(name); err != nil {
			return err
		}
	}
	if err := s.run(fill); err != nil {
		return err
	}
	return s.commit()
}
