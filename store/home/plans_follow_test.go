package home

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/storetest"
	"vise/watcher"
)

// keepsPlans runs KeepPlans of a home until stop is called.
func keepsPlans(t *testing.T, h *Home) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { h.KeepPlans(ctx) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

// eventually waits for a condition, which it looks at often.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	limit, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for !is() {
		if Pause(limit, 5*time.Millisecond) != nil {
			t.Fatalf("not %s", what)
		}
	}
}

// followed is the process that follows plans.
func followed(h *Home) int {
	pid, _ := followedBy(h.Dir())
	return pid
}

// described is what the ledger says a plan begins with.
func (x *trial) described(id model.ItemID) string {
	w, err := x.Home.item(x.t.Context(), id)
	must(x.t, err)
	return w.PlanArtifact.Preview.Raw()
}

// The plan of an item that no agent is shown is recorded as it is saved. One that is completed is not followed any more.
func TestThePlanOfEachOpenItemIsFollowed(t *testing.T) {
	x := newTrial(t)
	var items []model.ItemID
	for range 40 { // more than an agent is shown
		items = append(items, x.do(model.CreateWorkItem{Objective: "Fix login", Plan: "one"}).WorkItemID)
	}
	save := func(id model.ItemID, text string) {
		must(t, os.WriteFile(x.files.PlanPath("ann", id), []byte(text), 0o600))
	}
	save(items[39], "saved before")
	keepsPlans(t, x.Home)
	eventually(t, "recorded at the start", func() bool { return x.described(items[39]) == "saved before" })
	for i, id := range items {
		text := fmt.Sprint("two ", i)
		save(id, text)
		eventually(t, "recorded", func() bool { return x.described(id) == text })
	}
	late := x.do(model.CreateWorkItem{Objective: "Fix login", Plan: "one"}).WorkItemID
	save(late, "two")
	eventually(t, "recorded of a new item", func() bool { return x.described(late) == "two" })
	x.do(model.CompleteWorkItem{WorkItemID: items[0]})
	save(items[0], "too late")
	save(items[1], "still open")
	eventually(t, "recorded after another was completed", func() bool { return x.described(items[1]) == "still open" })
	if got := x.described(items[0]); got == "too late" {
		t.Error("the plan of a completed item was recorded")
	}
}

// What cannot be recorded is tried again, without another save.
func TestASaveThatCouldNotBeRecordedIsTriedAgain(t *testing.T) {
	storetest.Slow(t)
	x := newTrial(t)
	keepsPlans(t, x.Home)
	eventually(t, "followed", func() bool { return followed(x.Home) != 0 })
	failures := 0
	x.b.before = func(int) error {
		if failures++; failures == 1 {
			return errors.New("no member answers")
		}
		return nil
	}
	x.write("two")
	eventually(t, "recorded", func() bool { return x.described(x.item) == "two" })
	if failures < 2 {
		t.Error("nothing failed")
	}
}

// Of the processes of a home one follows plans. Another one goes on when it ends, and while it is stopped.
func TestOneProcessFollowsPlansAndAnotherGoesOn(t *testing.T) {
	storetest.Slow(t)
	x := newTrial(t)
	stop := keepsPlans(t, x.Home)
	eventually(t, "followed", func() bool { return followed(x.Home) == os.Getpid() })
	_, err := files.LockAtOnce(x.Dir(), markFollows+".lock")
	if err != files.ErrLocked {
		t.Fatalf("two follow: %v", err)
	}
	stop()
	lock, err := files.LockAtOnce(x.Dir(), markFollows+".lock") // as another process
	must(t, err)
	defer lock.Close()
	other := exec.Command("sleep", "600")
	must(t, other.Start())
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	raw := fmt.Append(nil, other.Process.Pid)
	_, err = lock.WriteAt(raw, 0)
	must(t, errors.Join(err, lock.Truncate(int64(len(raw)))))
	must(t, other.Process.Signal(syscall.SIGSTOP))
	keepsPlans(t, x.Home)
	x.write("two")
	eventually(t, "recorded while the other one is stopped", func() bool { return x.described(x.item) == "two" })
}

// Plans beyond the limit are not followed, and the state of the home says so.
func TestPlansBeyondTheLimitAreSaidNotToBeFollowed(t *testing.T) {
	for more := range 3 {
		x := newTrial(t)
		storetest.Fill(t, x.Ledger, "bob", 2*(8+more)) // half are open
		said := func() string {
			for _, c := range x.Conditions(t.Context()) {
				if c.Code == model.CodeUnwatched {
					return c.Message
				}
			}
			return ""
		}
		f := planFollowerOf(t, x.Home)
		must(t, f.readOpen(t.Context(), 0))
		if got := said(); (got != "") != (more > 0) {
			t.Errorf("%d more: %q is said", more, got)
		}
		if n := len(f.open); n != min(9+more, f.most) {
			t.Errorf("of %d open ones %d are followed", 9+more, n)
		}
		x.do(model.CompleteWorkItem{WorkItemID: x.item})
		must(t, f.readOpen(t.Context(), 0))
		must(t, f.readOpen(t.Context(), 0))
		if n := len(f.open); n != 8+more {
			t.Errorf("of %d open ones %d are followed", 8+more, n)
		}
	}
}

// Two thousand items are open. Fifty of their plans, which no agent is shown, are edited on the machine of the files and on another one, also at
// the same time. No text is lost, and each machine shows the same.
func TestOfTwoThousandOpenItemsNoPlanIsStaleOnAnotherMachine(t *testing.T) {
	m := newMachines(t)
	const agents, each, edited = 20, 100, 50
	items := make([][]model.ItemID, agents)
	var making sync.WaitGroup
	for i := range items {
		making.Go(func() {
			agent := model.AgentID(fmt.Sprint("agent", i))
			for range each {
				in, err := m.a.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: agent,
					Command: model.CreateWorkItem{Objective: "Split the rate limiter", Plan: "# Steps\n"}})
				if err != nil {
					t.Error(err)
					return
				}
				items[i] = append(items[i], in.WorkItemID)
			}
		})
	}
	making.Wait()
	if t.Failed() {
		return
	}
	began := time.Now()
	keepsPlans(t, m.a)
	var took []time.Duration
	var both sync.WaitGroup
	var mu sync.Mutex
	for n := range edited {
		agent, id := model.AgentID(fmt.Sprint("agent", n%agents)), items[n%agents][each/2+n/agents]
		both.Go(func() {
			began := time.Now()
			base := m.b.Plan(t.Context(), agent, id).Hash
			mine, theirs := fmt.Sprintln("of the file", n), fmt.Sprintln("of the other machine", n)
			if n%2 == 0 {
				must(t, files.WriteAtomic(m.a.files.PlanPath(agent, id), []byte(mine)))
			}
			err := m.b.SavePlan(t.Context(), agent, id, base, theirs)
			if n%2 == 1 {
				must(t, files.WriteAtomic(m.a.files.PlanPath(agent, id), []byte(mine)))
			}
			refused := errors.Is(err, &model.Error{Code: model.CodeStale})
			if err != nil && !refused {
				t.Errorf("%s: %v", id, err)
				return
			}
			alike := func() bool {
				file, _ := os.ReadFile(m.a.files.PlanPath(agent, id))
				there := m.b.Plan(t.Context(), agent, id)
				return string(file) == string(there.Raw) && !there.Awaited
			}
			eventually(t, "alike", alike)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(began))
			kept := m.keptOf(agent, id)
			if !strings.Contains(kept, mine) || !refused && !strings.Contains(kept, theirs) {
				t.Errorf("%s: refused %v, and %q is kept", id, refused, kept)
			}
		})
	}
	both.Wait()
	slices.Sort(took)
	t.Logf("%d plans alike on both machines after %v at most, p50 %v; all after %v", edited, took[len(took)-1], took[len(took)/2], time.Since(began))
}

// keptOf are the texts of a plan on the first machine: the file's, those beside it, and earlier saves.
func (m *machines) keptOf(agent model.AgentID, id model.ItemID) string {
	file, err := os.ReadFile(m.a.files.PlanPath(agent, id))
	must(m.t, err)
	all := string(file)
	names, _ := filepath.Glob(filepath.Join(m.a.files.PlanDir(agent, id), "plan.mine-*.md"))
	for _, name := range names {
		raw, err := os.ReadFile(name)
		must(m.t, err)
		all += string(raw)
	}
	m.a.keeper.idle.Wait()
	for hash := range m.a.files.Saves(agent, id) {
		all += string(m.a.files.ReadSave(agent, id, hash))
	}
	return all
}

// planFollowerOf is a run of the process that follows plans, without its loops.
func planFollowerOf(t *testing.T, h *Home) *planFollower {
	t.Helper()
	lock, err := files.LockAtOnce(h.Dir(), markFollows+".lock")
	must(t, err)
	f := &planFollower{Home: h, most: 10, open: map[watcher.Item]model.PlanArtifact{}, lock: lock}
	f.watch, err = watcher.Start(t.Context(), watcher.Config{Home: h.files})
	must(t, err)
	t.Cleanup(func() { f.watch.Close(); lock.Close() })
	return f
}
