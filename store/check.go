package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"vise/model"
	"vise/store/kv"
)

// Health is the result of a check.
type Health struct {
	Revision uint64
	// Counts of what was read.
	Records, Rows, Commits, Entries int
	// Problems are the first shownProblems of all Found problems. Derived counts those in rows
	// that can be rebuilt.
	Problems       []string
	Found, Derived int
	// Archived counts the older changes that are in the archive. They were not read.
	Archived uint64
}

// Healthy reports whether no problem was found.
func (h Health) Healthy() bool { return h.Found == 0 }

const shownProblems = 100

// Check checks a ledger: every checksum is right, the journal is whole and its hashes link, the
// records are as the journal last wrote them, and index and counts follow from the records. It
// reads a copy, so no process waits for it. A badly damaged file can make bbolt run for ever, so a
// frontend runs Check in a child process with limits.
func (l *Ledger) Check(ctx context.Context) (h Health, err error) {
	err = l.frozen(ctx, func(z *Ledger) error {
		h, err = z.audit(ctx)
		return err
	})
	return h, Explain(err)
}

// Prove does Check and CheckCopy on one copy.
func (l *Ledger) Prove(ctx context.Context) (h Health, c copyHealth, err error) {
	err = l.frozen(ctx, func(z *Ledger) error {
		if h, err = z.audit(ctx); err == nil {
			c, err = z.CheckCopy(ctx)
		}
		return err
	})
	return h, c, Explain(err)
}

// frozen calls fn with a copy of the ledger. It first brings the ledger to this program's schema, because this program checks the rows that
// it derives itself. It ignores an error of that step; the check will meet the same error.
func (l *Ledger) frozen(ctx context.Context, fn func(*Ledger) error) error {
	_ = l.ViewFacts(ctx, func(*Facts) error { return nil })
	return l.ReadCopy(ctx, fn)
}

// On is this ledger on another backend, for reading.
func (l *Ledger) On(b Backend) *Ledger {
	z := LedgerOn(b, nil)
	z.Now, z.NewID, z.home, z.steps, z.journal = l.Now, l.NewID, l.home, l.steps, l.journal
	return z
}

// audit checks a ledger that no process changes. It reads the journal and the shares of the
// records in parallel.
func (l *Ledger) audit(ctx context.Context) (Health, error) {
	all, shares := newAudit(nil), make([]*audit, runtime.GOMAXPROCS(0))
	if l.Can.OneMeta {
		all.problem([]byte("ledger"), "one of the two meta pages cannot be read: the newest commit may be missing")
	}
	view := func(a *audit, fn func() error) error {
		return l.backend.View(ctx, func(t Txn) error {
			a.txn = until{t, ctx}
			return fn()
		})
	}
	errs := make([]error, len(shares))
	var reading sync.WaitGroup
	for i := range shares {
		shares[i] = newAudit(nil)
		shares[i].share, shares[i].shares = i, len(shares)
		reading.Go(func() { errs[i] = view(shares[i], shares[i].passes) })
	}
	err := view(all, all.journal)
	reading.Wait()
	if err = cmp.Or(err, cmp.Or(errs...)); err != nil {
		return all.health, err
	}
	all.present = 0 // of rows that derive from records
	for _, x := range shares {
		all.add(x)
	}
	err = view(all, func() error {
		all.health.Revision = NewFacts(all.txn).Head().Revision
		err := all.strays(rounds)
		all.compare()
		return cmp.Or(err, all.compareHeads())
	})
	return all.health, err
}

// until is a transaction whose scans end when a context ends.
type until struct {
	Txn
	ctx context.Context
}

func (u until) Scan(r Range, visit func(key, value []byte) bool) error {
	err := u.Txn.Scan(r, func(key, value []byte) bool { return u.ctx.Err() == nil && visit(key, value) })
	return cmp.Or(err, u.ctx.Err())
}

// passes audits this audit's share of all records, and the rows that derive from them.
func (a *audit) passes() (err error) {
	for _, r := range rounds {
		err = cmp.Or(err, a.pass(r))
	}
	return err
}

// rebuild audits all records and corrects the derived rows, round by round.
func (a *audit) rebuild() error {
	for _, r := range rounds {
		a.rows, a.present = 0, 0
		err := a.pass(r)
		if err == nil {
			err = a.strays([]round{r})
		}
		if err == nil {
			err = a.repair()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Rebuild rebuilds the index, the counts and the keys of answers from the records and the journal, and returns what was wrong. It only
// reads the journal and the records. In a file it is one transaction.
func (l *Ledger) Rebuild(ctx context.Context) (h Health, err error) {
	defer l.findings.clear()
	if l.Can.Cluster != nil {
		h, err = l.rebuildShared(ctx)
		return h, Explain(err)
	}
	err = l.Update(ctx, func(f *Facts) error {
		a := newAudit(f.Txn)
		defer func() { h = a.health }()
		for _, part := range []func() error{a.journal, a.rebuild, a.compareHeads, a.repair} {
			if err := part(); err != nil {
				return err
			}
		}
		return nil
	})
	return h, Explain(err)
}

// rebuildShared is Rebuild on a cluster, whose transactions are small: it looks at a copy, and changes the parts that have not changed
// since. A row can be derived from others that are wrong, so it looks again as long as that helps.
func (l *Ledger) rebuildShared(ctx context.Context) (h Health, err error) {
	ops, _ := l.backend.Limits()
	for wrong := math.MaxInt; ; {
		var a *audit
		heads := map[model.AgentID][]byte{}
		err = l.ReadCopy(ctx, func(z *Ledger) error {
			return z.backend.View(ctx, func(t Txn) error {
				a = newAudit(t)
				err := cmp.Or(a.journal(), a.passes(), a.strays(rounds), a.compareHeads())
				for _, x := range a.fixes {
					if part := PartOf(x.key); part != "" && err == nil {
						heads[part], err = t.Get(HeadKey(part))
					}
				}
				return err
			})
		})
		found := a.health.Derived
		if h.Derived += found; err != nil || found == 0 || found >= wrong {
			return h, err
		}
		wrong = found
		for fixes := range slices.Chunk(a.fixes, ops/3) { // with each the head of its part, and what each commit writes
			err := l.Update(ctx, func(f *Facts) error {
				for _, x := range fixes {
					part := PartOf(x.key)
					if now, err := f.Txn.Get(HeadKey(part)); err != nil || !bytes.Equal(now, heads[part]) {
						return cmp.Or(err, error(model.Busy("agent %s was changed meanwhile", part).WithHint("try again")))
					}
				}
				return (&audit{txn: f.Txn, fixes: fixes}).repair()
			})
			if err != nil {
				return h, err
			}
		}
	}
}

// Prove checks the ledger on a backend. Any problem that a rebuild cannot correct is an error.
func Prove(ctx context.Context, b Backend, h Home) (Health, error) {
	l := LedgerOn(b, nil)
	l.home = h
	health, err := l.Check(ctx)
	if err == nil && health.Found > health.Derived {
		err = kv.Damaged("prove", "%d problems, the first: %s", health.Found-health.Derived, health.Problems[0])
	}
	return health, err
}

// NoSpaceToCopy turns the error of a full disk into one about the copy.
func NoSpaceToCopy(err error) error {
	if !kv.Full(err) {
		return err
	}
	return model.Refuse(model.CodeFull, "there is no space for a copy of the ledger").Because(err).
		WithHint("free some space, or name another place: TMPDIR for a proof, another FILE for a backup")
}

// ReadCopy calls fn with the ledger as it is now, for a long read. No process waits for it, and it works while a stopped process holds the
// lock.
func (l *Ledger) ReadCopy(ctx context.Context, fn func(*Ledger) error) error {
	c, err := l.backend.ReadCopy(ctx)
	if err != nil {
		return Explain(NoSpaceToCopy(err))
	}
	return errors.Join(fn(l.On(c)), c.Close())
}

// ViewFile reads the ledger file at path, even while other processes use it.
func ViewFile(path string, fn func(*Facts) error) error {
	return ReadFacts(context.Background(), kv.Copy{Path: path}, fn)
}
