package etcd

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// taking is a scheduler's claims that are kept up in the background.
type taking struct {
	store.Shards
	t testing.TB
}

func take(t testing.TB, b *Backend, name string) *taking {
	x := &taking{b.Shards(name), t}
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.Run(running)
	}()
	t.Cleanup(func() { stop(); <-ended })
	return x
}

// agentOf is an agent of each shard.
var agentOf = func() (all [shardCount]model.AgentID) {
	for i, left := 0, shardCount; left > 0; i++ {
		a := model.AgentID(fmt.Sprint("agent", i))
		if n := shardOf(a); all[n] == "" {
			all[n] = a
			left--
		}
	}
	return all
}()

func (x *taking) shards() (n int) {
	for _, a := range agentOf {
		if _, ok := x.Claim(ctx, a); ok {
			n++
		}
	}
	return n
}

// await waits until a scheduler has between so many shards.
func (x *taking) await(least, most int) {
	x.t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for {
		moved := x.Changed()
		if n := x.shards(); n >= least && n <= most {
			return
		}
		select {
		case <-moved:
		case <-limit.C:
			x.t.Fatalf("%d shards, want %d to %d", x.shards(), least, most)
		}
	}
}

// Schedulers have fair shares. The shards of one that is gone are taken over, and what it ticks then is not written.
func TestSchedulersDivideTheAgents(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	cable := lineTo(t, cluster.Members[0])
	cut, err := Open(Config{Endpoints: []string{cable.endpoint()}, Ledger: "l"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cut.Close() })
	l := ledgerOn(t, cut)
	first := take(t, cut, "first")
	first.await(shardCount, shardCount)
	second := take(t, open(t, cluster, "l"), "second")
	second.await(shardCount/2, shardCount/2)
	first.await(shardCount/2, shardCount/2)
	third := take(t, open(t, cluster, "l"), "third")
	third.await(1, shardCount)
	s, err := cut.Status(ctx)
	if err != nil || len(s.Schedulers) != 3 || s.Schedulers[0].Name != "first" {
		t.Errorf("%+v, %v", s.Schedulers, err)
	}

	var mine model.AgentID
	var claimed context.Context
	for _, a := range agentOf {
		if c, ok := first.Claim(ctx, a); ok {
			mine, claimed = a, c
		}
	}
	if _, err := l.Apply(ctx, envelope(mine, "item", model.CreateWorkItem{Objective: "One"})); err != nil {
		t.Fatal(err)
	}
	cable.hold(true)
	begun := time.Now()
	until(t, func() bool { return second.shards()+third.shards() == shardCount })
	took := time.Since(begun)
	t.Logf("the shards were taken over in %v", took)
	if took > shardLease+slack+shardLook {
		t.Errorf("the shards were taken over in %v", took)
	}
	cable.hold(false)
	tick := model.Envelope{Key: "tick", Actor: model.Scheduler, Agent: mine, Command: model.Tick{AgentID: mine}}
	for range 100 { // the client finds the member again
		if _, err = l.Apply(claimed, tick); code(err) != model.CodeBusy {
			break
		}
	}
	if code(err) != model.CodeStale {
		t.Errorf("the tick of a scheduler that lost the shard: %v", err)
	}
	if r, err := l.Apply(ctx, tick); err != nil || r.Replayed || r.TickKey == "" {
		t.Errorf("the same without a claim, as a driver ticks its own agent: %+v, %v", r, err)
	}
	first.await(1, shardCount) // it takes part again
}

// newest is when the cluster last said what there was, and when the newest change of another process arrived.
func (c *clocks) newest() (said, arrived time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) > 0 {
		arrived = c.seen[len(c.seen)-1].at
	}
	return c.progress, arrived
}

// A clock that differs is shown. A scheduler whose clock differs from all others by more than a minute claims nothing.
func TestClocksThatDifferAreShown(t *testing.T) {
	for name, by := range map[string]time.Duration{"ahead of": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			cluster := storetest.StartEtcd(t, 1)
			b := mirroring(t, "l", cluster.Endpoints()...)
			l, other := ledgerOn(t, b), ledgerOn(t, open(t, cluster, "l"))
			create(t, l, "ann", "own")
			x := take(t, b, "mine")
			x.await(shardCount, shardCount)
			until(t, func() bool { said, _ := b.clocks.newest(); return !said.IsZero() })
			n := 0
			change := func(by time.Duration) []model.Condition {
				t.Helper()
				other.Now = func() time.Time { return time.Now().Add(by) }
				_, before := b.clocks.newest()
				create(t, other, "ann", fmt.Sprint("other", n))
				n++
				until(t, func() bool { _, now := b.clocks.newest(); return now.After(before) })
				return b.Conditions()
			}
			if found := change(time.Second); len(found) > 0 {
				t.Errorf("a second: %+v", found)
			}
			if found := change(4 * time.Second); len(found) != 1 || found[0].Code != model.CodeClock || strings.Contains(found[0].Message, "nothing") {
				t.Errorf("four seconds: %+v", found)
			}
			for range skewOf {
				change(by)
			}
			found := change(by)
			if len(found) != 1 || !strings.Contains(found[0].Message, name) || !strings.Contains(found[0].Message, "does nothing") {
				t.Errorf("an hour: %+v", found)
			}
			x.await(0, 0)
			if err := x.Idle(); err == nil {
				t.Error("it is not said why nothing is claimed")
			}
			create(t, l, "ann", "own again")
			change(by) // comes later
			if err := b.clocks.tooFarApart(); err == nil {
				t.Error("one's own clock proves nothing")
			}
			change(0) // another clock agrees
			x.await(shardCount, shardCount)
			if err := x.Idle(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Who archives takes no part in the division of the agents.
func TestAClaimOfOtherWorkIsNoScheduler(t *testing.T) {
	b := open(t, storetest.StartEtcd(t, 1), "l")
	ledgerOn(t, b)
	_, release, err := b.Claim(ctx, "archive")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	s := b.Shards("only").(*shards)
	if err := s.look(ctx); err != nil || len(s.held()) != shardCount {
		t.Errorf("it has %d of %d shards: %v", len(s.held()), shardCount, err)
	}
}
