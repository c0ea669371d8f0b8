package etcd

import (
	"context"
	"errors"
	"sync"
	"time"

	"vise/model"
)

// turns let the changes of one process to one part go one after the other: among themselves they would only conflict. A change waits for
// the turn of the first part that it meets, and then begins again with what is newest. It holds one turn at most, so none waits for
// another in a circle. Changes of other processes are met at the commit alone.
type turns struct {
	mu sync.Mutex // protects of
	of map[model.AgentID]*turn
}

type turn struct {
	token chan struct{} // full while somebody has the turn
	users int           // that have it or wait for it
}

// errAgain ends a try of a change that has to wait for its turn.
var errAgain = errors.New("the change begins again")

func (ts *turns) use(part model.AgentID, by int) *turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	x := ts.of[part]
	if x == nil {
		x = &turn{token: make(chan struct{}, 1)}
		if ts.of == nil {
			ts.of = map[model.AgentID]*turn{}
		}
		ts.of[part] = x
	}
	if x.users += by; x.users == 0 {
		delete(ts.of, part)
	}
	return x
}

// turnOf is the turn of one change.
type turnOf struct {
	turns *turns
	part  model.AgentID // empty before the first part is met
	has   bool
}

// meet takes the turn of the first part that is met, if it is free. Otherwise wait has to take it.
func (o *turnOf) meet(part model.AgentID) error {
	if o.part != "" {
		return nil
	}
	o.part = part
	select {
	case o.turns.use(part, 1).token <- struct{}{}:
		o.has = true
		return nil
	default:
		return errAgain
	}
}

// wait waits for the turn if meet could not take it. It reports whether it did.
func (o *turnOf) wait(ctx context.Context) (bool, error) {
	if o.has || o.part == "" {
		return false, nil
	}
	limit := time.NewTimer(maxTime)
	defer limit.Stop()
	select {
	case o.turns.use(o.part, 0).token <- struct{}{}:
		o.has = true
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	case <-limit.C:
		return false, busy("agent " + string(o.part))
	}
}

// end gives the turn to the next one.
func (o *turnOf) end() {
	if o.part == "" {
		return
	}
	x := o.turns.use(o.part, -1)
	if o.has {
		<-x.token
	}
}
