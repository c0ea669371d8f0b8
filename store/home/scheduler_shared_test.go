package home

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
)

// share is the claims of a scheduler, which the test makes.
type share struct {
	mu    sync.Mutex // protects the rest
	mine  map[model.AgentID]bool
	idle  error
	moved chan struct{}
}

func (s *share) Run(ctx context.Context) { <-ctx.Done() }

func (s *share) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

func (s *share) Claim(ctx context.Context, id model.AgentID) (context.Context, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ctx, s.mine[id]
}

func (s *share) Idle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle
}

func (s *share) set(idle error, mine ...model.AgentID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mine, s.idle = map[model.AgentID]bool{}, idle
	for _, id := range mine {
		s.mine[id] = true
	}
	close(s.moved)
	s.moved = make(chan struct{})
}

// A scheduler settles the agents that it has claimed, those that it takes over at once, and says why it settles none.
func TestASchedulerSettlesTheAgentsThatItHasClaimed(t *testing.T) {
	bubble(t, func(b *bench) {
		b.do(model.Operator, model.AddAgent{AgentID: "bob"})
		s := &share{moved: make(chan struct{})}
		s.set(nil, "bob")
		said := make(chan error, 10)
		scheduler := &Scheduler{Ledger: b.ledger, NewKey: b.key, Shards: s, Report: func(_ model.AgentID, err error) {
			if err != nil {
				said <- err
			}
		}}
		go func() { _ = scheduler.Run(b.ctx) }()
		b.waiting(model.WaitFor{Wake: model.WakeTimer, WakeAt: time.Now().Add(time.Hour)})
		b.pass(2 * time.Hour)
		b.want(model.EventWaitTriggered, 0)
		s.set(nil, "ann", "bob")
		b.pass(time.Second)
		b.want(model.EventWaitTriggered, 1)
		b.waiting(model.WaitFor{Wake: model.WakeTimer, WakeAt: time.Now().Add(time.Hour)})
		b.pass(time.Second)
		s.set(errors.New("its clock is wrong"))
		b.pass(2 * time.Hour)
		b.want(model.EventWaitTriggered, 1)
		if err := <-said; err.Error() != "its clock is wrong" {
			t.Error(err)
		}
		s.set(nil, "ann")
		b.pass(time.Second)
		b.want(model.EventWaitTriggered, 2)
	})
}

// barring is a ledger whose cluster does not permit the user to change it.
type barring struct {
	Ledger
	asked atomic.Int32
}

func (l *barring) Apply(context.Context, model.Envelope) (model.Receipt, error) {
	l.asked.Add(1)
	return model.Receipt{}, model.Refuse(model.CodeRefused, "not permitted").At("home")
}

// The scheduler of a user who only reads a cluster does not ask it at each change of others.
func TestASchedulerThatMayNotChangeAnAgentSeldomTries(t *testing.T) {
	bubble(t, func(b *bench) {
		s := &share{moved: make(chan struct{})}
		s.set(nil, "ann")
		l := &barring{Ledger: b.ledger}
		scheduler := &Scheduler{Ledger: l, NewKey: b.key, Shards: s, Report: func(_ model.AgentID, err error) {
			if err != nil {
				t.Error(err)
			}
		}}
		go func() { _ = scheduler.Run(b.ctx) }()
		for tried := range int32(3) {
			for range 20 {
				b.waiting(model.WaitFor{Wake: model.WakeTimer, WakeAt: time.Now().Add(time.Second)})
				b.pass(2 * time.Second)
			}
			if n := l.asked.Load(); n != tried+1 {
				t.Errorf("after %d minutes it has tried %d times", tried, n)
			}
			b.pass(BarredFor)
		}
	})
}

// The end of a task is found out on the machine of its supervisor, whoever looks at its agent.
func TestATaskOfAnotherSchedulersAgentIsWatched(t *testing.T) {
	bubble(t, func(b *bench) {
		run := model.TaskRun{Supervisor: model.Process{PID: 7, Host: "here"}}
		id := b.do(model.Operator, model.StartTask{Summary: "sleep", Run: run}).TaskID
		s := &share{moved: make(chan struct{})}
		var gone atomic.Bool
		scheduler := &Scheduler{Ledger: b.ledger, NewKey: b.key, Shards: s, Alive: func(model.Process) bool { return !gone.Load() }}
		go func() { _ = scheduler.Run(b.ctx) }()
		b.pass(time.Minute)
		gone.Store(true)
		b.pass(2 * sweepEvery)
		b.view(func(r model.Reader) {
			if x, _ := r.Task(id); x.Status != model.TaskInterrupted {
				t.Errorf("the task is %s", x.Status)
			}
		})
	})
}
