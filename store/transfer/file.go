package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"vise/store"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/lock"
)

// copyKeys copies a ledger that is not in a file to a new ledger file, as of one revision.
func copyKeys(ctx context.Context, l *store.Ledger, path string) error {
	return l.ReadCopy(ctx, func(z *store.Ledger) error {
		source, err := store.AboutOn(ctx, z.Backend())
		if err = cmp.Or(err, source.Permits(false)); err != nil {
			return err
		}
		b, err := emptyFile(l.Home().Machine, path)
		if err != nil {
			return err
		}
		x := &transfer{from: z.Backend(), to: b, id: cmp.Or(source.Came, source.Home), home: source.Home, epoch: source.Epoch}
		if _, err = x.bring(ctx); err == nil {
			err = x.open(ctx)
		}
		return errors.Join(err, b.Close())
	})
}

// emptyFile makes a new file for a ledger, which nobody else opens.
func emptyFile(m *files.Machine, path string) (*kv.Bolt, error) {
	err := kv.CreateBolt(m, path, func(store.Txn) error { return nil })
	return kv.OpenBolt(m, path, lock.On(m, path+".lock", "vise")), err
}

// FromBackup brings the ledger of a backup to a backend that has none, where it has a new epoch. If it was interrupted, it goes on.
func FromBackup(ctx context.Context, path string, to store.Backend, progress func(Copied)) (out Moved, err error) {
	a, err := store.Identify(path)
	if err != nil {
		return out, store.Explain(err)
	}
	from, err := kv.Copy{Path: path}.Open()
	if err != nil {
		return out, store.Explain(err)
	}
	defer from.Close()
	h := store.Home{ID: a.Home}
	if err := prove(ctx, from, h); err != nil {
		return out, err
	}
	x := &transfer{from: from, to: to, id: fmt.Sprintf("%s-%d", a.Home, a.Revision), home: a.Home, epoch: a.Epoch + 1,
		other: "the backup " + path, progress: progress}
	s, err := store.AboutOn(ctx, to)
	if err == nil && s.Came != x.id { // otherwise it was brought there before
		if out.Proof, err = x.carry(ctx, h); err == nil {
			err = x.open(ctx)
		}
	}
	if err == nil {
		out.Arrived, err = arrivedAt(ctx, to)
	}
	out.Copied = x.copied
	return out, store.Explain(err)
}

// CopyLedger makes a new ledger file of the ledger as it is now.
func CopyLedger(ctx context.Context, l *store.Ledger, path string) error {
	if l.Can.File == nil {
		return copyKeys(ctx, l, path)
	}
	f, err := l.Home().Machine.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	return errors.Join(l.Can.File.CopyTo(ctx, f), f.Sync(), f.Close())
}
