//go:build unix

package store_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"vise/model"
	"vise/store"
)

var update = flag.Bool("update", false, "write a real ledger of the current schema to testdata")

// A ledger that an earlier program wrote is read, healthy, and written to. testdata keeps
// one of each schema, as its program left it.
func TestLedgersOfEarlierSchemasAreUsable(t *testing.T) {
	if *update {
		writeTestdata(t, "v4")
	}
	for _, c := range []struct {
		schema    string
		revision  uint64
		items     int
		objective string
	}{
		{"v1", 15, 4, "kept since schema 1"},
		{"v2", 16, 4, "kept since schema 2"},
		{"v3", 16, 4, "kept since schema 3"},
		{"v4", 16, 4, "kept since schema 4"},
	} {
		t.Run(c.schema, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"home.json", "ledger.db"} {
				raw, err := os.ReadFile(filepath.Join("testdata", c.schema+"-"+name))
				must(err)
				must(os.WriteFile(filepath.Join(dir, name), raw, 0o600))
			}
			l, err := store.Open(dir, store.Options{})
			must(err)
			defer l.Close()
			h := healthy(t, l)
			if h.Revision != c.revision {
				t.Errorf("revision %d", h.Revision)
			}
			must(l.View(ctx, func(r model.Reader) error {
				items := 0
				for _, a := range r.Agents("", 10) {
					items += r.Count(a.ID, model.TallyOpen) + r.Count(a.ID, model.TallyCompleted)
				}
				if items != c.items {
					t.Errorf("%d items", items)
				}
				if rows := r.Rows("keeper", model.QueuedRunnable, nil, 1); len(rows) != 1 || rows[0].Objective != model.Text(c.objective) {
					t.Errorf("rows %+v", rows)
				}
				return nil
			}))
			must(applied(l, objective("written today")))
			healthy(t, l)
		})
	}
}

// writeTestdata leaves a record of every kind, in every table.
func writeTestdata(t *testing.T, schema string) {
	dir, l := newHome(t)
	n := 0
	do := func(agent model.AgentID, c model.Command) model.Receipt {
		n++
		r, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprint("k", n), Actor: model.AgentActor(agent), Command: c})
		must(err)
		return r
	}
	kept := do("keeper", model.CreateWorkItem{Objective: "kept since schema 4", Plan: "# plan\n"}).WorkItemID
	blocked := do("keeper", model.CreateWorkItem{Objective: "blocked"}).WorkItemID
	done := do("child", model.CreateWorkItem{Objective: "done"}).WorkItemID
	open := do("child", model.CreateWorkItem{Objective: "open"}).WorkItemID
	hour := int64(time.Hour / time.Millisecond)
	do("keeper", model.WaitFor{WorkItemID: blocked, Wake: model.WakeExternal, Resource: "ci", Reason: "ci", RecheckAfterMS: &hour})
	do("keeper", model.Trigger{Wake: model.WakeExternal, Resource: "ci"})
	do("keeper", model.StartTask{WorkItemID: kept, Summary: "tests", Blocking: true})
	do("keeper", model.OpenDelegation{WorkItemID: kept, ChildWorkItemID: open})
	do("child", model.PickWorkItem{WorkItemID: done})
	do("child", model.Round{Text: "it is done", Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: done}}}})
	do("keeper", model.Say{AgentID: "keeper", Text: "hello"})
	do("keeper", model.MintIngress{AgentID: "keeper", TokenHash: fmt.Sprintf("%064x", 1)})
	must(scheduled(l, "keeper", model.Tick{AgentID: "child"}))
	do("child", model.ClaimTurn{AgentID: "child", Holder: "a driver", TTLMS: hour})
	do("child", model.Round{Turn: 1, Text: "hm"})
	_, err := l.Apply(ctx, model.Envelope{Key: "seen", Actor: model.Operator, Command: model.Acknowledge{WorkItemID: blocked}})
	must(err)
	raw, err := os.ReadFile(filepath.Join(dir, "home.json"))
	must(err)
	must(os.WriteFile(filepath.Join("testdata", schema+"-home.json"), raw, 0o644))
	to := filepath.Join("testdata", schema+"-ledger.db")
	os.Remove(to)
	compact(filepath.Join(dir, "ledger.db"), to)
}

// scheduled applies a command as the scheduler.
func scheduled(l *store.Ledger, key string, c model.Command) error {
	_, err := l.Apply(ctx, model.Envelope{Key: key, Actor: model.Scheduler, Command: c})
	return err
}

// compact copies a ledger without its free pages, and without the space to grow.
func compact(from, to string) {
	src, err := bbolt.Open(from, 0o600, &bbolt.Options{ReadOnly: true})
	must(err)
	dst, err := bbolt.Open(to, 0o644, nil)
	must(err)
	must(bbolt.Compact(dst, src, 0))
	var size int64
	must(dst.View(func(tx *bbolt.Tx) error { size = tx.Size(); return nil }))
	must(dst.Close())
	must(src.Close())
	must(os.Truncate(to, size))
}
