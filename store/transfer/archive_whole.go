package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/journal"
	"vise/store/kv"
)

// whole is a backend that is only read, and has the archived changes in their places: it is as if none had been archived.
type whole struct {
	now store.Backend
	// OpenCopy has the archived portions, and the rows that derive from them.
	*kv.OpenCopy
}

// OpenWhole reads the archive's files in a directory, and returns a backend with their changes. It is nil if no change of b is archived. If
// some of the archived changes are not in the files, lacking says which, and whole is nil.
func OpenWhole(ctx context.Context, b store.Backend, id string, m *files.Machine, dir string) (w *whole, lacking string, err error) {
	var x Archive
	ends := map[model.AgentID]store.ArchivedTo{}
	err = b.View(ctx, func(t store.Txn) error {
		f := store.NewFacts(t)
		x = ArchiveOf(f)
		for _, p := range x.Parts {
			ends[p.AgentID] = f.PartHead(p.AgentID).ArchivedTo
		}
		return f.Err
	})
	if err != nil || len(ends) == 0 {
		return nil, "", err
	}
	places, err := files.ReadDir(dir)
	if files.IsGone(err) {
		return nil, x.Said(), nil
	}
	if err != nil {
		return nil, "", err
	}
	places = slices.DeleteFunc(places, func(e fs.DirEntry) bool { return !e.IsDir() })
	scratch, err := m.Scratch(filepath.Dir(dir), ".archive-")
	if err != nil {
		return nil, "", err
	}
	path := filepath.Join(scratch.Dir, store.LedgerFile)
	to, err := emptyFile(m, path)
	if err == nil {
		g := &gathering{to: to, machine: m}
		for _, p := range x.Parts {
			if err == nil && lacking == "" {
				lacking, err = g.part(ctx, id, dir, places, p.AgentID, ends[p.AgentID])
			}
		}
		err = errors.Join(err, g.to.Close())
	}
	if err != nil || lacking != "" {
		if lacking != "" {
			lacking += "; " + x.Said()
		}
		return nil, lacking, errors.Join(err, scratch.Close())
	}
	past, err := kv.Copy{Path: path, Scratch: scratch}.Open()
	if err != nil {
		return nil, "", err
	}
	return &whole{b, past}, "", nil
}

// gathering collects changes of the archive's files in a ledger file.
type gathering struct {
	to      *kv.Bolt
	machine *files.Machine
	pairs   []entry
	size    int
}

// part collects the history of a part from the directories of all places. lacking says what is missing.
func (g *gathering) part(ctx context.Context, id, dir string, places []fs.DirEntry, part model.AgentID,
	end store.ArchivedTo) (lacking string, err error) {
	for _, place := range places {
		j := &journal.Copy{Dir: filepath.Join(dir, place.Name(), string(part)), Home: id, Machine: g.machine}
		if err := g.files(ctx, j, part, end.ArchivedRevision); err != nil {
			return "", err
		}
	}
	if err := g.flush(ctx); err != nil {
		return "", err
	}
	missing, err := g.keepHistory(ctx, part, end)
	if missing > 0 {
		lacking = fmt.Sprintf("change %d of agent %s is not in %s", missing, part, dir)
	}
	return lacking, err
}

// files collects the changes of a part from one directory, up to a revision. It leaves out what is damaged.
func (g *gathering) files(ctx context.Context, j *journal.Copy, part model.AgentID, last uint64) error {
	_, err := j.Read(0, func(c journal.Change) error {
		for _, v := range c.Values {
			key := store.JournalKey(c.Revision, part)
			o, err := store.ReadOutline(key, v.Bytes)
			if v.Part != part || c.Revision > last || err != nil || o.Agent != part || o.Revision != c.Revision {
				continue
			}
			g.pairs = append(g.pairs, entry{key, v.Bytes}, entry{key: store.LogKey(part, c.Revision)})
			g.size += len(v.Bytes)
		}
		if g.size < scannedAtOnce {
			return ctx.Err()
		}
		return g.flush(ctx)
	})
	return err
}

func (g *gathering) flush(ctx context.Context) error {
	err := g.to.Update(ctx, func(t store.Txn) error {
		for _, p := range g.pairs {
			if err := t.Put(p.key, p.value); err != nil {
				return err
			}
		}
		return nil
	})
	g.pairs, g.size = nil, 0
	return err
}

// keepHistory keeps the changes of a part from its end to its first: each has the hash of the one before. It adds the rows that derive from
// them. It deletes all other changes: after a restore of an older cluster, the files also have those of the history that was given up.
// missing is the newest change that the files do not have; zero if they have all.
func (g *gathering) keepHistory(ctx context.Context, part model.AgentID, end store.ArchivedTo) (missing uint64, err error) {
	var others [][]byte
	missing, want := end.ArchivedSeq, end.ArchivedHash
	err = g.to.View(ctx, func(t store.Txn) error {
		f := store.NewFacts(t)
		f.Scan(store.Prefix(store.LogPrefix(part)).Backwards(), func(key, _ []byte) bool {
			at := store.JournalKey(store.NumberAt(key), part)
			o, ok := store.LoadedAt(f, store.NumberAt(key), part, store.ReadOutline)
			if !ok || store.HashOf(f.Payload(at)) != want {
				others = append(others, at, bytes.Clone(key))
				return true
			}
			missing, want = o.Seq-1, o.Prev
			for _, row := range store.TrailsOf(o) {
				g.pairs = append(g.pairs, entry{key: row})
			}
			return true
		})
		return f.Err
	})
	if err = cmp.Or(err, g.flush(ctx)); err != nil || len(others) == 0 {
		return missing, err
	}
	return missing, g.to.Update(ctx, func(t store.Txn) error {
		for _, key := range others {
			if err := t.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
}

// View implements Backend.
func (w *whole) View(ctx context.Context, fn func(store.Txn) error) error {
	return w.now.View(ctx, func(now store.Txn) error {
		return w.OpenCopy.View(ctx, func(past store.Txn) error { return fn(wholeTxn{past, now}) })
	})
}

// ReadCopy implements Backend. Nothing changes what is read.
func (w *whole) ReadCopy(context.Context) (store.Backend, error) {
	past, err := kv.Copy{Path: w.Path}.Open()
	return &whole{w.now, past}, err
}

// wholeTxn reads both. Like in a file, the ledger counts its revisions.
type wholeTxn struct {
	store.Txn // of the archived changes
	now       store.Txn
}

// hasPast reports whether archived changes have keys in the table of a key.
func hasPast(key []byte) bool {
	k := string(key)
	return strings.HasPrefix(k, store.TableJournal) || strings.HasPrefix(k, store.TableLog) || strings.HasPrefix(k, store.TableTrail)
}

// wholeValue is a value as it would be if no change had been archived.
func wholeValue(key, value []byte) ([]byte, error) {
	switch {
	case bytes.Equal(key, keyArchive):
		return nil, nil
	case !bytes.HasPrefix(key, []byte(store.TableHead)):
		return value, nil
	}
	var h store.PartHead
	payload, err := kv.Unframe(key, value)
	if err != nil || store.Decode(key, payload, &h) != nil || h.ArchivedSeq == 0 {
		return value, nil // whoever reads a damaged one notices
	}
	h.ArchivedTo = store.ArchivedTo{}
	payload, err = store.Encode(h)
	return kv.Frame(key, payload), err
}

// Get implements Txn.
func (t wholeTxn) Get(key []byte) ([]byte, error) {
	if hasPast(key) {
		if value, err := t.Txn.Get(key); err != nil || value != nil {
			return value, err
		}
	}
	value, err := t.now.Get(key)
	if err != nil || value == nil {
		return value, err
	}
	return wholeValue(key, value)
}

// Put and Delete implement Txn. They always fail.
func (wholeTxn) Put(_, _ []byte) error { return kv.ErrReadOnly }
func (wholeTxn) Delete([]byte) error   { return kv.ErrReadOnly }

// Scan implements Txn.
func (t wholeTxn) Scan(r store.Range, visit func(key, value []byte) bool) error {
	old := &pages{txn: t.Txn, r: r, done: !hasPast(r.From)}
	more := true
	err := t.now.Scan(r, func(key, value []byte) bool {
		for {
			x, ok := old.first()
			order := bytes.Compare(x.key, key)
			if r.Reverse {
				order = -order
			}
			if !ok || order > 0 {
				break
			}
			old.list = old.list[1:]
			if more = visit(x.key, x.value); !more || order == 0 { // the row of an archived change is as it was
				return more
			}
		}
		value, err := wholeValue(key, value)
		old.err = cmp.Or(old.err, err)
		if value != nil {
			more = visit(key, value)
		}
		return more && old.err == nil
	})
	for err == nil && more {
		x, ok := old.first()
		if !ok {
			break
		}
		old.list = old.list[1:]
		more = visit(x.key, x.value)
	}
	return cmp.Or(err, old.err)
}

// pages reads a range some keys at a time.
type pages struct {
	txn  store.Txn
	r    store.Range
	list []entry
	done bool
	err  error
}

// pageSize is how many keys are read at a time.
const pageSize = 256

// first is the next entry. ok is false if there is none.
func (p *pages) first() (x entry, ok bool) {
	if len(p.list) == 0 && !p.done && p.err == nil {
		p.err = p.txn.Scan(p.r, func(key, value []byte) bool {
			p.list = append(p.list, entry{bytes.Clone(key), append([]byte{}, value...)})
			return len(p.list) < pageSize
		})
		if p.done = len(p.list) < pageSize; !p.done {
			last := p.list[pageSize-1].key
			if p.r.Reverse {
				p.r.To = last
			} else {
				p.r.From = append(bytes.Clone(last), 0)
			}
		}
	}
	if len(p.list) == 0 {
		return x, false
	}
	return p.list[0], true
}

// Whole calls fn with a copy of the ledger that has the archived changes too, if there are some and their files are in its home, and
// otherwise with l.
func Whole(ctx context.Context, l *store.Ledger, fn func(*store.Ledger) error) error {
	if x, _ := Archived(ctx, l); len(x.Parts) == 0 { // what cannot be read is found again
		return fn(l)
	}
	return l.ReadCopy(ctx, func(z *store.Ledger) error { return withArchive(ctx, z, fn) })
}

// withArchive is Whole for a ledger that nobody changes.
func withArchive(ctx context.Context, l *store.Ledger, fn func(*store.Ledger) error) error {
	if l.Home().Dir == "" {
		return fn(l)
	}
	w, _, err := OpenWhole(ctx, l.Backend(), l.Home().ID, l.Home().Machine, store.ArchiveIn(l.Home().Dir))
	if err != nil {
		return err
	}
	if w == nil {
		return fn(l)
	}
	return errors.Join(fn(l.On(w)), w.Close())
}
