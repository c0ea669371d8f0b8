package etcd

import (
	"context"
	"slices"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// late is a backend of which something happens before a commit.
type late struct {
	*Backend
	before func()
}

func (l *late) Update(ctx context.Context, fn func(store.Txn) error) error {
	return l.Backend.Update(ctx, func(t store.Txn) error {
		err := fn(t)
		if before := l.before; err == nil && before != nil {
			l.before = nil
			before()
		}
		return err
	})
}

// A commit can come after one of another agent that a follower has seen, and have a lesser revision.
func TestAChangeThatComesLateIsToldOf(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	slow := &late{Backend: open(t, cluster, "l")}
	l, err := store.NewLedger(ctx, slow, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := ledgerOn(t, open(t, cluster, "l"))
	create := func(l *store.Ledger, agent model.AgentID, key string) model.Receipt {
		t.Helper()
		r, err := l.Apply(ctx, envelope(agent, key, model.CreateWorkItem{Objective: "x"}))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	create(other, "ann", "k1")
	create(other, "bob", "k2")
	var seen uint64
	var news model.News
	slow.before = func() {
		for _, key := range []string{"k3", "k4", "k5"} {
			create(other, "bob", key)
		}
		if err := other.View(ctx, func(r model.Reader) error {
			seen, news = r.Revision(), model.NewsFrom(r, "")
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	came := create(l, "ann", "k6")
	if came.Revision > seen {
		t.Fatalf("the late change has revision %d, and %d was seen: the test shows nothing", came.Revision, seen)
	}
	err = other.View(ctx, func(r model.Reader) error {
		if agents, all := r.Changed(seen); !all || !agents["ann"] || agents["bob"] {
			t.Errorf("since revision %d %v are said to be changed, all: %v", seen, agents, all)
		}
		if agents, all := r.Changed(r.Revision()); !all || len(agents) > 0 {
			t.Errorf("since now %v are said to be changed, all: %v", agents, all)
		}
		if _, all := r.Changed(r.Revision() + 1); all {
			t.Error("nothing is said to be changed since a revision that is not there yet")
		}
		if list, next, all := news.Next(r, 100); !all || len(list) == 0 || list[0].Revision != came.Revision || list[0].AgentID != "ann" {
			t.Errorf("the news are %v", list)
		} else if list, _, _ = next.Next(r, 100); len(list) > 0 {
			t.Errorf("after them there are still %v", list)
		}
		found := r.History("ann", model.Position{}, 100)
		if !slices.ContainsFunc(found, func(e model.Entry) bool { return e.Revision == came.Revision }) {
			t.Errorf("the change is not in the history: %v", found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
