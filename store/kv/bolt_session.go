package kv

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
	"vise/store/files"
)

// session is one opening of a bbolt file, for one transaction or for a few that only read.
//
// bbolt trusts its file: pages have no checksums, and damage causes a panic or a memory
// fault in any call. So each call goes through guard, under debug.SetPanicOnFault.
type session struct {
	db     *bbolt.DB
	tx     *bbolt.Tx
	file   *os.File
	info   fs.FileInfo
	broken error // set after a call that left the handle unusable
	writes int   // of the transaction so far
	// commitCopy completes a commit where bbolt has opened a copy of file. It is nil
	// outside tests.
	commitCopy func(pageSize int) error
}

// foreignLockWait limits the wait for a program other than vise that has the file open.
const foreignLockWait = 2 * time.Second

func newSession(m *files.Machine, path string, writable bool, maxSize int, open func(string, int) (*os.File, fs.FileInfo, error)) (*session,
	error) {
	s := &session{}
	copied := writable && m.Gated()
	err := s.open(path, &bbolt.Options{
		Timeout:      foreignLockWait,
		FreelistType: bbolt.FreelistArrayType, // opened for one transaction: with 22,000 free pages a change costs 2 ms, by hash map 8
		ReadOnly:     !writable,
		NoStatistics: true,
		NoSync:       copied,
		MaxSize:      maxSize,
		OpenFile: func(path string, flag int, _ os.FileMode) (_ *os.File, err error) {
			if s.file, s.info, err = open(path, flag&^os.O_CREATE); err != nil || !copied {
				return s.file, err
			}
			f, commit, err := m.Copy(m.File(s.file))
			s.commitCopy = commit
			return f, err
		},
	})
	return s, err
}

func (s *session) open(path string, options *bbolt.Options) error {
	err := s.guard("open", func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if err == nil {
		err = s.begin(!options.ReadOnly)
	}
	if err != nil {
		s.close()
		return fmt.Errorf("ledger %s: %w", path, err)
	}
	return nil
}
func (s *session) begin(writable bool) error {
	return s.guard("begin", func() (err error) {
		s.tx, err = s.db.Begin(writable)
		return err
	})
}

// guard turns a panic in bbolt into damage. After that the handle is not used again.
func (s *session) guard(step string, call func() error) (err error) {
	if s.broken != nil {
		return s.broken
	}
	defer func() {
		if r := recover(); r != nil {
			s.broken = &Damage{step, r}
			err = s.broken
		}
	}()
	return call()
}

// run calls fn with the transaction. A memory fault in fn comes from reading the file's
// pages. Any other panic is a defect of fn, and run passes it on.
func (s *session) run(fn func(Txn) error) (err error) {
	defer func() {
		r := recover()
		if IsFault(r) {
			s.broken = &Damage{"read", r}
			err = s.broken
		} else if r != nil {
			panic(r)
		}
	}()
	t := &boltTxn{session: s}
	if err := t.openTables(); err != nil {
		return err
	}
	if err := fn(t); err != nil {
		return err
	}
	return s.broken
}

// IsFault reports whether a panic is a memory fault, as debug.SetPanicOnFault raises it.
func IsFault(r any) bool {
	_, ok := r.(interface{ Addr() uintptr })
	return ok
}

// commit makes the writes durable. After an error nothing was committed, unless the error
// is ErrUnknown.
func (s *session) commit() error {
	id := uint64(s.tx.ID())
	err := s.guard("commit", s.tx.Commit)
	if err == nil {
		s.tx = nil
		if s.commitCopy != nil {
			err = s.commitCopy(s.db.Info().PageSize)
		}
	}
	if err == nil {
		return nil
	}
	if m, metaErr := readMeta(s.file); metaErr != nil || m.txid == id {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return fmt.Errorf("commit: %w", err)
}

// close ends the transaction without a commit and closes the file. A broken handle stays
// mapped, because closing it would block for ever; close only releases its lock.
func (s *session) close() {
	s.rollback()
	if s.db != nil {
		s.guard("close", s.db.Close)
	}
	if s.commitCopy != nil {
		s.file.Close()
	}
	if s.broken != nil && s.file != nil {
		giveUpLock(s.file)
	}
}

// rollback ends the transaction without a commit.
func (s *session) rollback() {
	if s.tx == nil {
		return
	}
	s.guard("roll back", func() error {
		if err := s.tx.Rollback(); !errors.Is(err, berrors.ErrTxClosed) {
			return err
		}
		return nil
	})
}

// CreateBolt creates the ledger file at path with what fill writes, all or nothing: the
// file gets its name when it is complete and on disk. If the file exists, the error is
// fs.ErrExist. The caller holds the ledger's lock.
func CreateBolt(m *files.Machine, path string, fill func(Txn) error) error {
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
		f, err := m.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
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

// giveUpLock releases bbolt's lock on a file that stays mapped.
func giveUpLock(f *os.File) { files.Flock(f, files.Unlock) }
