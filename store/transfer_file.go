package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"

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
		if err := kv.CreateBolt(l.home.machine, path, func(Txn) error { return nil }); err != nil {
			return err
		}
		b := kv.OpenBolt(l.home.machine, path, lock.On(l.home.machine, path+".lock", "vise backup"))
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
	id, revision, err := identify(path)
	if err != nil {
		return out, explain(err)
	}
	from, err := kv.Copy{Path: path}.Open()
	if err != nil {
		return out, explain(err)
	}
	defer from.Close()
	source, err := arrivedAt(ctx, from)
	if err != nil {
		return out, explain(err)
	}
	h := home{ID: id}
	if _, err := prove(ctx, from, h); err != nil {
		return out, err
	}
	x := &transfer{from: from, to: to, id: fmt.Sprintf("%s-%d", id, revision), home: id, epoch: source.Epoch + 1,
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
	return out, explain(err)
}
