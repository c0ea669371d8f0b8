package etcd

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
)

// How far clocks may differ before it is shown, and before this process's scheduler does nothing.
const (
	skewShown = 2 * time.Second
	skewStops = time.Minute
)

// The changes by which clocks are compared: so many of the newest ones, and not older.
const (
	skewOf   = 16
	skewKept = 10 * time.Minute
)

// judging is about the longest time from a change's own time to its commit: it waits for its turn, is judged again and is sent again.
const judging = 3 * maxTime

// clocks compares this process's clock with those of others, by the times in their changes. A change that arrives was committed after the
// cluster last said what there was. So a time that is later than now, or earlier than that by more than judging takes, is of another clock.
// Who is right is not known.
type clocks struct {
	mu       sync.Mutex // protects the rest
	progress time.Time  // when the cluster last said what there was
	own      map[string]string
	seen     []skew // the newest last
}

// skew is how far the time of a change was ahead of this clock, and when it arrived.
type skew struct {
	ahead time.Duration
	at    time.Time
}

// send notes the heads that a commit of this process writes.
func (c *clocks) send(t *txn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for part := range t.heads {
		if value, ok := t.writes[tableHead+string(part)]; ok {
			if c.own == nil {
				c.own = map[string]string{}
			}
			c.own[headOf(part)] = string(value)
		}
	}
}

// compare compares the times of changes that arrived.
func (c *clocks) compare(root string, events []*clientv3.Event, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.progress
	c.progress = now
	if before.IsZero() {
		return
	}
	for _, e := range events {
		path, value := string(e.Kv.Key[len(root):]), string(e.Kv.Value)
		if e.Type == mvccpb.DELETE || !strings.HasPrefix(path, spaceShown+tableHead) {
			continue
		}
		if c.own[path] == value {
			delete(c.own, path)
			continue
		}
		if at, err := store.ChangedAt(partAt(path), e.Kv.Value); err == nil { // damage is reported by those who read it
			c.seen = append(c.seen, skew{max(at.Sub(now), 0) + min(at.Sub(before)+judging, 0), now})
		}
	}
	c.seen = slices.Clone(c.seen[max(0, len(c.seen)-skewOf):])
}

// apart is how far other clocks are ahead of this one: that which differs most, and that which differs least.
func (c *clocks) apart() (most, least time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(c.seen), func(s skew) bool { return time.Since(s.at) > skewKept })
	if len(all) == 0 {
		return 0, 0
	}
	slices.SortFunc(all, func(a, b skew) int { return int(a.ahead.Abs() - b.ahead.Abs()) })
	return all[len(all)-1].ahead, all[0].ahead
}

// tooFarApart is why this process's scheduler does nothing: every clock that it has heard of differs too much.
func (c *clocks) tooFarApart() error {
	if _, least := c.apart(); least.Abs() <= skewStops {
		return nil
	}
	return errors.New("the scheduler of this process does nothing: its clock differs from others by more than a minute")
}

// conditions tell that clocks differ, if they do.
func (c *clocks) conditions() []model.Condition {
	most, _ := c.apart()
	if most.Abs() <= skewShown {
		return nil
	}
	how := "ahead of"
	if most < 0 {
		how = "behind"
	}
	message := "a change came from a clock that is " + most.Abs().Round(time.Second).String() + " " + how + " that of this machine"
	if err := c.tooFarApart(); err != nil {
		message += "; " + err.Error()
	}
	return []model.Condition{{Code: model.CodeClock, Message: message,
		Hint: "set the clocks of all machines (NTP); who holds a turn does not depend on them"}}
}
