package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"vise/model"
	"vise/store/files"
	"vise/store/journal"
	"vise/store/kv"
	"vise/store/lock"
)

// whole is a backend that is only read, and has the archived changes in their places: it is as if none had been archived.
type whole struct {
	now Backend
	// OpenCopy has the archived portions, and the rows that derive from them.
	*kv.OpenCopy
}

// openWhole reads the archive's files in a directory, and returns a backend with their changes. It is nil if no change of b is archived. If
// some of the archived changes are not in the files, lacking says which, and whole is nil.
func openWhole(ctx context.Context, b Backend, id string, m *files.Machine, dir string) (w *whole, lacking string, err error) {
	var x Archive
	ends := map[model.AgentID]archivedTo{}
	err = b.View(ctx, func(t Txn) error {
		f := newFacts(t)
		x = f.Archive()
		for _, p := range x.Parts {
			ends[p.AgentID] = f.agentHead(p.AgentID).archivedTo
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
	path := filepath.Join(scratch.Dir, LedgerFile)
	err = kv.CreateBolt(m, path, func(Txn) error { return nil })
	if err == nil {
		g := &gathering{to: kv.OpenBolt(m, path, lock.On(m, path+".lock", "vise")), machine: m}
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
	pairs   []pair
	size    int
}

// part collects the history of a part from the directories of all places. lacking says what is missing.
func (g *gathering) part(ctx context.Context, id, dir string, places []fs.DirEntry, part model.AgentID, end archivedTo) (lacking string,
	err error) {
	for _, place := range places {
		j := &journal.Copy{Dir: filepath.Join(dir, place.Name(), string(part)), Home: id, Machine: g.machine}
		if err := g.files(ctx, j, part, end.ArchivedRevision); err != nil {
			return "", err
		}
	}
	if err := g.flush(ctx); err != nil {
		return "", err
	}
	missing, err := g.settle(ctx, part, end)
	if missing > 0 {
		lacking = fmt.Sprintf("change %d of agent %s is not in %s", missing, part, dir)
	}
	return lacking, err
}

// files collects the changes of a part from one directory, up to a revision. It leaves out what is damaged.
func (g *gathering) files(ctx context.Context, j *journal.Copy, part model.AgentID, last uint64) error {
	_, err := j.Read(0, func(c journal.Change) error {
		for _, v := range c.Values {
			key := JournalKey(c.Revision, part)
			o, err := ReadOutline(key, v.Bytes)
			if v.Part != part || c.Revision > last || err != nil || o.Agent != part || o.Revision != c.Revision {
				continue
			}
			g.pairs = append(g.pairs, pair{key, v.Bytes}, pair{key: logKey(part, c.Revision)})
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
	err := g.to.Update(ctx, func(t Txn) error {
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

// settle keeps of what was collected of a part what leads to its end, with the rows that derive from it, and deletes the rest: where an
// older state of a cluster was restored, the files also have changes of the other history. missing is the newest change that is not there;
// zero if all are.
func (g *gathering) settle(ctx context.Context, part model.AgentID, end archivedTo) (missing uint64, err error) {
	var others [][]byte
	missing, want := end.ArchivedSeq, end.ArchivedHash
	err = g.to.View(ctx, func(t Txn) error {
		f := newFacts(t)
		f.scan(Prefix(logPrefix(part)).Backwards(), func(key, _ []byte) bool {
			at := JournalKey(numberAt(key), part)
			o, ok := loadedAt(f, numberAt(key), part, ReadOutline)
			if !ok || hashOf(f.get(at)) != want {
				others = append(others, at, bytes.Clone(key))
				return true
			}
			missing, want = o.Seq-1, o.Prev
			for _, row := range trailsOf(o) {
				g.pairs = append(g.pairs, pair{key: row})
			}
			return true
		})
		return f.Err
	})
	if err = cmp.Or(err, g.flush(ctx)); err != nil || len(others) == 0 {
		return missing, err
	}
	return missing, g.to.Update(ctx, func(t Txn) error {
		for _, key := range others {
			if err := t.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
}

// View implements Backend.
func (w *whole) View(ctx context.Context, fn func(Txn) error) error {
	return w.now.View(ctx, func(now Txn) error {
		return w.OpenCopy.View(ctx, func(past Txn) error { return fn(wholeTxn{past, now}) })
	})
}

// ReadCopy implements Backend. Nothing changes what is read.
func (w *whole) ReadCopy(context.Context) (Backend, error) {
	past, err := kv.Copy{Path: w.Path}.Open()
	return &whole{w.now, past}, err
}

// wholeTxn reads both. Like in a file, the ledger counts its revisions.
type wholeTxn struct {
	Txn // of the archived changes
	now Txn
}

// hasPast reports whether archived changes have keys in the table of a key.
func hasPast(key []byte) bool {
	return bytes.HasPrefix(key, []byte(tableJournal)) || bytes.HasPrefix(key, []byte(tableLog)) || bytes.HasPrefix(key, []byte(tableTrail))
}

// wholeValue is a value as it would be if no change had been archived.
func wholeValue(key, value []byte) ([]byte, error) {
	switch {
	case bytes.Equal(key, keyArchive):
		return nil, nil
	case !bytes.HasPrefix(key, []byte(tableHead)):
		return value, nil
	}
	var h agentHead
	payload, err := kv.Unframe(key, value)
	if err != nil || decode(key, payload, &h) != nil || h.ArchivedSeq == 0 {
		return value, nil // whoever reads a damaged one notices
	}
	h.archivedTo = archivedTo{}
	payload, err = encode(h)
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
func (t wholeTxn) Scan(r Range, visit func(key, value []byte) bool) error {
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
	txn  Txn
	r    Range
	list []pair
	done bool
	err  error
}

// pageSize is how many keys are read at a time.
const pageSize = 256

// first is the next pair. ok is false if there is none.
func (p *pages) first() (x pair, ok bool) {
	if len(p.list) == 0 && !p.done && p.err == nil {
		p.err = p.txn.Scan(p.r, func(key, value []byte) bool {
			p.list = append(p.list, pair{bytes.Clone(key), append([]byte{}, value...)})
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

// withArchive calls fn with a ledger that has the archived changes too, if their files are in this home, and otherwise with l.
func (l *Ledger) withArchive(ctx context.Context, fn func(*Ledger) error) error {
	if l.home.Dir == "" {
		return fn(l)
	}
	w, _, err := openWhole(ctx, l.backend, l.home.ID, l.home.Machine, l.home.Path(archiveDir))
	if err != nil {
		return err
	}
	if w == nil {
		return fn(l)
	}
	z := LedgerOn(w, nil)
	z.Now, z.NewID, z.home, z.steps = l.Now, l.NewID, l.home, l.steps
	return errors.Join(fn(z), w.Close())
}
