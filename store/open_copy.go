package store

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"sync"
)

// openCopy is a ledgerCopy whose file stays open for many transactions, which may run in parallel. The pages are checked once, and the
// transactions share one mapping of the file. So the file must not change.
type openCopy struct {
	ledgerCopy
	mu     sync.Mutex // protects opened.broken
	opened *session
}

// open opens the file and checks its pages. After an error the copy is closed.
func (c ledgerCopy) open() (*openCopy, error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s, err := newSession(nil, c.path, false, 0, openChecked)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := s.checkPages(true); err != nil {
		s.close()
		return nil, errors.Join(err, c.Close())
	}
	return &openCopy{ledgerCopy: c, opened: s}, nil
}

// View implements Backend.
func (c *openCopy) View(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s := &session{db: c.opened.db, file: c.opened.file, info: c.opened.info}
	if err := s.begin(false); err != nil {
		return err
	}
	defer c.end(s)
	return s.run(fn)
}

// end ends a transaction. If it met damage in bbolt, its lock in bbolt stays, and the file is never closed.
func (c *openCopy) end(s *session) {
	s.rollback()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened.broken = cmp.Or(c.opened.broken, s.broken)
}

// Close implements Backend.
func (c *openCopy) Close() error {
	c.opened.close()
	return c.ledgerCopy.Close()
}
