package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/lock"
)

// Before firstSchema a ledger had no parts: one chain of commits for all agents, each event under a key of its own, and records under their
// ids alone. Such a ledger is made anew in a file beside it: every change of its history is made again. The older records are compared with
// their history, and the new file is checked. The old file is kept aside.

// firstSchema is the oldest schema that this program can change in place.
const firstSchema = 8

const aboutUpgrade = "a history and a head for each agent: the ledger is made anew, and the old file is kept aside"

// oldCommit is a change in the journal of an older ledger. Its key is journal/<revision><0>; its events follow with numbers from 1 on.
type oldCommit struct {
	At      time.Time     `json:"at"`
	Actor   model.Actor   `json:"actor"`
	Key     string        `json:"key"`
	Print   string        `json:"print"`
	Writes  []write       `json:"writes"`
	Plans   []plan        `json:"plans"`
	Receipt model.Receipt `json:"receipt"`
}

// oldChange is a commit with its records and events.
type oldChange struct {
	oldCommit
	records []model.Record
	events  []model.Entry
	size    int
}

// remaking makes an older ledger anew in another file.
type remaking struct {
	*Bolt
	ctx     context.Context
	batch   []oldChange
	size    int              // of the batch, in bytes
	batches chan []oldChange // to be made again
	// written is the hash of each of the older ledger's records as its journal last wrote it, by key.
	written map[string][sha256.Size]byte
}

// remake makes the older ledger in the file at from anew at to.
func remake(ctx context.Context, m *files.Machine, from, to string) error {
	return viewFile(from, func(f *facts) error {
		l := newLedger(nil, nil)
		f.getJSON(keyHome, &l.home.ID)
		if f.err != nil {
			return f.err
		}
		if err := CreateBolt(m, to, l.initialize); err != nil {
			return err
		}
		r := &remaking{Bolt: OpenBolt(to, lock.On(m, to+".lock", "vise")), batches: make(chan []oldChange, 1),
			written: map[string][sha256.Size]byte{}}
		defer r.Close()
		r.machine = m
		if err := r.fill(ctx, f.txn); err != nil {
			return err
		}
		return r.compact(ctx)
	})
}

// fill makes the changes again while it reads the next ones.
func (r *remaking) fill(ctx context.Context, t Txn) error {
	var stop context.CancelFunc
	r.ctx, stop = context.WithCancel(ctx)
	defer stop()
	made := make(chan error, 1)
	go func() {
		err := r.again()
		if err != nil {
			stop()
		}
		for range r.batches { // after an error they are not made
		}
		made <- err
	}()
	err := r.history(t)
	if err == nil {
		err = r.compare(t)
	}
	return cmp.Or(<-made, err)
}

// history reads the changes of a journal, in order.
func (r *remaking) history(t Txn) error {
	defer close(r.batches)
	var c oldChange
	var bad error
	err := t.Scan(Prefix([]byte(tableJournal)), func(key, value []byte) bool {
		at := key[min(len(key), len(tableJournal)+numberSize):]
		payload, err := unframe(key, value)
		switch {
		case err != nil || len(at) != 4:
			bad = cmp.Or[error](err, &damage{"read", fmt.Sprintf("%q is no key of a history", key)})
		case binary.BigEndian.Uint32(at) == 0:
			if bad = r.add(c); bad == nil {
				c = oldChange{}
				bad = decode(key, payload, &c.oldCommit)
			}
		default:
			var e model.Entry
			bad = decode(key, payload, &e)
			c.events = append(c.events, e)
		}
		c.size += len(value)
		return bad == nil && r.ctx.Err() == nil
	})
	if err = cmp.Or(bad, err, r.ctx.Err(), r.add(c)); err == nil {
		r.batches <- r.batch
	}
	return err
}

// add adds a change to the batch.
func (r *remaking) add(c oldChange) (err error) {
	if c.size == 0 {
		return nil // before the first change
	}
	c.records, err = recordsOf(c.Writes)
	for i, record := range c.records {
		r.written[string(recordsFrom(c.Writes[i].Kind, record.Name().Key))] = sha256.Sum256(c.Writes[i].Record)
	}
	if r.batch, r.size = append(r.batch, c), r.size+c.size; len(r.batch) >= redoneAtOnce || r.size >= redoneBytes {
		r.batches <- r.batch
		r.batch, r.size = nil, 0
	}
	return err
}

// again makes the changes again.
func (r *remaking) again() error {
	for batch := range r.batches {
		err := r.Update(r.ctx, func(t Txn) error {
			for _, c := range batch {
				if err := c.redo(t); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c oldChange) redo(t Txn) error {
	f := newFacts(t)
	f.save(commit{At: c.At, Actor: c.Actor, Key: c.Key, Print: c.Print, Plans: c.Plans, Receipt: c.Receipt}, c.records, c.events)
	return f.err
}

// compare compares the older ledger's records with what its history last wrote.
func (r *remaking) compare(t Txn) error {
	for _, kind := range model.Kinds() {
		var bad error
		err := t.Scan(Prefix(recordsFrom(kind, "")), func(key, value []byte) bool {
			payload, err := unframe(key, value)
			if err == nil && sha256.Sum256(payload) != r.written[string(key)] {
				err = &damage{"upgrade", fmt.Sprintf("%q is not what its history says", key)}
			}
			delete(r.written, string(key))
			bad = err
			return bad == nil && r.ctx.Err() == nil
		})
		if err := cmp.Or(bad, err, r.ctx.Err()); err != nil {
			return err
		}
	}
	for key := range r.written {
		return &damage{"upgrade", fmt.Sprintf("%q is only in the history", key)}
	}
	return nil
}

// schemaOf is the schema of the ledger in a file.
func schemaOf(path string) (schema int, err error) {
	err = viewFile(path, func(f *facts) error {
		f.getJSON(keySchema, &schema)
		return f.err
	})
	return schema, err
}

// upgradeFile gives a file of an older ledger this program's layout. Nobody else uses the file.
func upgradeFile(ctx context.Context, m *files.Machine, path string) error {
	if schema, err := schemaOf(path); err != nil || schema >= firstSchema {
		return err
	}
	draft := path + ".upgraded"
	if err := remake(ctx, m, path, draft); err != nil {
		return err
	}
	return m.Rename(draft, path)
}

// Older reports whether the home says that its ledger is to be made anew. It reads nothing.
func (l *Ledger) Older() bool { return l.home.Format == 1 }

// makeAnew makes an older ledger anew, under its lock. An upgrade that ends early leaves the ledger as it was.
func (l *Ledger) makeAnew(ctx context.Context) error {
	b, ok := l.backend.(*Bolt)
	if !ok {
		return nil
	}
	if err := b.lock.Acquire(ctx); err != nil {
		return err
	}
	defer b.lock.Release()
	if schema, err := schemaOf(b.path); err != nil || schema >= firstSchema {
		return err // another process made it
	}
	scratch, err := l.home.machine.Scratch(l.home.Dir, ".reading-") // the next copy for a long read takes away what a killed upgrade left
	if err != nil {
		return err
	}
	draft := filepath.Join(scratch.Dir, ledgerFile)
	err = remake(ctx, l.home.machine, b.path, draft)
	if err == nil {
		_, err = prove(ctx, ledgerCopy{path: draft}, l.home)
	}
	if err == nil {
		err = l.takeUpgraded(draft)
	}
	return errors.Join(err, scratch.Close())
}

// takeUpgraded puts the upgraded ledger in the place of the older one. Its copy of the history is made anew, too.
func (l *Ledger) takeUpgraded(draft string) error {
	h, err := openHome(l.home.machine, l.home.Dir)
	if err != nil {
		return err
	}
	h.Format = homeFormat // an older program now refuses the home
	path, aside := h.path(ledgerFile), h.asidePath("ledger-before-upgrade", snapshotEnd)
	for _, step := range []func() error{
		h.save,
		func() error { return h.machine.Mkdir(filepath.Dir(aside), dirMode) },
		func() error { return os.Link(path, aside) },
		func() error { return l.journal.setAside(h.asidePath("journal-before-upgrade", "")) },
		func() error { return h.machine.Rename(draft, path) },
		func() error { return h.machine.SyncDir(h.Dir) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
