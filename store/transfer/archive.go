// Package transfer moves a ledger whole, and the older changes of a ledger on a cluster to files. It also makes the files with which a
// cluster is started: MakeCluster.
//
// A move (move.go) makes the source read-only, copies its tables in bounded transactions (copy.go), compares both ends (proof.go) and opens
// the copy with a new epoch. Only then does the source say that it has moved. How far a move is stands in the status of both ends, so one
// that was interrupted goes on, and at no time are both ends open. arrival.go is a home to which a ledger comes, plans.go gives it the
// plans of other machines, and file.go copies a ledger to a file and from a backup.
//
// The archive has the older changes of a ledger on a cluster, in files of a home: archive.go moves changes, archive_plans.go the texts of
// plans, and archive_state.go says what is where.
package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/journal"
	"vise/store/kv"
)

// A cluster has little space, and a change takes some of it for ever. So a server moves the old changes of each agent to files of its home,
// the archive, in the format of the journal's copy. A change is first written and synced, and only then deleted from the cluster, in the
// same commit that moves archivedTo. So each change is on the cluster or in a synced file, or in both, wherever the server is killed.
//
// The archive of a home has a directory of its own for each time that the home joined a cluster, and in it one for each agent. So the
// files of several machines can be copied together.

const (
	// archiveEvery is how often an archiver looks for old changes.
	archiveEvery = 10 * time.Second
	// archivedAtOnce is how many changes it reads at once. The limits of a change bound how many it deletes.
	archivedAtOnce = 64

	archiveLock  = "archive.lock"
	archiveClaim = "archive"
)

// RunArchive moves old changes from the cluster to this home until ctx ends, while no other process does so. It reports what fails, once,
// and tries again. If the ledger is on no cluster, it returns at once.
func RunArchive(ctx context.Context, l *store.Ledger, report func(error)) {
	if _, is := l.Cluster(); !is {
		return
	}
	for reported := ""; ctx.Err() == nil; {
		held, release, err := l.Can.Cluster.Claim(ctx, archiveClaim)
		if err == nil {
			err = archiveWhile(held, l)
			release()
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		if err = store.Explain(err); err.Error() != reported {
			report(fmt.Errorf("archive: %w", err))
			reported = err.Error()
		}
		_ = store.Pause(ctx, archiveEvery)
	}
}

func archiveWhile(held context.Context, l *store.Ledger) error {
	var next time.Time // for texts
	for ; held.Err() == nil; _ = store.Pause(held, archiveEvery) {
		err := ArchiveOnce(held, l)
		if now := time.Now(); err == nil && !now.Before(next) {
			err, next = ArchiveTexts(held, l), now.Add(textsEvery)
		}
		if err != nil && held.Err() == nil {
			return err
		}
	}
	return nil
}

// ArchiveOnce archives what is old now.
func ArchiveOnce(ctx context.Context, l *store.Ledger) error {
	var due []model.AgentID
	err := l.ViewFacts(ctx, func(f *store.Facts) error {
		f.EachHead(func(part model.AgentID, h store.PartHead) {
			if h.Seq-h.ArchivedSeq > l.Keep+l.Keep/4 {
				due = append(due, part)
			}
		})
		return nil
	})
	if err != nil || len(due) == 0 {
		return err
	}
	return archiving(ctx, l, func(a *archiver) error {
		var errs []error // of one part do not concern the others
		for _, part := range due {
			for more, err := true, error(nil); more && ctx.Err() == nil; {
				if more, err = a.step(ctx, part); err != nil {
					errs = append(errs, fmt.Errorf("agent %s: %w", part, err))
				}
			}
		}
		return errors.Join(errs...)
	})
}

// archiving calls fn with an archiver, unless another process of this home has one.
func archiving(ctx context.Context, l *store.Ledger, fn func(*archiver) error) error {
	h := l.Home()
	alone, err := files.LockAtOnce(h.Dir, archiveLock) // a server that was stopped may have lost its claim without knowing
	if errors.Is(err, files.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer alone.Close()
	a := &archiver{Ledger: l, home: h}
	a.ops, a.bytes = l.Backend().Limits()
	if err := a.prepare(ctx); err != nil {
		return err
	}
	return fn(a)
}

// archiver is one run of archiving.
type archiver struct {
	*store.Ledger
	home       store.Home
	dir        string // of the agents' directories
	ops, bytes int    // that a change takes
}

// prepare makes the directory, and notes on the cluster where it is.
func (a *archiver) prepare(ctx context.Context) (err error) {
	c, err := store.ReadCluster(a.home.Dir)
	if err != nil {
		return err
	}
	if !model.ValidID(c.Archive) {
		c.Archive = a.NewID()
		if err := c.Save(a.home); err != nil {
			return err
		}
	}
	top := store.ArchiveIn(a.home.Dir)
	a.dir = filepath.Join(top, c.Archive)
	for _, dir := range []string{top, a.dir} {
		if err := cmp.Or(a.home.Machine.Mkdir(dir), a.home.Machine.SyncDir(filepath.Dir(dir))); err != nil {
			return err
		}
	}
	return a.noteArchive(ctx, c.Archive)
}

// step archives some changes of a part. more is set if others are old too.
func (a *archiver) step(ctx context.Context, part model.AgentID) (more bool, err error) {
	old, more, err := a.oldest(ctx, part)
	if err != nil || len(old) == 0 {
		return false, err
	}
	if err := a.write(part, old); err != nil {
		return false, err
	}
	err = a.drop(ctx, part, old)
	return more && err == nil, err
}

// pastChange is a portion with its value in the journal.
type pastChange struct {
	store.Portion
	value []byte
}

// oldest are the first changes of a part that are old, as many as one change can delete.
func (a *archiver) oldest(ctx context.Context, part model.AgentID) (old []pastChange, more bool, err error) {
	err = a.ViewFacts(ctx, func(f *store.Facts) error {
		old, more = nil, false
		h := f.PartHead(part)
		if h.Seq-h.ArchivedSeq <= a.Keep {
			return nil
		}
		list, _, err := f.Txn.Saved(part, h.ArchivedRevision, f.Head().Revision, archivedAtOnce)
		if err != nil {
			return err
		}
		slices.SortFunc(list, func(x, y store.Saved) int { return bytes.Compare(x.Key, y.Key) })
		ops, size := a.ops-1, a.bytes-batchOverhead // one for the head
		for _, x := range list {
			p, err := store.ReadPortion(x.Key, x.Value)
			switch seq := h.ArchivedSeq + uint64(len(old)) + 1; {
			case err != nil:
				return err
			case p.Seq != seq:
				return kv.Damaged("archive", "change %d of agent %s is missing", seq, part)
			case p.Seq > h.Seq-a.Keep:
				return nil
			}
			ops, size = ops-1-len(store.TrailsOf(p.Outline)), size-len(x.Value)
			if more = len(old) > 0 && (ops < 0 || size < 0); more {
				return nil
			}
			old = append(old, pastChange{p, bytes.Clone(x.Value)})
		}
		more = true
		return nil
	})
	return old, more, err
}

// write writes changes to the files of their part, unless an earlier run did, and syncs these.
func (a *archiver) write(part model.AgentID, old []pastChange) error {
	j := &journal.Copy{Dir: filepath.Join(a.dir, string(part)), Home: a.home.ID, Machine: a.home.Machine}
	end, err := j.End()
	if err != nil {
		return err
	}
	have := map[uint64][]byte{}
	if end.Last.Revision >= old[0].Revision {
		_, err := j.Read(old[0].Revision-1, func(c journal.Change) error {
			for _, v := range c.Values {
				have[c.Revision] = v.Bytes
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var b []byte
	for _, x := range old {
		switch {
		case x.Revision > end.Last.Revision:
			b = journal.AppendChange(b, journal.Change{Revision: x.Revision, Values: []journal.Value{{Part: part, Bytes: x.value}}})
		case !bytes.Equal(have[x.Revision], x.value):
			return kv.Refuse("rename that directory: vise goes on in a new one",
				"the archive in %s does not have the change of revision %d as the cluster does", j.Dir, x.Revision)
		}
	}
	if len(b) > 0 {
		if err := j.Append(end, b); err != nil {
			return err
		}
	}
	return cmp.Or(j.Sync(), a.home.Machine.SyncDir(a.dir)) // also what a run that was killed has written
}

// drop deletes changes that are in synced files, if no other archiver did. Of those whose answers are kept, the answers stay.
func (a *archiver) drop(ctx context.Context, part model.AgentID, old []pastChange) error {
	return a.Update(ctx, func(f *store.Facts) error {
		h := f.PartHead(part)
		if h.ArchivedSeq+1 != old[0].Seq {
			return nil
		}
		for _, x := range old {
			key := store.JournalKey(x.Revision, part)
			payload, err := kv.Unframe(key, x.value)
			f.Fail(err)
			f.Delete(key)
			for _, row := range store.TrailsOf(x.Outline) {
				f.Delete(row)
			}
			if x.Seq > h.PrunedSeq {
				putLeft(f, x.Portion)
			}
			h.ArchivedSeq, h.ArchivedRevision, h.ArchivedHash = x.Seq, x.Revision, store.HashOf(payload)
			if n := len(x.Events); n > 0 {
				h.ArchivedEventSeq = x.Events[n-1].Seq
			}
		}
		f.PutPartHead(part, h)
		return nil
	})
}

// putLeft puts what is left of an archived change into its row in the log: what a retry with its key, and the end of that key, need. It is
// small, because a cluster that is almost full has to take it. So the change can no longer be undone.
func putLeft(f *store.Facts, p store.Portion) {
	left := store.Portion{Outline: store.Outline{Revision: p.Revision, Agent: p.Agent, Seq: p.Seq, At: p.At, Actor: p.Actor,
		Person: p.Person}}
	left.Key, left.Print = p.Key, p.Print
	if p.Receipt != nil {
		receipt := withoutUndo(*p.Receipt)
		left.Receipt = &receipt
	}
	raw, err := left.Encode()
	f.Fail(err)
	f.Put(store.LogKey(p.Agent, p.Revision), raw)
}

func withoutUndo(r model.Receipt) model.Receipt {
	r.Inverse = nil
	r.Calls = slices.Clone(r.Calls)
	for i := range r.Calls {
		r.Calls[i] = withoutUndo(r.Calls[i])
	}
	return r
}
