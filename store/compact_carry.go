package store

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
)

// catchUp carries over what has changed since, until little is left for the last time.
func (c *compaction) catchUp(ctx context.Context) error {
	if c.held {
		return nil
	}
	for range catchUps {
		if err := c.list.catchUp(); err != nil || len(c.list.pending) < carryAtOnce/2 {
			return err
		}
		for len(c.list.pending) > 0 {
			keys := c.list.take(carryAtOnce)
			var values [][]byte
			err := c.look(ctx, func(_ *session, t Txn) (err error) {
				values, err = valuesOf(t, keys)
				return err
			}, nil)
			if err == nil {
				err = c.carry(keys, values)
			}
			if err := errors.Join(err, ctx.Err()); err != nil {
				return err
			}
		}
	}
	return nil
}

func valuesOf(t Txn, keys []string) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, k := range keys {
		v, err := t.Get([]byte(k))
		if err != nil {
			return nil, err
		}
		if v != nil {
			values[i] = append([]byte{}, v...)
		}
	}
	return values, nil
}

// carry makes keys in the draft what they are in the ledger, and puts that on the disk.
func (c *compaction) carry(keys []string, values [][]byte) error {
	if len(keys) == 0 {
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s, err := openSession(c.machine, c.draft.Name(), true, 0)
	if err != nil {
		return err
	}
	defer s.close()
	if !os.SameFile(c.own, s.info) {
		return errOvertaken
	}
	err = s.run(func(t Txn) error {
		for i, k := range keys {
			put := t.Delete([]byte(k))
			if values[i] != nil {
				put = t.Put([]byte(k), values[i])
			}
			if put != nil {
				return put
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.commit()
}
