package etcd

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// shortest is the length of the shortest lease that a server grants.
const shortest = 2 * time.Second

// slack is how late the end of a lease can be known.
const slack = 1500 * time.Millisecond

// process is a ledger that is used as by a process of its own.
type process struct {
	*store.Ledger
	t    testing.TB
	name string
	keys int
}

// processes are so many of one ledger, each second one with a mirror.
func processes(t testing.TB, cluster *storetest.Etcd, n int) (all []*process) {
	for i := range n {
		b := open(t, cluster, "l")
		if i%2 == 1 {
			b = mirroring(t, "l", cluster.Endpoints()...)
		}
		all = append(all, &process{Ledger: ledgerOn(t, b), t: t, name: fmt.Sprint("p", i)})
	}
	return all
}

func (p *process) try(by model.Actor, c model.Command) (model.Receipt, error) {
	p.keys++
	return p.Apply(ctx, model.Envelope{Key: fmt.Sprint(p.name, "-", p.keys), Actor: by, Agent: "ann", Command: c})
}

func (p *process) do(by model.Actor, c model.Command) model.Receipt {
	p.t.Helper()
	r, err := p.try(by, c)
	if err != nil {
		p.t.Fatalf("%s: %s: %v", p.name, model.CommandName(c), err)
	}
	return r
}

func (p *process) refused(want model.Code, by model.Actor, c model.Command) {
	p.t.Helper()
	if _, err := p.try(by, c); code(err) != want {
		p.t.Errorf("%s: %s: %v, want %s", p.name, model.CommandName(c), err, want)
	}
}

func (p *process) agent() (a model.Agent, revision uint64) {
	p.t.Helper()
	err := p.View(ctx, func(r model.Reader) error {
		a, _ = r.Agent("ann")
		revision = r.Revision()
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return a, revision
}

// events is how many events the agent has.
func (p *process) events() (n int) {
	p.t.Helper()
	if err := p.View(ctx, func(r model.Reader) error {
		n = len(r.History("ann", model.Position{}, 100_000))
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
	return n
}

// lapse waits until the agent's turn is over.
func (p *process) lapse() {
	p.t.Helper()
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		a, at := p.agent()
		if !a.Turn.Runs(time.Now()) {
			return
		}
		if _, err := p.Follow(limit, at); err != nil {
			p.t.Fatal(err)
		}
	}
}

// tellsOfEnd expects that the end of the turn after a revision is news of the agent for a process with a mirror.
func (p *process) tellsOfEnd(after uint64) {
	p.t.Helper()
	p.lapse()
	if err := p.View(ctx, func(r model.Reader) error {
		if news, all := r.Changed(after); !all || !news["ann"] {
			p.t.Errorf("the end of the turn is no news: %v, %v", news, all)
		}
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) claim(lease time.Duration) int {
	p.t.Helper()
	return p.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: model.Text(p.name), TTLMS: lease.Milliseconds()}).Turn
}

// lateWrites expects that a turn takes no more writes.
func (p *process) lateWrites(turn int) {
	p.t.Helper()
	p.refused(model.CodeStale, "agent:ann", model.Round{Turn: turn, Text: "late"})
	p.refused(model.CodeStale, model.Scheduler, model.BeatTurn{AgentID: "ann", Turn: turn})
	p.refused(model.CodeStale, model.Scheduler, model.EndTurn{AgentID: "ann", Turn: turn, Outcome: model.TurnCompleted})
}

// until waits until a condition holds.
func until(t testing.TB, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(time.Minute); !holds(); <-tick.C {
		if time.Now().After(limit) {
			t.Fatal("waited a minute")
		}
	}
}

func TestOneOfManyProcessesGetsATurn(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	all := processes(t, cluster, 8)
	all[0].do(model.Operator, model.AddAgent{AgentID: "ann"})
	for round := range storetest.Amount(15, 300) {
		var mu sync.Mutex
		var got []*process
		var begin, end sync.WaitGroup
		begin.Add(1)
		for _, p := range all {
			end.Go(func() {
				begin.Wait()
				_, err := p.try(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: model.Text(p.name)})
				mu.Lock()
				defer mu.Unlock()
				switch c := code(err); {
				case err == nil:
					got = append(got, p)
				case c != model.CodeStale && c != model.CodeRefused:
					t.Errorf("%s: %v", p.name, err)
				}
			})
		}
		begin.Done()
		end.Wait()
		if len(got) != 1 {
			t.Fatalf("round %d: %d processes have the turn", round, len(got))
		}
		a, _ := all[2*round%len(all)].agent() // without a mirror, which can lag
		if a.Turn == nil || a.Turn.Index != round+1 || a.Turn.Holder.Raw() != got[0].name {
			t.Errorf("round %d: %s has the turn, and another process reads %+v", round, got[0].name, a.Turn)
		}
		got[0].do(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: round + 1, Outcome: model.TurnCompleted})
	}
	if h, err := all[0].Check(ctx); err != nil || !h.Healthy() {
		t.Errorf("check: %q, %v", h.Problems, err)
	}
}

// A turn runs as long as it is renewed. Beats are no changes of the ledger. When they end, the turn is soon over for everybody, and its
// holder writes nothing more.
func TestATurnLivesAsLongAsItsLease(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	for i, name := range []string{"cluster", "mirror"} {
		t.Run(name, func(t *testing.T) {
			all := processes(t, cluster, 4)
			holder, other := all[i], all[3-i]
			other.do(model.Operator, model.CreateWorkItem{Objective: "One"})
			turn := holder.claim(shortest)
			before := holder.events()
			until(t, func() bool { a, _ := other.agent(); return a.Turn.Runs(time.Now()) }) // it can lag
			tick := time.NewTicker(shortest / 4)
			defer tick.Stop()
			for begun := time.Now(); time.Since(begun) < 2*shortest; <-tick.C {
				holder.do(model.Scheduler, model.BeatTurn{AgentID: "ann", Turn: turn, TTLMS: shortest.Milliseconds()})
				if a, _ := other.agent(); !a.Turn.Runs(time.Now()) {
					t.Fatalf("the turn is over after %v, and was renewed", time.Since(begun))
				}
			}
			if n := holder.events(); n != before {
				t.Errorf("beats made %d events", n-before)
			}
			holder.do(model.Scheduler, model.BeatTurn{AgentID: "ann", Turn: turn})
			last := time.Now()
			_, at := all[3].agent()
			other.lapse()
			took := time.Since(last)
			all[3].tellsOfEnd(at)
			t.Logf("the turn was over %v after its last beat", took)
			if took < shortest-time.Second/2 || took > shortest+slack {
				t.Errorf("a lease of %v was over after %v", shortest, took)
			}
			holder.lateWrites(turn)
			if n := holder.events(); n != before {
				t.Errorf("late writes made %d events", n-before)
			}
			next := other.claim(shortest)
			holder.lateWrites(turn)
			other.do("agent:ann", model.Round{Turn: next, Text: "in time"})
			other.do(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: next, Outcome: model.TurnCompleted})
		})
	}
}

// What was judged while the turn lived is not written if it does not at the commit, and is not judged again.
func TestALeaseThatEndsBeforeTheCommitEndsTheChange(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	client, err := clientv3.New(clientv3.Config{Endpoints: cluster.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for name, b := range map[string]*Backend{"cluster": open(t, cluster, "l"), "mirror": mirroring(t, "l", cluster.Endpoints()...)} {
		t.Run(name, func(t *testing.T) {
			slow := &late{Backend: b}
			p := &process{Ledger: ledgerOn(t, slow), t: t, name: name}
			p.do(model.Operator, model.CreateWorkItem{Objective: "One"})
			for _, c := range []func(turn int) (model.Actor, model.Command){
				func(turn int) (model.Actor, model.Command) { return "agent:ann", model.Round{Turn: turn, Text: "late"} },
				func(turn int) (model.Actor, model.Command) {
					return model.Scheduler, model.EndTurn{AgentID: "ann", Turn: turn, Outcome: model.TurnCompleted}
				},
			} {
				turn := p.claim(time.Hour)
				before := p.events()
				slow.before = func() {
					r, err := client.Get(ctx, b.root+liveOf("ann"))
					if err == nil && len(r.Kvs) == 1 {
						_, err = client.Revoke(ctx, clientv3.LeaseID(r.Kvs[0].Lease))
					}
					if err != nil || len(r.Kvs) != 1 {
						t.Errorf("%d leases, %v", len(r.Kvs), err)
					}
				}
				by, command := c(turn)
				p.refused(model.CodeStale, by, command)
				if n := p.events(); n != before {
					t.Errorf("%s was written", model.CommandName(command))
				}
			}
			p.do(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: p.claim(time.Hour), Outcome: model.TurnCompleted})
		})
	}
}

// A holder's command that is sent twice at once finds its answer, although the turn has ended by it.
func TestTheEndOfATurnIsAnsweredAgain(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	other := ledgerOn(t, open(t, cluster, "l"))
	for name, b := range map[string]*Backend{"cluster": open(t, cluster, "l"), "mirror": mirroring(t, "l", cluster.Endpoints()...)} {
		slow := &late{Backend: b}
		p := &process{Ledger: ledgerOn(t, slow), t: t, name: name}
		p.do(model.Operator, model.AddAgent{AgentID: "ann"})
		end := model.Envelope{Key: name + "-end", Actor: model.Scheduler, Agent: "ann",
			Command: model.EndTurn{AgentID: "ann", Turn: p.claim(time.Hour), Outcome: model.TurnCompleted}}
		slow.before = func() {
			if r, err := other.Apply(ctx, end); err != nil || r.Replayed {
				t.Errorf("%s: the other gets %+v, %v", name, r, err)
			}
		}
		for range 2 {
			if r, err := p.Apply(ctx, end); err != nil || !r.Replayed {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
	}
}

func TestAClockThatIsHoursWrongGivesAndTakesNothing(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	all := processes(t, cluster, 6)
	holder, wrong := all[0], all[2:]
	for i, p := range wrong {
		by := []time.Duration{-9 * time.Hour, 9 * time.Hour}[i/2]
		p.Now = func() time.Time { return time.Now().Add(by) }
	}
	holder.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	turn := holder.claim(shortest)
	for _, p := range wrong {
		p.refused(model.CodeRefused, model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "x"})
		if in := p.do(model.Scheduler, model.Tick{AgentID: "ann"}); in.Turn != 0 {
			t.Errorf("%s has ended turn %d", p.name, in.Turn)
		}
		p.do("agent:ann", model.Round{Turn: turn, Text: "here"})
		p.do(model.Scheduler, model.BeatTurn{AgentID: "ann", Turn: turn})
	}
	holder.lapse()
	for _, p := range wrong {
		p.lateWrites(turn)
		turn = p.claim(shortest) // by a clock that says anything
		if a, _ := holder.agent(); !a.Turn.Runs(time.Now()) {
			t.Errorf("%s does not have its turn", p.name)
		}
		holder.lapse()
	}
}

// With a mirror, a beat asks for its lease and nothing else, and the rest of a turn takes few requests for each change.
func TestATurnTakesFewRequests(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b := mirroring(t, "l", cluster.Endpoints()...)
	p := &process{Ledger: ledgerOn(t, b), t: t, name: "p"}
	c := count(b)
	do := func(most int64, by model.Actor, x model.Command) int {
		t.Helper()
		before := c.requests.Load()
		r := p.do(by, x)
		if n := c.requests.Load() - before; n > most {
			t.Errorf("%s took %d requests, want at most %d", model.CommandName(x), n, most)
		}
		return r.Turn
	}
	p.do(model.Operator, model.AddAgent{AgentID: "ann"})
	for i := range 4 {
		most := []int64{9, 3}[min(i, 1)]
		turn := do(most, model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "p"})
		do(most, "agent:ann", model.Round{Turn: turn, Text: "here"})
		do(1, model.Scheduler, model.BeatTurn{AgentID: "ann", Turn: turn})
		do(most, model.Scheduler, model.EndTurn{AgentID: "ann", Turn: turn, Outcome: model.TurnCompleted})
	}
}
