package store

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

// archivedTo is the newest change of a part that is in the archive and no longer in the journal: its number, its revision, the hash of its
// portion, and the number of the last event up to it.
type archivedTo struct {
	ArchivedSeq      uint64 `json:"archived_seq,omitempty"`
	ArchivedRevision uint64 `json:"archived_revision,omitempty"`
	ArchivedHash     string `json:"archived_hash,omitempty"`
	ArchivedEventSeq uint64 `json:"archived_event_seq,omitempty"`
}

const (
	// keepChanges is how many changes of each agent stay on the cluster. When there are a quarter more, they are archived together: each
	// time costs waits for the disk.
	keepChanges = 256
	// archiveEvery is how often an archiver looks for old changes.
	archiveEvery = 10 * time.Second
	// archivedAtOnce is how many changes it reads at once. The limits of a change bound how many it deletes.
	archivedAtOnce = 64

	archiveDir   = "archive"
	archiveLock  = "archive.lock"
	archiveClaim = "archive"
)

// Archive moves old changes from the cluster to this home until ctx ends, while no other process does so. It reports what fails, once, and
// tries again. If the ledger is on no cluster, it returns at once.
func (l *Ledger) Archive(ctx context.Context, report func(error)) {
	if l.cluster == nil {
		return
	}
	for reported := ""; ctx.Err() == nil; {
		held, release, err := l.Can.Cluster.Claim(ctx, archiveClaim)
		if err == nil {
			err = l.archiveWhile(held)
			release()
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		if err = Explain(err); err.Error() != reported {
			report(fmt.Errorf("archive: %w", err))
			reported = err.Error()
		}
		rest(ctx, archiveEvery)
	}
}

func (l *Ledger) archiveWhile(held context.Context) error {
	var next time.Time // for texts
	for ; held.Err() == nil; rest(held, archiveEvery) {
		err := l.archiveOnce(held)
		if now := time.Now(); err == nil && !now.Before(next) {
			err, next = l.archiveTexts(held), now.Add(textsEvery)
		}
		if err != nil && held.Err() == nil {
			return err
		}
	}
	return nil
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// archiveOnce archives what is old now.
func (l *Ledger) archiveOnce(ctx context.Context) error {
	var due []model.AgentID
	err := l.view(ctx, func(f *Facts) error {
		f.eachHead(func(part model.AgentID, h agentHead) {
			if h.Seq-h.ArchivedSeq > l.Keep+l.Keep/4 {
				due = append(due, part)
			}
		})
		return nil
	})
	if err != nil || len(due) == 0 {
		return err
	}
	return l.archiving(ctx, func(a *archiver) error {
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
func (l *Ledger) archiving(ctx context.Context, fn func(*archiver) error) error {
	alone, err := files.LockAtOnce(l.home.Dir, archiveLock) // a server that was stopped may have lost its claim without knowing
	if errors.Is(err, files.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer alone.Close()
	a := &archiver{Ledger: l}
	if err := a.prepare(ctx); err != nil {
		return err
	}
	return fn(a)
}

// eachHead visits the heads of all parts.
func (f *Facts) eachHead(visit func(model.AgentID, agentHead)) {
	f.scan(Prefix([]byte(tableHead)), func(key, value []byte) bool {
		var h agentHead
		payload, err := kv.Unframe(key, value)
		if err == nil {
			err = decode(key, payload, &h)
		}
		if f.harmed(err); err == nil {
			visit(model.AgentID(key[len(tableHead):]), h)
		}
		return true
	})
}

// archiver is one run of archiving.
type archiver struct {
	*Ledger
	dir        string // of the agents' directories
	ops, bytes int    // that a change takes
}

// prepare makes the directory, and notes on the cluster where it is.
func (a *archiver) prepare(ctx context.Context) (err error) {
	if a.ops, a.bytes, err = a.backend.Limits(ctx); err != nil {
		return err
	}
	c, err := ReadCluster(a.home.Dir)
	if err != nil {
		return err
	}
	if !model.ValidID(c.Archive) {
		c.Archive = a.NewID()
		if err := c.save(a.home); err != nil {
			return err
		}
	}
	top := a.home.Path(archiveDir)
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
	portion
	value []byte
}

// oldest are the first changes of a part that are old, as many as one change can delete.
func (a *archiver) oldest(ctx context.Context, part model.AgentID) (old []pastChange, more bool, err error) {
	err = a.view(ctx, func(f *Facts) error {
		old, more = nil, false
		h := f.agentHead(part)
		if f.Err != nil || h.Seq-h.ArchivedSeq <= a.Keep {
			return f.Err
		}
		list, _, err := f.txn.Saved(part, h.ArchivedRevision, f.head().Revision, archivedAtOnce)
		if err != nil {
			return err
		}
		slices.SortFunc(list, func(x, y Saved) int { return bytes.Compare(x.Key, y.Key) })
		ops, size := a.ops-1, a.bytes-batchOverhead // one for the head
		for _, x := range list {
			p, err := readPortion(x.Key, x.Value)
			switch seq := h.ArchivedSeq + uint64(len(old)) + 1; {
			case err != nil:
				return err
			case p.Seq != seq:
				return kv.Damaged("archive", fmt.Sprintf("change %d of agent %s is missing", seq, part))
			case p.Seq > h.Seq-a.Keep:
				return nil
			}
			ops, size = ops-1-len(trailsOf(p.Outline)), size-len(x.Value)
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
			return kv.Refuse("rename that directory: vise goes on in a new one, and reads both",
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
	return a.update(ctx, func(t Txn) error {
		f := newFacts(t)
		h := f.agentHead(part)
		if h.ArchivedSeq+1 != old[0].Seq {
			return f.Err
		}
		for _, x := range old {
			key := JournalKey(x.Revision, part)
			payload, err := kv.Unframe(key, x.value)
			f.fail(err)
			f.delete(key)
			for _, row := range trailsOf(x.Outline) {
				f.delete(row)
			}
			if x.Seq > h.PrunedSeq {
				f.putLeft(x.portion)
			}
			h.ArchivedSeq, h.ArchivedRevision, h.ArchivedHash = x.Seq, x.Revision, hashOf(payload)
			if n := len(x.Events); n > 0 {
				h.ArchivedEventSeq = x.Events[n-1].Seq
			}
		}
		f.putAgentHead(part, h)
		return f.Err
	})
}

// putLeft puts what is left of an archived change into its row in the log: what a retry with its key, and the end of that key, need. It is
// small, because a cluster that is almost full has to take it. So the change can no longer be undone.
func (f *Facts) putLeft(p portion) {
	left := portion{Outline{Revision: p.Revision, Agent: p.Agent, Seq: p.Seq, At: p.At, Actor: p.Actor},
		effects{Key: p.Key, Print: p.Print}}
	if p.Receipt != nil {
		receipt := withoutUndo(*p.Receipt)
		left.Receipt = &receipt
	}
	raw, err := left.encode()
	f.fail(err)
	f.put(logKey(p.Agent, p.Revision), raw)
}

// A cluster has less space than a file, and takes few operations in a change: there the last thousand answers are kept.
const (
	maxSharedAnswers   = 1_000
	prunedAtOnceShared = 4
)

// answersKept is how many answers of a part are kept, and how many older ones a change deletes at most.
func (f *Facts) answersKept() (most uint64, atOnce int) {
	if f.txn.Counts() {
		return maxSharedAnswers, prunedAtOnceShared
	}
	return maxAnswers, prunedAtOnce
}

func withoutUndo(r model.Receipt) model.Receipt {
	r.Inverse = nil
	r.Calls = slices.Clone(r.Calls)
	for i := range r.Calls {
		r.Calls[i] = withoutUndo(r.Calls[i])
	}
	return r
}
