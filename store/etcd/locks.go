package etcd

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"vise/model"
)

// partLocks let the changes of one process to one part go one after the other, because they would only conflict with each other. They are
// no lock of the cluster: a change of another process is found when a commit compares the part's head.
type partLocks struct{ of sync.Map } // chan struct{} by part, full while a change has the lock

// errAgain ends a try of a change that had to wait for its lock after it had read something.
var errAgain = errors.New("the change begins again")

// partLock is the lock of one change: that of the first part that it reads. It has no other, so changes that wait for each other are in no
// circle.
type partLock struct {
	locks *partLocks
	token chan struct{} // nil before the first part is read
}

// take takes the lock of the first part that is read. What was read before it had to wait is old then, and the try ends with errAgain.
func (l *partLock) take(ctx context.Context, part model.AgentID) error {
	if l.token != nil {
		return nil
	}
	of, _ := l.locks.of.LoadOrStore(part, make(chan struct{}, 1))
	token := of.(chan struct{})
	limited, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	select {
	case token <- struct{}{}:
		l.token = token
		return nil
	default:
	}
	select {
	case token <- struct{}{}:
		l.token = token
		return errAgain
	case <-limited.Done():
		return cmp.Or(ctx.Err(), busy("agent "+string(part)))
	}
}

func (l *partLock) release() {
	if l.token != nil {
		<-l.token
	}
}
