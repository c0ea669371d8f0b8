package etcd

import (
	"context"
	"errors"
	"sync"

	"vise/model"
)

// partLocks let the changes of one process to one part go one after the other, because they would only conflict with each other. They are
// no lock of the cluster: a change of another process is found when a commit compares the part's head.
type partLocks struct{ of sync.Map } // chan struct{} by part, full while a change has the lock

// errAgain ends a try of a change that has to wait for its lock.
var errAgain = errors.New("the change begins again")

// partLock is the lock that one change holds or waits for: that of the first part that it reads. It has no other, so changes that wait for
// each other are in no circle.
type partLock struct {
	locks *partLocks
	part  model.AgentID // empty before the first part is read
	token chan struct{}
	held  bool
}

// take takes the lock of the first part that is read, if it is free. Otherwise the try ends with errAgain, and wait has to take it.
func (l *partLock) take(part model.AgentID) error {
	if l.part != "" {
		return nil
	}
	token, _ := l.locks.of.LoadOrStore(part, make(chan struct{}, 1))
	l.part, l.token = part, token.(chan struct{})
	select {
	case l.token <- struct{}{}:
		l.held = true
		return nil
	default:
		return errAgain
	}
}

// wait waits for the lock if take could not take it, and reports whether it did. What the change has read is old then.
func (l *partLock) wait(ctx context.Context) (waited bool, err error) {
	if l.held || l.part == "" {
		return false, nil
	}
	limited, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	select {
	case l.token <- struct{}{}:
		l.held = true
		return true, nil
	case <-limited.Done():
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, busy("agent " + string(l.part))
	}
}

func (l *partLock) release() {
	if l.held {
		<-l.token
	}
}
