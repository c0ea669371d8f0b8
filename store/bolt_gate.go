package store

import (
	"os"
	"reflect"
	"unsafe"

	"go.etcd.io/bbolt"

	"vise/store/files"
)

func done() error { return nil }

// gate has a gated machine asked before each write and sync of db, and returns what is to
// follow a commit. On the real machine it does nothing.
//
// bbolt writes through one function, which it does not export, and syncs by itself. So its
// syncs are switched off and made here, at the same places: after growing the file, between
// the pages and the meta page that makes them the ledger's, and at the end.
func gate(m *files.Machine, db *bbolt.DB) (synced func() error) {
	if !m.Gated() {
		return done
	}
	writeAt, file := inside(db)
	g := &gated{machine: m, db: db, file: file, write: *writeAt}
	db.NoSync, db.NoGrowSync = true, true
	*writeAt = g.writeAt
	return func() error { return g.sync() }
}

// inside finds what bbolt writes with and to.
func inside(db *bbolt.DB) (writeAt *func([]byte, int64) (int, error), file *os.File) {
	v := reflect.ValueOf(db).Elem()
	at := unsafe.Pointer(v.FieldByName("ops").FieldByName("writeAt").UnsafeAddr())
	f := unsafe.Pointer(v.FieldByName("file").UnsafeAddr())
	return (*func([]byte, int64) (int, error))(at), *(**os.File)(f)
}

type gated struct {
	machine *files.Machine
	db      *bbolt.DB
	file    *os.File
	write   func([]byte, int64) (int, error)
}

func (g *gated) writeAt(b []byte, at int64) (int, error) {
	meta := at < 2*int64(g.db.Info().PageSize)
	if meta {
		if err := g.sync(); err != nil {
			return 0, err
		}
	} else if err := g.grow(at + int64(len(b))); err != nil {
		return 0, err
	}
	return g.machine.Write(g.db.Path(), b, at, g.write)
}

// grow makes room for a page past the end of the file, and for more, as bbolt does.
func (g *gated) grow(size int64) error {
	info, err := g.file.Stat()
	if err != nil || info.Size() >= size {
		return err
	}
	if mapped := reflect.ValueOf(g.db).Elem().FieldByName("datasz").Int(); mapped <= int64(g.db.AllocSize) {
		size = max(size, mapped)
	} else {
		size += int64(g.db.AllocSize)
	}
	if err := g.machine.Before(files.Op{Kind: files.Truncate, Path: g.db.Path(), At: size}); err != nil {
		return err
	}
	if err := g.file.Truncate(size); err != nil {
		return err
	}
	return g.sync()
}

func (g *gated) sync() error {
	if err := g.machine.Before(files.Op{Kind: files.Sync, Path: g.db.Path()}); err != nil {
		return err
	}
	return g.file.Sync()
}
