package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// mutations are the kinds of changes that must survive every interruption.
var mutations = map[string]func(s stage) model.Command{
	"CreateWorkItem": func(stage) model.Command {
		return model.CreateWorkItem{Objective: "new", Plan: "# plan\n"}
	},
	"CreateWorkItem that grows the file": func(stage) model.Command {
		return model.CreateWorkItem{Objective: "new", Plan: model.Text(strings.Repeat("plan ", 20_000))}
	},
	"UpdateWorkItem": func(s stage) model.Command {
		return model.UpdateWorkItem{WorkItemID: s.focused, BlockedBy: model.SetTo("the vendor")}
	},
	"PickWorkItem": func(s stage) model.Command { return model.PickWorkItem{WorkItemID: s.queued, Reason: "its turn"} },
	"CompleteWorkItem": func(s stage) model.Command {
		return model.CompleteWorkItem{WorkItemID: s.child}
	},
	"WaitFor": func(s stage) model.Command {
		return model.WaitFor{WorkItemID: s.queued, Reason: "ci", Wake: model.WakeExternal, Resource: "ci"}
	},
	"Trigger": func(s stage) model.Command { return model.Trigger{WorkItemID: s.waiting} },
	"Answer":  func(s stage) model.Command { return model.Answer{WorkItemID: s.asking, Text: "LRU"} },
	"Round": func(s stage) model.Command {
		return model.Round{Text: "done", Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: s.focused}}}}
	},
	"RefreshPlan": func(s stage) model.Command {
		return model.RefreshPlan{WorkItemID: s.queued, Plan: model.NewPlanArtifact("ada", s.queued, []byte("# other\n"), stageTime)}
	},
	"StartTask": func(s stage) model.Command {
		return model.StartTask{WorkItemID: s.focused, Summary: "tests", Blocking: true}
	},
	"OpenDelegation": func(s stage) model.Command {
		return model.OpenDelegation{WorkItemID: s.focused, ChildWorkItemID: s.child}
	},
	"DeliverIngress": func(s stage) model.Command { return model.DeliverIngress{IngressID: s.ingress, Payload: "{}"} },
}

// stage is a home in which each of the mutations can happen, small or grown.
type stage struct {
	dir                                     string
	queued, focused, waiting, asking, child model.ItemID
	ingress                                 model.IngressID
	before                                  string
}

var stageTime = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// deterministic gives a ledger its own clock and ids, so that two runs can be compared.
func deterministic(l *store.Ledger) {
	n := 0
	l.Now = func() time.Time { return stageTime }
	l.NewID = func() string { n++; return fmt.Sprintf("7%025d", n) }
}

func newStage(t *testing.T, grown bool) stage {
	t.Helper()
	dir := filepath.Join(storetest.MemoryDir(t), "home")
	l, err := store.Create(dir, store.Options{})
	must(err)
	if grown {
		x := NewLife(7)
		x.Attach(l)
		x.Live(t, l, 200)
	}
	s := stage{dir: dir}
	n := 0
	do := func(agent model.AgentID, c model.Command) model.Receipt {
		n++
		r, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprint("stage-", n), Actor: model.Operator, Agent: agent, Command: c})
		must(err)
		return r
	}
	item := func(agent model.AgentID) model.ItemID {
		return do(agent, model.CreateWorkItem{Objective: "staged"}).WorkItemID
	}
	s.queued, s.focused, s.waiting, s.asking, s.child = item("ada"), item("ada"), item("ada"), item("ada"), item("child")
	do("ada", model.PickWorkItem{WorkItemID: s.focused, Reason: "first"})
	wait := do("ada", model.WaitFor{WorkItemID: s.waiting, Reason: "ci", Wake: model.WakeExternal, Resource: "ci/9"}).WaitID
	do("ada", model.WaitFor{WorkItemID: s.asking, Reason: "which", Wake: model.WakeOperatorInput, Question: "LRU or LFU?"})
	s.ingress = do("ada", model.MintIngress{WaitID: wait, TokenHash: fmt.Sprintf("%064x", 7)}).IngressID
	must(l.Close())
	s.before, err = everything(dir)
	must(err)
	return s
}

// copied returns a copy of the stage, and its ledger on a machine with faults.
func (s stage) copied(t *testing.T, f *Faults) (string, *store.Ledger) {
	t.Helper()
	dir := storetest.CopyOf(t, s.dir)
	l, err := store.Open(dir, store.Options{Machine: f.Machine()})
	must(err)
	deterministic(l)
	return dir, l
}

func (s stage) envelope(kind string) model.Envelope {
	e := model.Envelope{Key: "the mutation", Actor: model.Operator, Command: mutations[kind](s)}
	switch kind {
	case "DeliverIngress":
		e.Actor = model.Actor("external:" + string(s.ingress))
	case "CreateWorkItem", "CreateWorkItem that grows the file", "Round":
		e.Agent, e.Actor = "ada", model.AgentActor("ada")
	}
	return e
}

// clean returns the number of operations of a mutation, and the state after it.
func (s stage) clean(t *testing.T, e model.Envelope) (int, string) {
	t.Helper()
	f := &Faults{}
	dir, l := s.copied(t, f)
	_, err := l.Apply(ctx, e)
	must(err)
	n := f.Count()
	must(l.Close())
	after, err := everything(dir)
	must(err)
	if n < 6 || after == s.before {
		t.Fatalf("%s: %d operations, state changed %v", model.CommandName(e.Command), n, after != s.before)
	}
	return n, after
}

// eachPoint calls try for every operation of every mutation, in a small and a grown home; with sampled, for a share of
// them.
func eachPoint(t *testing.T, share int, try func(t *testing.T, s stage, e model.Envelope, after string, at int) bool) {
	rng := rand.New(rand.NewPCG(storetest.Seed(t), 1))
	points := 0
	for _, grown := range []bool{false, true} {
		s := newStage(t, grown)
		for kind := range mutations {
			e := s.envelope(kind)
			n, after := s.clean(t, e)
			for at := 1; at <= n; at++ {
				if share > 1 && rng.IntN(share) > 0 {
					continue
				}
				points++
				if !try(t, s, e, after, at) {
					t.Errorf("%s, grown %v, operation %d of %d", kind, grown, at, n)
				}
			}
		}
	}
	t.Logf("%d operations of %d mutations", points, len(mutations))
}

// A machine that stops at any operation of any mutation leaves the state before it or after it, never one between, and
// its retry leads to the state after it (P1, P3).
func TestAStopAtAnyOperationOfAnyMutationLeavesBeforeOrAfter(t *testing.T) {
	storetest.Slow(t)
	eachPoint(t, storetest.Amount(5, 1), func(t *testing.T, s stage, e model.Envelope, after string, at int) bool {
		for _, torn := range storetest.Amount([]int{0}, []int{0, 512}) {
			dir, l := s.copied(t, &Faults{At: at, Torn: torn})
			_, err := l.Apply(ctx, e)
			got, readErr := everything(dir)
			if readErr != nil || got != s.before && got != after || err == nil && got != after {
				t.Errorf("answered %v; read with %v, before %v, after %v", err, readErr, got == s.before, got == after)
				return false
			}
			if !converges(t, dir, e, after) {
				return false
			}
			must(os.RemoveAll(dir))
		}
		return true
	})
}

// The answer to an error of the disk at any operation of any mutation is true: done, not done, or not known. The retry
// leads to the state after the mutation.
func TestAnErrorAtAnyOperationOfAnyMutationIsAnsweredTruly(t *testing.T) {
	storetest.Slow(t)
	answers := map[string]int{}
	eachPoint(t, storetest.Amount(15, 1), func(t *testing.T, s stage, e model.Envelope, after string, at int) bool {
		for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC} {
			for _, sticky := range []bool{false, true} {
				dir, l := s.copied(t, &Faults{At: at, Err: errno, Sticky: sticky})
				_, err := l.Apply(ctx, e)
				got, readErr := everything(dir)
				said := "failed"
				switch {
				case err == nil:
					said = "ok"
				case errors.Is(err, &model.Error{Code: model.CodeUnknownOutcome}):
					said = "unknown"
				}
				answers[said]++
				true_ := said == "ok" && got == after || said == "failed" && got == s.before || said == "unknown" && (got == s.before || got == after)
				if readErr != nil || !true_ {
					t.Errorf("%v, sticky %v: answered %v; read with %v, before %v, after %v", errno, sticky, err, readErr, got == s.before, got == after)
					return false
				}
				if !converges(t, dir, e, after) {
					return false
				}
				must(os.RemoveAll(dir))
			}
		}
		return true
	})
	t.Log(answers)
	if answers["ok"] == 0 || answers["failed"] == 0 {
		t.Error("all was answered alike: the faults are not seen")
	}
}

// converges repeats a mutation on a machine that works.
func converges(t *testing.T, dir string, e model.Envelope, after string) bool {
	t.Helper()
	l, err := store.Open(dir, store.Options{})
	must(err)
	defer l.Close()
	deterministic(l)
	_, err = l.Apply(ctx, e)
	got, readErr := everything(dir)
	if err != nil || readErr != nil || got != after {
		t.Errorf("its retry: %v, read with %v, the state after it %v", err, readErr, got == after)
		return false
	}
	healthy(t, l)
	return true
}
