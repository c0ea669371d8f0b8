//go:build unix

package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"

	"go.etcd.io/bbolt"

	"vise/store/files"
)

// Held reports whether anybody holds the lock of a ledger on bbolt.
func Held(l *Ledger) bool {
	f, err := os.OpenFile(l.home.path(lockFile), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// PagesOf writes entries to a file at path, twice, has bbolt check and read it, change it,
// and check it again.
func PagesOf(path string, entries map[string][]byte) error {
	f, err := (*files.Machine)(nil).OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	p := newPages(f, os.Getpagesize())
	var trees []bucket
	for _, name := range bucketsInOrder {
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			p.add([]byte(key), entries[key])
			if len(p.buf) > 1<<16 {
				err = errors.Join(err, p.flush())
			}
		}
		root, holds := p.endTree()
		if holds.count != len(entries) {
			return fmt.Errorf("%d entries counted", holds.count)
		}
		trees = append(trees, bucket{name, root})
	}
	if err = errors.Join(err, p.finish(trees, 7)); err != nil {
		return err
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := same(db, entries); err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketState)
		n := 0
		for key := range entries {
			if n++; n%3 == 0 {
				delete(entries, key)
				err = errors.Join(err, b.Delete([]byte(key)), tx.Bucket(bucketAppended).Delete([]byte(key)))
			}
		}
		entries["another"] = bytes.Repeat([]byte("x"), 9_000)
		return errors.Join(err, b.Put([]byte("another"), entries["another"]), tx.Bucket(bucketAppended).Put([]byte("another"), entries["another"]))
	})
	return errors.Join(err, same(db, entries))
}

func same(db *bbolt.DB, entries map[string][]byte) error {
	return db.View(func(tx *bbolt.Tx) (err error) {
		for problem := range tx.Check() {
			err = errors.Join(err, problem)
		}
		for _, name := range bucketsInOrder {
			n := 0
			_ = tx.Bucket(name).ForEach(func(k, v []byte) error {
				if n++; !bytes.Equal(entries[string(k)], v) {
					err = errors.Join(err, fmt.Errorf("%q has %d bytes", k, len(v)))
				}
				return nil
			})
			if n != len(entries) {
				err = errors.Join(err, fmt.Errorf("%d of %d entries", n, len(entries)))
			}
		}
		return err
	})
}
