package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

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
	if err := m.Before(files.Op{Kind: files.Create, Path: path}); err != nil {
		return err
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: foreignLockWait, FreelistType: bbolt.FreelistArrayType})
	if err != nil {
		return err
	}
	synced := gate(m, db)
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketAppended, bucketState} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		t := &boltTxn{session: &session{tx: tx}}
		if err := t.openTables(); err != nil {
			return err
		}
		return fill(t)
	})
	if err == nil {
		err = synced()
	}
	return errors.Join(err, db.Close())
}
