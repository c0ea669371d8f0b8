package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"vise/store/files"
	"vise/store/kv"
	"vise/store/lock"
)

// copyKeys copies a ledger that is not in a file to a new ledger file, as of one revision.
func (l *Ledger) copyKeys(ctx context.Context, path string) error {
	return l.ReadCopy(ctx, func(z *Ledger) error {
		s, err := statusOf(ctx, z.backend)
		if err = cmp.Or(err, s.permits(false)); err != nil {
			return err
		}
		source, err := arrivedAt(ctx, z.backend)
		if err != nil {
			return err
		}
		if err := kv.CreateBolt(l.home.Machine, path, func(Txn) error { return nil }); err != nil {
			return err
		}
		b := kv.OpenBolt(l.home.Machine, path, lock.On(l.home.Machine, path+".lock", "vise backup"))
		x := &transfer{to: b, id: cmp.Or(s.Came, source.Home), home: source.Home, epoch: source.Epoch}
		err = z.withArchive(ctx, func(z *Ledger) error {
			x.from = z.backend
			_, err := x.bring(ctx)
			return err
		})
		if err == nil {
			err = x.open(ctx)
		}
		return errors.Join(err, b.Close())
	})
}

// FromBackup brings the ledger of a backup to a backend that has none, where it has a new epoch. If it was interrupted, it goes on.
func FromBackup(ctx context.Context, path string, to Backend, m *files.Machine, progress func(Copied)) (out Moved, err error) {
	a, err := Identify(path)
	if err != nil {
		return out, Explain(err)
	}
	from, err := kv.Copy{Path: path}.Open()
	if err != nil {
		return out, Explain(err)
	}
	defer from.Close()
	source, err := arrivedAt(ctx, from)
	if err != nil {
		return out, Explain(err)
	}
	h := Home{ID: a.Home}
	if _, err := Prove(ctx, from, h); err != nil {
		return out, err
	}
	x := &transfer{from: from, to: to, id: fmt.Sprintf("%s-%d", a.Home, a.Revision), home: a.Home, epoch: source.Epoch + 1,
		other: "the backup " + path, progress: progress}
	s, err := statusOf(ctx, to)
	if err == nil && s.Came != x.id { // otherwise it was brought there before
		if out.Proof, err = x.carry(ctx, h); err == nil {
			err = x.open(ctx)
		}
	}
	if err == nil {
		out.Arrived, err = arrivedAt(ctx, to)
	}
	out.Copied = x.copied
	return out, Explain(err)
}

// CopyLedger makes a new ledger file of the ledger as it is now.
func (l *Ledger) CopyLedger(ctx context.Context, path string) error {
	if l.Can.File == nil {
		return l.copyKeys(ctx, path)
	}
	f, err := l.home.Machine.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	return errors.Join(l.Can.File.CopyTo(ctx, f), f.Sync(), f.Close())
}
