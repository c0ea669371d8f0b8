package todos

import (
	"context"
	"errors"
	"time"

	"vise/model"
	"vise/store/files"
)

// lockName is the session's lock. It is never replaced and never deleted while the session
// stands; the name differs from the ".lock" that other tools make by hard link.
const lockName = ".vise.lock"

// lockLimit is how long a change waits for its turn. Holding takes milliseconds.
const lockLimit = 5 * time.Second

// locked runs do while this process alone may change the session.
func (s *Session) locked(do func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockLimit)
	defer cancel()
	f, err := files.LockBy(ctx, s.root, lockName, "the session")
	var refused *model.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case err != nil:
		return s.gone(err)
	}
	defer f.Close()
	return do()
}
