package store

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// Health is what a check found.
type Health struct {
	Revision uint64
	// How much was read.
	Records, Rows, Commits, Entries int
	// Problems are the first of those Found. Derived of them are in what can be rebuilt.
	Problems       []string
	Found, Derived int
}

// Healthy: nothing was found.
func (h Health) Healthy() bool { return h.Found == 0 }

const shownProblems = 100

// Check proves a ledger: every checksum holds, the journal is whole and its hashes link,
// the records are what the journal wrote last, and index and counts are what follows from
// them. It reads a copy and keeps nobody waiting. A badly damaged file can make the
// database below run for ever, so that a frontend runs this in a child process with limits.
func (l *Ledger) Check(ctx context.Context) (h Health, err error) {
	err = l.frozen(ctx, func(z *Ledger) error {
		h, err = z.audit(ctx)
		return err
	})
	return h, explain(err)
}

// Prove is Check and CheckCopy, of one copy.
func (l *Ledger) Prove(ctx context.Context) (h Health, c copyHealth, err error) {
	err = l.frozen(ctx, func(z *Ledger) error {
		z.journal = l.journal
		if h, err = z.audit(ctx); err == nil {
			c, err = z.CheckCopy(ctx)
		}
		return err
	})
	return h, c, explain(err)
}

// frozen reads a copy that is judged by what this program derives: so the ledger is brought to its
// schema first. What keeps it from that the check itself will meet.
func (l *Ledger) frozen(ctx context.Context, fn func(*Ledger) error) error {
	_ = l.view(ctx, func(*facts) error { return nil })
	return l.ReadCopy(ctx, fn)
}

// audit proves a ledger that nobody changes: the journal, and the records in shares, side by side.
func (l *Ledger) audit(ctx context.Context) (Health, error) {
	past, now := newAudit(nil), newAudit(nil)
	others := make([]*audit, runtime.GOMAXPROCS(0)-1)
	now.shares = len(others) + 1
	if c, ok := l.backend.(ledgerCopy); ok && c.oneMeta() {
		past.problem([]byte("ledger"), "one of the two meta pages does not read: the newest commit may be missing")
	}
	view := func(a *audit, fn func() error) error {
		return l.backend.View(ctx, func(t Txn) error {
			a.txn = until{t, ctx}
			return fn()
		})
	}
	read := make(chan error, 1)
	go func() { read <- view(past, past.journal) }()
	var sharing sync.WaitGroup
	errs := make([]error, len(others))
	for i := range others {
		others[i] = newAudit(nil)
		others[i].share, others[i].shares = i+1, now.shares
		sharing.Go(func() {
			errs[i] = view(others[i], others[i].passes)
		})
	}
	err := view(now, now.passes)
	sharing.Wait()
	if err = cmp.Or(err, errors.Join(errs...)); err == nil {
		for _, x := range others {
			now.add(x)
		}
		err = view(now, func() error {
			now.facts = nil
			now.health.Revision = newFacts(now.txn).head().Revision
			return cmp.Or(now.strays(rounds), now.tally())
		})
	}
	if err = cmp.Or(<-read, err); err == nil {
		now.written = past.written
		now.compare()
	}
	return past.health.and(now.health), err
}

// until is a transaction whose scans end with a context.
type until struct {
	Txn
	ctx context.Context
}

func (u until) Scan(r Range, visit func(key, value []byte) bool) error {
	err := u.Txn.Scan(r, func(key, value []byte) bool { return u.ctx.Err() == nil && visit(key, value) })
	return cmp.Or(err, u.ctx.Err())
}

// and is what two parts of a check found.
func (h Health) and(x Health) Health {
	x.Commits, x.Entries, x.Found, x.Derived = h.Commits, h.Entries, h.Found+x.Found, h.Derived+x.Derived
	x.Problems = slices.Concat(h.Problems, x.Problems)
	x.Problems = x.Problems[:min(len(x.Problems), shownProblems)]
	return x
}

// passes audits the audit's share of all records, and what derives from them.
func (a *audit) passes() (err error) {
	for _, r := range rounds {
		err = cmp.Or(err, a.pass(r))
	}
	return err
}

// rebuild audits all records, and puts right what is found in derived rows, round by round.
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

// Rebuild makes index and counts what follows from the records, in one transaction, and
// says what was wrong. The journal and the records it only reads.
func (l *Ledger) Rebuild(ctx context.Context) (Health, error) {
	var h Health
	err := l.update(ctx, func(t Txn) error {
		a := newAudit(t)
		defer func() { h = a.health }()
		for _, part := range []func() error{a.journal, a.rebuild, a.tally, a.repair} {
			if err := part(); err != nil {
				return err
			}
		}
		return nil
	})
	l.findings.clear()
	return h, explain(err)
}
