package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/kv"
)

// planned is a ledger in memory with real plan files, and how many of them its transactions
// made.
type planned struct {
	files.Home
	*store.Ledger
	inside int
}

func newPlanned(t *testing.T, b store.Backend) *planned {
	t.Helper()
	at, err := files.NewHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &planned{Home: at}
	p.Ledger = on(t, b, p)
	return p
}

func (p *planned) CreatePlan(agent model.AgentID, item model.ItemID, seed string) (bool, error) {
	p.inside++
	return p.Home.CreatePlan(agent, item, seed)
}

// have fails the test unless the agent's plans are exactly these, and nothing else lies
// there.
func (p *planned) have(t *testing.T, agent model.AgentID, want map[model.ItemID]string) {
	t.Helper()
	found, err := os.ReadDir(p.ItemsDir(agent))
	if err != nil && len(want) > 0 {
		t.Fatal(err)
	}
	for _, dir := range found {
		seed, ok := want[model.ItemID(dir.Name())]
		raw, err := os.ReadFile(filepath.Join(p.ItemsDir(agent), dir.Name(), "plan.md"))
		if !ok || err != nil || string(raw) != seed {
			t.Errorf("%s: %q, %v; wanted %v, %q", dir.Name(), raw, err, ok, seed)
		}
	}
	if len(found) != len(want) {
		t.Errorf("%d directories of items, want %d", len(found), len(want))
	}
}

// The plan of a new item is made before its transaction, except for the first item of an
// agent, because others share the directories of that one.
func TestAPlanIsMadeBeforeItsTransaction(t *testing.T) {
	p := newPlanned(t, kv.NewMemory())
	want := map[model.ItemID]string{}
	made := func(e model.Envelope, inside int, seed string) model.Receipt {
		t.Helper()
		r := apply(t, p.Ledger, e)
		want[r.WorkItemID] = seed
		if p.inside != inside {
			t.Errorf("%+v: %d plans were made inside, want %d", e.Command, p.inside, inside)
		}
		return r
	}
	first := made(asAgent("ada", "1", model.CreateWorkItem{Objective: "first"}), 1, "")
	made(asAgent("ada", "2", model.CreateWorkItem{Objective: "empty"}), 1, "")
	made(asAgent("ada", "3", model.CreateWorkItem{Objective: "seeded", Plan: "# plan\n"}), 1, "# plan\n")
	made(model.Envelope{Key: "4", Actor: model.Operator, Agent: "ada", Command: model.CreateWorkItem{Objective: "full", Plan: "x",
		PlanStatus: model.NeedsInput, Priority: model.PriorityHigh, TodoList: []model.Todo{{Text: "one", State: model.TodoPending}}}}, 1, "x")
	p.have(t, "ada", want)
	served := map[model.ItemID]string{}
	for i, plan := range []string{"for bob", "also for bob"} {
		child := apply(t, p.Ledger, model.Envelope{Key: plan, Actor: model.Operator, Agent: "ada",
			Command: model.OpenDelegation{WorkItemID: first.WorkItemID, To: "bob", Objective: "served", Plan: model.Text(plan)}}).ChildWorkItemID
		if served[child] = plan; p.inside != 2 {
			t.Errorf("delegation %d: %d plans were made inside", i, p.inside)
		}
	}
	p.have(t, "bob", served)
}

// Nobody waits under the lock for the plan of another's item.
func TestNobodyWaitsForThePlanOfAnother(t *testing.T) {
	disk := &slowDisk{reached: make(chan struct{}), ready: make(chan struct{})}
	l := store.NewMem(disk)
	created := make(chan error)
	go func() {
		_, err := l.Apply(ctx, asAgent("ada", "1", model.CreateWorkItem{Objective: "x"}))
		created <- err
	}()
	<-disk.reached
	meanwhile := make(chan error, 1)
	go func() {
		_, err := l.Apply(ctx, model.Envelope{Key: "2", Actor: model.Operator, Command: model.AddAgent{AgentID: "bob"}})
		meanwhile <- err
	}()
	select {
	case err := <-meanwhile:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the other command waits")
	}
	close(disk.ready)
	if err := <-created; err != nil {
		t.Error(err)
	}
}

// slowDisk makes no plan before it is ready.
type slowDisk struct {
	noPlans
	reached, ready chan struct{}
}

func (d *slowDisk) CreateAhead(model.AgentID, model.ItemID, string) bool {
	close(d.reached)
	<-d.ready
	return true
}

func (d *slowDisk) CreatePlan(agent model.AgentID, item model.ItemID, seed string) (bool, error) {
	return d.CreateAhead(agent, item, seed), nil
}

// What makes no item leaves no plan: a refusal, the answer of an earlier try, a failure.
// Only an unknown outcome may.
func TestWhatMakesNoItemLeavesNoPlan(t *testing.T) {
	b := &flaky{Backend: kv.NewMemory()}
	p := newPlanned(t, b)
	e := func(key, plan string) model.Envelope {
		return asAgent("ada", key, model.CreateWorkItem{Objective: "x", Plan: model.Text(plan)})
	}
	refused := func(e model.Envelope) error {
		_, err := p.Apply(ctx, e)
		return err
	}
	want := map[model.ItemID]string{apply(t, p.Ledger, e("1", "one")).WorkItemID: "one"}
	ended, stop := context.WithCancel(ctx)
	stop()
	for name, try := range map[string]func() error{
		"a replayed key": func() error {
			apply(t, p.Ledger, e("1", "one"))
			return errFailure
		},
		"the key of another command": func() error { return refused(e("1", "another")) },
		"a refusal":                  func() error { return refused(asAgent("ada", "2", model.CreateWorkItem{Plan: "x"})) },
		"a failure": func() error {
			b.Plan = []failure{Refused}
			return refused(e("3", "three"))
		},
		"an ended context": func() error {
			_, err := p.Apply(ended, e("4", "four"))
			return err
		},
		"another agent's first item": func() error {
			b.Plan = []failure{Refused}
			return refused(asAgent("bob", "5", model.CreateWorkItem{Objective: "x"}))
		},
	} {
		if try() == nil {
			t.Errorf("%s succeeds", name)
		}
		p.have(t, "ada", want)
		if _, err := os.Lstat(filepath.Join(p.Dir(), "agents", "bob")); err == nil {
			t.Errorf("%s leaves the directory of an agent", name)
		}
	}
	b.Plan = []failure{Done}
	want[apply(t, p.Ledger, e("6", "six")).WorkItemID] = "six"
	b.Plan = []failure{Twice}
	want[apply(t, p.Ledger, e("7", "seven")).WorkItemID] = "seven"
	p.have(t, "ada", want)
}
