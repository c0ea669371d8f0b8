package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/transfer"
)

// longPlan is a plan of so many bytes.
func longPlan(name string, size int) []byte {
	line := name + " is a line of a long plan\n"
	return []byte(strings.Repeat(line, size/len(line)+1)[:size])
}

// savePlan saves a plan over the one that the ledger describes, as the machine does that keeps the file.
func savePlan(l *store.Ledger, id model.ItemID, text []byte) error {
	w, err := itemIn(l, id)
	if err != nil {
		return err
	}
	c := model.SavePlan{WorkItemID: id, Base: w.PlanArtifact.Hash, InFile: true,
		Plan: model.NewPlanArtifact(w.AgentID, id, text, time.Time{})}
	if model.KeepsBody(c.Plan) {
		c.Text = model.Text(text)
	}
	_, err = l.Apply(ctx, model.Envelope{Key: store.NewID(), Actor: model.Operator, Command: c})
	return err
}

func itemIn(l *store.Ledger, id model.ItemID) (w model.WorkItem, err error) {
	err = l.View(ctx, func(r model.Reader) error { w, _ = r.Item(id); return nil })
	return w, err
}

// bodyIn is the whole text of an item's plan in a ledger.
func bodyIn(t testing.TB, l *store.Ledger, id model.ItemID) []byte {
	t.Helper()
	w, err := itemIn(l, id)
	if err != nil {
		t.Fatal(err)
	}
	text, err := l.PlanBody(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestALedgerOnAClusterKeepsWholePlans(t *testing.T) {
	onEtcd(t, func(t *testing.T, open func(testing.TB) *etcd.Backend) {
		b := open(t)
		l := on(t, b, nil)
		id := create(t, l, "ada", "k")
		for _, size := range []int{1, 1600, 1601, 512 << 10, 512<<10 + 1, 600 << 10, model.MaxPlanBody} {
			text := longPlan("one", size)
			if err := savePlan(l, id, text); err != nil {
				t.Fatalf("%d bytes: %v", size, err)
			}
			if got := bodyIn(t, l, id); !bytes.Equal(got, text) {
				t.Errorf("of %d bytes, %d are read", size, len(got))
			}
		}
		if err := savePlan(l, id, longPlan("one", model.MaxPlanBody+1)); err != nil {
			t.Fatal(err)
		}
		if w, _ := itemIn(l, id); bodyIn(t, l, id) != nil || len(w.PlanArtifact.Preview) != model.PreviewRunes {
			t.Errorf("above 1 MiB: %d bytes of the preview, and the whole", len(w.PlanArtifact.Preview))
		}

		// The present text and the last five are kept, also of texts that came back.
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "a", "g", "h"} {
			must(savePlan(l, id, longPlan(name, 3000)))
		}
		var kept []string
		for _, p := range pairs(t, b, "plan/") {
			if bytes.HasSuffix(p[0], []byte("/0")) {
				kept = append(kept, string(p[1][:1]))
			} else if !bytes.HasSuffix(p[0], []byte("/kept")) {
				t.Errorf("%q is kept", p[0])
			}
		}
		if slices.Sort(kept); !slices.Equal(kept, []string{"a", "d", "e", "f", "g", "h"}) {
			t.Errorf("%q are kept", kept)
		}
		sound(t, l)
	})
}

// A process that ends at any of its transactions leaves a description whose text is there. The next one goes on.
func TestAProcessThatEndsLeavesNoPlanWithoutItsText(t *testing.T) {
	onEtcd(t, func(t *testing.T, open func(testing.TB) *etcd.Backend) {
		b := open(t)
		l := on(t, b, nil)
		id := create(t, l, "ada", "k")
		ended := 0
		for at := 1; ; at++ {
			for _, after := range []bool{false, true} {
				text := longPlan(fmt.Sprint(at, after), model.MaxPlanBody)
				s := &stop{}
				ending := on(t, stopping{b, s}, nil)
				*s = stop{at: at, after: after}
				err := savePlan(ending, id, text)
				if err == nil {
					if ended < 2 {
						t.Errorf("it ended %d times", ended)
					}
					if !bytes.Equal(bodyIn(t, l, id), text) {
						t.Error("the text is not there")
					}
					return
				}
				if ended++; s.n < at {
					t.Fatal(err)
				}
				if w, _ := itemIn(l, id); bodyIn(t, l, id) == nil {
					t.Fatalf("ended at %d, after %v: the ledger describes %d bytes, and does not have them", at, after, w.PlanArtifact.Bytes)
				}
			}
		}
	})
}

// A ledger in memory or in a file keeps the descriptions alone.
func TestALedgerBesideItsFilesKeepsNoPlans(t *testing.T) {
	b := kv.NewMemory()
	l := on(t, b, nil)
	id := create(t, l, "ada", "k")
	must(savePlan(l, id, longPlan("one", 600<<10)))
	if n := len(pairs(t, b, "plan/")); n > 0 || bodyIn(t, l, id) != nil {
		t.Errorf("%d keys of plans", n)
	}
}

// A ledger that comes from a cluster brings the plans that the home does not have, and the edits that their files still await.
func TestAHomeGetsThePlansOfOtherMachines(t *testing.T) {
	onEtcd(t, func(t *testing.T, open func(testing.TB) *etcd.Backend) {
		plans, err := files.NewHome(t.TempDir())
		must(err)
		b := open(t)
		l := on(t, b, nil)
		there, cut, mine, both := create(t, l, "ada", "k1"), create(t, l, "ada", "k2"), create(t, l, "ada", "k3"), create(t, l, "ada", "k4")
		long := longPlan("there", 600<<10)
		must(savePlan(l, there, long))
		must(savePlan(l, cut, longPlan("cut", model.MaxPlanBody+1)))
		for _, id := range []model.ItemID{mine, both} {
			must(savePlan(l, id, []byte("base")))
			_, err := plans.CreatePlan("ada", id, "base")
			must(err)
			w, err := itemIn(l, id)
			must(err)
			_, err = l.Apply(ctx, model.Envelope{Key: store.NewID(), Actor: model.Operator, Command: model.SavePlan{WorkItemID: id,
				Base: w.PlanArtifact.Hash, Plan: model.NewPlanArtifact("ada", id, []byte("edited"), time.Time{})}})
			must(err)
		}
		must(plans.SavePlan("ada", both, model.NewPlanArtifact("ada", both, []byte("base"), time.Time{}).Hash, []byte("saved too")))
		if awaited, err := l.AwaitedPlans(ctx); err != nil || len(awaited) != 2 {
			t.Errorf("%v are awaited, %v", awaited, err)
		}
		sound(t, l)

		before := contents(t, b)
		out, err := transfer.BringPlans(ctx, l, plans)
		if err != nil || out.Made != 1 || out.Taken != 1 || out.Beside != 1 || out.MissingCount != 1 || len(out.Missing) != 1 {
			t.Errorf("%+v, %v", out, err)
		}
		for id, want := range map[model.ItemID]string{there: string(long), mine: "edited", both: "saved too"} {
			if got, _, _ := plans.ReadFile("ada", id, ""); string(got) != want {
				t.Errorf("%s has %d bytes", id, len(got))
			}
		}
		if path, err := plans.SaveCopy("ada", both, []byte("edited")); err != nil || !strings.HasSuffix(path, "plan.mine-1.md") {
			t.Errorf("the edit is not kept: %s, %v", path, err)
		}
		if again, err := transfer.BringPlans(ctx, l, plans); err != nil || again.Made+again.Taken > 0 || again.Beside != 1 {
			t.Errorf("again: %+v, %v", again, err)
		}

		to := kv.NewMemory()
		moved, err := (&transfer.Move{From: l, To: to, FromName: "there", ToName: "here"}).Run(ctx)
		must(err)
		for key := range before {
			if strings.HasPrefix(key, "plan/") {
				delete(before, key)
			}
		}
		if moved.Keys != len(before) || len(contents(t, to)) != len(before) {
			t.Errorf("%d of %d keys were moved", moved.Keys, len(before))
		}
	})
}
