package home

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// bench is a ledger in memory with schedulers, in a bubble with its own time.
type bench struct {
	t      *testing.T
	ledger *store.Ledger
	ctx    context.Context
	keys   atomic.Int64
	// asked counts the schedulers' calls of the ledger.
	views, applies atomic.Int64
}

func bubble(t *testing.T, test func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		b := &bench{t: t, ledger: store.NewMem(nil), ctx: ctx}
		b.do(model.Operator, model.AddAgent{AgentID: "ann"})
		test(b)
		cancel()
		synctest.Wait()
	})
}

func (b *bench) key() string { return fmt.Sprint("k", b.keys.Add(1)) }

func (b *bench) do(by model.Actor, c model.Command) model.Receipt {
	b.t.Helper()
	in, err := b.ledger.Apply(b.ctx, model.Envelope{Key: b.key(), Actor: by, Agent: "ann", Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
	return in
}

// counting is a ledger that counts its calls.
type counting struct {
	*store.Ledger
	b *bench
}

func (c counting) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	c.b.applies.Add(1)
	return c.Ledger.Apply(ctx, e)
}

func (c counting) View(ctx context.Context, fn func(model.Reader) error) error {
	c.b.views.Add(1)
	return c.Ledger.View(ctx, fn)
}

// start runs a scheduler until the bubble ends.
func (b *bench) start(alive func(model.Process) bool) {
	s := &Scheduler{Ledger: counting{b.ledger, b}, NewKey: b.key, Alive: alive, Report: func(_ model.AgentID, err error) {
		if err != nil {
			b.t.Errorf("scheduler: %v", err)
		}
	}}
	go func() {
		if err := s.Run(b.ctx); err != context.Canceled {
			b.t.Errorf("scheduler ended with %v", err)
		}
	}()
}

func (b *bench) pass(d time.Duration) {
	time.Sleep(d) // the bubble's time
	synctest.Wait()
}

// count returns the number of events of a kind in the journal.
func (b *bench) count(kind model.EventKind) int {
	n := 0
	b.view(func(r model.Reader) {
		for _, e := range r.History("", model.Position{}, 10_000) {
			if e.Kind == kind {
				n++
			}
		}
	})
	return n
}

func (b *bench) view(fn func(model.Reader)) {
	b.t.Helper()
	if err := b.ledger.View(b.ctx, func(r model.Reader) error { fn(r); return nil }); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) want(kind model.EventKind, n int) {
	b.t.Helper()
	if got := b.count(kind); got != n {
		b.t.Errorf("%d events %s, want %d", got, kind, n)
	}
}

func (b *bench) waiting(w model.WaitFor) model.ItemID {
	item := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
	w.WorkItemID, w.Reason = item, "because"
	b.do(model.Operator, w)
	return item
}

func TestPauseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := Pause(ctx, time.Hour); err == nil {
			t.Error("it went on after its context had ended")
		}
		if err := Pause(t.Context(), time.Hour); err != nil {
			t.Error(err)
		}
	})
}

func TestATimerFiresAtItsTimeAndOnceHoweverManySchedulersRun(t *testing.T) {
	bubble(t, func(b *bench) {
		b.waiting(model.WaitFor{Wake: model.WakeTimer, WakeAt: time.Now().Add(time.Hour)})
		for range 3 {
			b.start(nil)
		}
		b.pass(time.Hour - time.Second)
		b.want(model.EventWaitTriggered, 0)
		b.pass(2 * time.Second)
		b.want(model.EventWaitTriggered, 1)
		b.want(model.EventTickEmitted, 1)
	})
}

func TestASchedulerThatStartsLateCatchesUpOnceAndInOrder(t *testing.T) {
	bubble(t, func(b *bench) {
		var order []model.ItemID
		hour := time.Hour.Milliseconds()
		order = append(order, b.waiting(model.WaitFor{Wake: model.WakeTimer, WakeAt: time.Now().Add(2 * time.Hour)}))
		order = append(order, b.waiting(model.WaitFor{Wake: model.WakeTimer, WakeAt: time.Now().Add(time.Hour)}))
		b.waiting(model.WaitFor{Wake: model.WakeExternal, Resource: "x", RecheckAfterMS: &hour})
		b.pass(24 * time.Hour)
		b.start(nil)
		b.start(nil)
		b.pass(time.Second)
		b.want(model.EventWaitTriggered, 2)
		b.want(model.EventRecheckConsumed, 1)
		var fired []model.ItemID
		b.view(func(r model.Reader) {
			for _, e := range r.History("", model.Position{}, 1000) {
				if e.Kind == model.EventWaitTriggered {
					fired = append(fired, e.WorkItemID)
				}
			}
		})
		if len(fired) != 2 || fired[0] != order[1] || fired[1] != order[0] {
			t.Errorf("fired %v, want %v and then %v", fired, order[1], order[0])
		}
	})
}

func TestAnIdleSchedulerAsksForNothing(t *testing.T) {
	bubble(t, func(b *bench) {
		b.waiting(model.WaitFor{Wake: model.WakeOperatorInput})
		b.start(nil)
		b.pass(time.Second)
		views, applies := b.views.Load(), b.applies.Load()
		b.pass(24 * time.Hour)
		if v, a := b.views.Load()-views, b.applies.Load()-applies; v != 0 || a != 0 {
			t.Errorf("in a day with nothing due it read %d times and wrote %d times", v, a)
		}
	})
}

func TestAFirstPassReadsEachAgentOnce(t *testing.T) {
	bubble(t, func(b *bench) {
		for n := range agentsAtOnce {
			b.do(model.Operator, model.AddAgent{AgentID: model.AgentID(fmt.Sprint("idle-", n))})
		}
		b.start(nil)
		b.pass(time.Second)
		if n := b.views.Load(); n != 2 {
			t.Errorf("it read %d times", n)
		}
	})
}

func TestALeaseThatRanOutIsSweptAndWorkIsOfferedAgain(t *testing.T) {
	bubble(t, func(b *bench) {
		b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
		b.start(nil)
		b.pass(time.Second)
		b.want(model.EventTickEmitted, 1)
		var key string
		b.view(func(r model.Reader) { a, _ := r.Agent("ann"); key = a.Offered.Key })
		b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "a driver", Tick: key})
		b.pass(model.DefaultLease - time.Second)
		b.want(model.EventTurnEnded, 0)
		b.pass(2 * time.Second)
		b.want(model.EventTurnEnded, 1)
		b.want(model.EventTickEmitted, 2)
	})
}

func TestATaskWhoseSupervisorIsGoneEndsAndTriggersItsWaits(t *testing.T) {
	bubble(t, func(b *bench) {
		var dead atomic.Bool
		item := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
		task := b.do(model.Operator, model.StartTask{WorkItemID: item, Summary: "sleep", Run: model.TaskRun{Supervisor: model.Process{PID: 7, Start: "1"}}}).TaskID
		b.do(model.Operator, model.WaitFor{WorkItemID: item, Reason: "it", Wake: model.WakeTaskResult, Resource: model.Text(task)})
		b.start(func(p model.Process) bool { return p.PID != 7 || !dead.Load() })
		b.start(func(p model.Process) bool { return p.PID != 7 || !dead.Load() })
		b.pass(time.Hour)
		b.want(model.EventTaskEnded, 0)
		dead.Store(true)
		b.pass(2 * sweepEvery)
		b.want(model.EventTaskEnded, 1)
		b.want(model.EventWaitTriggered, 1)
		b.pass(24 * time.Hour) // until its item is stalled
		views := b.views.Load()
		b.pass(time.Hour)
		if b.views.Load() != views {
			t.Errorf("it goes on reading although no task runs")
		}
	})
}

// A turn is over when its holder is known to have died, however long its lease is, also if that is noticed only later.
func TestATurnWhoseHolderIsGoneIsOver(t *testing.T) {
	for _, atStart := range []bool{false, true} {
		bubble(t, func(b *bench) {
			var dead atomic.Bool
			b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
			b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "a driver", TTLMS: time.Hour.Milliseconds(), Process: model.Process{PID: 7}})
			dead.Store(atStart)
			alive := func(p model.Process) bool { return p.PID != 7 || !dead.Load() }
			b.start(alive)
			b.start(alive)
			if !atStart {
				b.pass(time.Minute)
				b.want(model.EventTurnEnded, 0)
				dead.Store(true)
			}
			b.pass(sweepEvery + time.Second)
			b.want(model.EventTurnEnded, 1)
			b.want(model.EventTickEmitted, 1)
			b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "another driver"})
			b.pass(sweepEvery + time.Second)
			b.want(model.EventTurnEnded, 1)
			if next, err := (&Scheduler{Ledger: b.ledger, NewKey: b.key, Alive: alive}).Settle(b.ctx, "ann"); err != nil || !next.After(time.Now()) {
				t.Errorf("the next turn is looked at %v, %v", next, err)
			}
		})
	}
}

// A clock that was set back by an hour makes no lease longer than its length.
func TestAClockSetBackMakesNoLeaseLonger(t *testing.T) {
	bubble(t, func(b *bench) {
		var back atomic.Int64
		b.ledger.Now = func() time.Time { return time.Now().Add(-time.Duration(back.Load())) }
		b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
		b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "a driver"})
		ctx, stop := context.WithCancel(b.ctx)
		defer stop()
		go (&Scheduler{Ledger: b.ledger, Now: b.ledger.Now, NewKey: b.key}).Run(ctx)
		b.pass(time.Second)
		back.Store(int64(time.Hour))
		b.pass(longest + model.DefaultLease)
		b.want(model.EventTurnEnded, 1)
	})
}

func TestAutoPickTakesTheFirstQueuedItemWhereItIsAllowed(t *testing.T) {
	bubble(t, func(b *bench) {
		first := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
		b.pass(time.Second)
		b.do(model.Operator, model.CreateWorkItem{Objective: "Two"})
		b.start(nil)
		b.pass(time.Second)
		b.want(model.EventWorkItemPicked, 0)
		yes := true
		b.do(model.Operator, model.UpdateAgent{AgentID: "ann", AutoPick: &yes})
		b.pass(3 * time.Second)
		b.want(model.EventWorkItemPicked, 1)
		b.view(func(r model.Reader) {
			if w, _ := model.Focus(r, "ann"); w.ID != first {
				t.Errorf("focus %s, want %s", w.ID, first)
			}
		})
	})
}

func TestAnAgentAddedLaterIsLookedAtToo(t *testing.T) {
	bubble(t, func(b *bench) {
		b.start(nil)
		b.pass(time.Second)
		if _, err := b.ledger.Apply(b.ctx, model.Envelope{Key: b.key(), Actor: "agent:bob", Command: model.CreateWorkItem{Objective: "One"}}); err != nil {
			t.Fatal(err)
		}
		b.pass(3 * time.Second)
		b.want(model.EventTickEmitted, 1)
	})
}

// turns starts a driver that looks once a minute. Its program does nothing.
func TestAfterManyChangesEveryAgentIsLookedAt(t *testing.T) {
	bubble(t, func(b *bench) {
		for range 300 { // more than are read to find out their agents
			b.do(model.Operator, model.Say{AgentID: "ann", Text: "x"})
		}
		b.do(model.Operator, model.AddAgent{AgentID: "zoe"})
		p := &schedule{Scheduler: &Scheduler{Ledger: b.ledger, Shards: kv.AllAgents{}}, next: map[model.AgentID]time.Time{}}
		if err := p.changed(b.ctx); err != nil || len(p.next) != 2 {
			t.Errorf("due are %v, %v", p.next, err)
		}
		b.do(model.Operator, model.Say{AgentID: "zoe", Text: "x"})
		clear(p.next)
		if err := p.changed(b.ctx); err != nil || len(p.next) != 1 {
			t.Errorf("due are %v, %v", p.next, err)
		}
	})
}

func (b *bench) turns(minutes int) {
	for range minutes {
		b.pass(time.Minute)
		var tick string
		var due bool
		b.view(func(r model.Reader) { tick, due = model.TurnDue(r, "ann", time.Now()) })
		if due {
			in := b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "h", Tick: tick})
			b.do(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: in.Turn, Outcome: model.TurnCompleted})
		}
	}
}

func TestAWorkItemThatNeverMovesStallsInsteadOfSpinning(t *testing.T) {
	bubble(t, func(b *bench) {
		b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
		b.start(nil)
		b.start(nil)
		b.pass(24 * time.Hour)
		b.want(model.EventTickEmitted, 1) // nobody drives
		b.turns(24 * 60)
		b.want(model.EventTickEmitted, 5)
		b.want(model.EventTurnStarted, 5)
		b.want(model.EventStalled, 1)
	})
}

func TestAQuietAgentWithAQueueHasFewTurns(t *testing.T) {
	bubble(t, func(b *bench) {
		for range 31 {
			b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
		}
		b.start(nil)
		b.turns(60)
		b.want(model.EventTurnStarted, 6)
	})
}
