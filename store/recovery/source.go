package recovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"vise/store"
	"vise/store/files"
	"vise/store/journal"
	"vise/store/kv"
)

// source is a start from which a ledger can be rebuilt with the journal.
type source struct {
	name string
	make func(d *draft) error
}

// sources lists the sources in the order in which they are tried: the snapshots, newest
// first; an empty ledger with the whole journal; the present file as it is; the present file
// one change earlier, by its older meta page.
func (r *restore) sources() ([]source, error) {
	if r.From != "" {
		if _, err := os.Stat(r.From); err != nil {
			return nil, err
		}
		return []source{r.copyOf(r.From, "the backup "+r.From)}, nil
	}
	all, err := Snapshots(r.home)
	if err != nil && !files.IsGone(err) {
		return nil, err
	}
	var out []source
	for _, s := range all {
		out = append(out, r.copyOf(s.Path, "the snapshot "+s.Path))
	}
	out = append(out, source{"the journal alone", func(d *draft) error { return r.home.CreateLedger(d.path()) }})
	if r.Blind || r.keepsCopy {
		return out, nil
	}
	present := r.home.Path(store.LedgerFile)
	older := r.copyOf(present, "the present ledger by its older meta page")
	plain := older.make
	older.make = func(d *draft) error {
		if err := plain(d); err != nil {
			return err
		}
		return kv.RevertMeta(d.path())
	}
	return append(out, r.copyOf(present, "the present ledger as it is"), older), nil
}

func (r *restore) copyOf(path, name string) source {
	return source{name, func(d *draft) error { return kv.CopyFile(r.Machine, path, d.path()) }}
}

// attempt makes a draft from a source and the journal, and checks it.
func (r *restore) attempt(ctx context.Context, s source) (*draft, error) {
	dir, err := os.MkdirTemp(cmp.Or(r.Recovery.Into, r.Home), draftPrefix)
	if err != nil {
		return nil, err
	}
	d := &draft{dir: dir, source: s.name}
	if err := r.build(ctx, s, d); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return d, nil
}

func (r *restore) build(ctx context.Context, s source, d *draft) error {
	if err := s.make(d); err != nil {
		return err
	}
	b := store.OpenIn(nil, d.dir, r.Command)
	defer b.Close()
	if err := b.Compact(ctx); err != nil { // writes both meta pages, and leaves out a backup's plans
		return err
	}
	if err := store.WriteFacts(ctx, b, store.Reopen); err != nil {
		return err
	}
	a, err := store.Identify(d.path())
	d.from = a.Revision
	switch {
	case err != nil:
		return err
	case a.Home != r.home.ID:
		return r.foreign(a.Home)
	case r.To > 0 && d.from > r.To:
		return fmt.Errorf("it is at revision %d already", d.from)
	}
	if d.to, err = r.replay(ctx, b, d.from); err != nil {
		return err
	}
	if at := store.Apart(d.path(), r.home); at > 0 && r.keepsCopy {
		return fmt.Errorf("its history diverges from the journal's at revision %d", at)
	}
	health, err := store.Prove(ctx, kv.Copy{Path: d.path()}, r.home)
	if err == nil && health.Revision != d.to {
		err = fmt.Errorf("it came to revision %d instead of %d", health.Revision, d.to)
	}
	return err
}

// Limits of a transaction that makes changes again, in changes and bytes. bbolt splits a page only at the commit, and an insert into a
// long page moves everything behind it.
const redoneAtOnce, redoneBytes = 256, 1 << 20

// replay makes the journal's changes after a revision again, as long as they follow without
// a gap and come out byte for byte. It returns the revision that it reached.
func (r *restore) replay(ctx context.Context, b *kv.Bolt, from uint64) (reached uint64, err error) {
	reached = from
	var batch []journal.Change
	size := 0
	flush := func() error {
		n, err := redoChanges(ctx, b, batch)
		if n > 0 {
			reached = batch[n-1].Revision
		}
		batch, size = nil, 0
		return err
	}
	last := from
	_, err = r.journal.Read(from, func(f journal.Change) error {
		if f.Revision != last+1 && f.Revision > r.home.Since || r.To > 0 && f.Revision > r.To {
			return journal.ErrEnough
		}
		last = f.Revision
		for _, v := range f.Values {
			size += len(v.Bytes)
		}
		if batch = append(batch, f); len(batch) == redoneAtOnce || size >= redoneBytes {
			return flush()
		}
		return ctx.Err()
	})
	if err == nil || errors.Is(err, journal.ErrEnough) {
		err = flush()
	}
	if errors.Is(err, store.ErrDiffers) {
		err = nil // the rest belongs to another history
	}
	return reached, err
}

// redoChanges makes changes again in one transaction and returns how many. If one of them
// does not follow, it makes only those before it.
func redoChanges(ctx context.Context, b *kv.Bolt, changes []journal.Change) (int, error) {
	n := len(changes)
	if n == 0 {
		return 0, nil
	}
	try := func(t store.Txn) error {
		for i, c := range changes[:n] {
			if err := store.Redo(t, c); err != nil {
				n = i
				return err
			}
		}
		return nil
	}
	err := b.Update(ctx, try)
	if errors.Is(err, store.ErrDiffers) && n > 0 {
		if again := b.Update(ctx, try); again != nil {
			return 0, again
		}
	}
	return n, err
}
