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

// The ledger of an earlier program can be read, is healthy, and can be written to. testdata keeps one of each schema,
// also of the present one, as its program left it.
func TestLedgersOfEarlierSchemasAreUsable(t *testing.T) {
	_, l := newHome(t)
	u, err := l.Upgrade(ctx)
	must(err)
	if *update {
		writeTestdata(t, u.Current)
	}
	for schema := 1; schema <= u.Current; schema++ {
		revision, items := uint64(16), 4
		if schema == 1 {
			revision = 15
		}
		t.Run(fmt.Sprint(schema), func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"home.json", "ledger.db"} {
				raw, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("v%d-%s", schema, name)))
				must(err)
				must(os.WriteFile(filepath.Join(dir, name), raw, 0o600))
			}
			l, err := store.Open(dir, store.Options{})
			must(err)
			defer l.Close()
			h := healthy(t, l)
			if h.Revision != revision {
				t.Errorf("revision %d", h.Revision)
			}
			must(l.View(ctx, func(r model.Reader) error {
				found := 0
				for _, a := range r.Agents("", 10) {
					found += r.Count(a.ID, model.TallyOpen) + r.Count(a.ID, model.TallyCompleted)
				}
				if found != items {
					t.Errorf("%d items", found)
				}
				if rows := r.Rows("keeper", model.QueuedRunnable, nil, 1); len(rows) != 1 || rows[0].Objective != keptSince(schema) {
					t.Errorf("rows %+v", rows)
				}
				return nil
			}))
			must(applied(l, objective("written today")))
			healthy(t, l)
		})
	}
}

// keptSince is the objective of the queued item in a schema's ledger.
func keptSince(schema int) model.Text { return model.Text(fmt.Sprint("kept since schema ", schema)) }

// writeTestdata leaves a record of every kind, in every table.
func writeTestdata(t *testing.T, schema int) {
	dir, l := newHome(t)
	n := 0
	do := func(agent model.AgentID, c model.Command) model.Receipt {
		n++
		r, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprint("k", n), Actor: model.AgentActor(agent), Command: c})
		must(err)
		return r
	}
	kept := do("keeper", model.CreateWorkItem{Objective: keptSince(schema), Plan: "# plan\n"}).WorkItemID
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
	must(os.WriteFile(filepath.Join("testdata", fmt.Sprintf("v%d-home.json", schema)), raw, 0o644))
	to := filepath.Join("testdata", fmt.Sprintf("v%d-ledger.db", schema))
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
