package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
	"vise/store/transfer"
)

// smallQuota is that of the cluster which the test fills, in bytes.
const smallQuota = 64 << 20

// filling fills a cluster with long lists of todos.
type filling struct {
	t     *testing.T
	dir   string
	admin *clientv3.Client
	// made are the items, by their objectives, which are the keys of their creation too. turns counts the newest change of each.
	made  map[string]model.ItemID
	turns map[string]int
}

// names are the objectives of the items, of four agents.
func (x *filling) names() (all []string) {
	for n := range 40 {
		all = append(all, fmt.Sprint("item ", n))
	}
	return all
}

func (x *filling) create(l *store.Ledger, name string) error {
	agent := model.AgentID("agent" + name[len(name)-1:])
	r, err := l.Apply(ctx, model.Envelope{Key: name, Agent: agent, Actor: model.Operator,
		Command: model.CreateWorkItem{Objective: model.Text(name)}})
	if err == nil {
		x.made[name] = r.WorkItemID
	}
	return err
}

// lengthen gives an item another list of todos.
func (x *filling) lengthen(l *store.Ledger, name string) error {
	todos := make([]model.Todo, 100)
	for i := range todos {
		todos[i] = model.Todo{Text: model.Text(fmt.Sprintf("%d %0490d", x.turns[name]+1, i)), State: model.TodoPending}
	}
	_, err := l.Apply(ctx, model.Envelope{Key: store.NewID(), Actor: model.Operator,
		Command: model.UpdateWorkItem{WorkItemID: x.made[name], TodoList: &todos}})
	if err == nil {
		x.turns[name]++
	}
	return err
}

// fill changes items until a change is refused, or until so much is used. Each process makes a few changes.
func (x *filling) fill(until int64) (refused error) {
	for refused == nil && x.used() < until {
		l := archiving(x.t, x.dir, store.Options{})
		for _, name := range x.names()[:8] {
			if refused == nil {
				refused = x.lengthen(l, name)
			}
		}
		must(l.Close())
	}
	return refused
}

// used is the share of the quota in use, in percent.
func (x *filling) used() int64 {
	s, err := x.admin.Status(ctx, x.admin.Endpoints()[0])
	must(err)
	return s.DbSizeInUse * 100 / s.DbSizeQuota
}

// compact does what an operator does on a full cluster.
func (x *filling) compact() {
	r, err := x.admin.Get(ctx, "x")
	must(err)
	if _, err = x.admin.Compact(ctx, r.Header.Revision, clientv3.WithCompactPhysical()); !errors.Is(err, rpctypes.ErrCompacted) {
		must(err)
	}
	_, err = x.admin.Defragment(ctx, x.admin.Endpoints()[0])
	must(err)
	_, err = x.admin.AlarmDisarm(ctx, &clientv3.AlarmMember{})
	must(err)
}

// archive runs the archiver of a server until the cluster has few changes.
func (x *filling) archive() {
	x.t.Helper()
	l := archiving(x.t, x.dir, store.Options{})
	defer l.Close()
	ended, stop := context.WithTimeout(ctx, time.Minute)
	done := make(chan struct{})
	go func() {
		defer close(done)
		transfer.RunArchive(ended, l, func(err error) { x.t.Errorf("archive: %v", err) })
	}()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for journal := 1 << 30; journal > 10*(8+2) && ended.Err() == nil; <-tick.C {
		journal = 0
		must(l.View(ctx, func(r model.Reader) error {
			for agent := range 10 {
				seen := map[uint64]bool{}
				for _, e := range r.History(model.AgentID(fmt.Sprint("agent", agent)), model.Position{}, 1000) {
					seen[e.Revision] = true
				}
				journal += len(seen)
			}
			return nil
		}))
	}
	if ended.Err() != nil {
		x.t.Error("it is not archived within a minute")
	}
	stop()
	<-done
}

// check expects all that was acknowledged.
func (x *filling) check() {
	x.t.Helper()
	l := archiving(x.t, x.dir, store.Options{})
	defer l.Close()
	must(l.View(ctx, func(r model.Reader) error {
		for name, id := range x.made {
			if w, ok := r.Item(id); !ok || w.Objective.Raw() != name || x.turns[name] > 0 &&
				!strings.HasPrefix(w.TodoList[0].Text.Raw(), fmt.Sprint(x.turns[name], " ")) {
				x.t.Errorf("%s is not as it was acknowledged", name)
			}
		}
		return nil
	}))
	isSound(x.t, l)
}

func isFull(t *testing.T, err error, words ...string) {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) || e.Code != model.CodeFull {
		t.Fatalf("refused with %v, want full", err)
	}
	for _, w := range words {
		if !strings.Contains(e.Message+"; "+e.Hint, w) {
			t.Errorf("it says %q, hint %q, and not %q", e.Message, e.Hint, w)
		}
	}
}

// A cluster is filled by changes. From 85 % of its quota on, only what ends something is taken, and what is refused is told so. When the old
// changes are archived and the cluster is compacted and defragmented, all goes on. So it does after a cluster that was filled to the brim.
func TestAFullClusterTakesWhatEndsSomething(t *testing.T) {
	cluster := storetest.StartSmallEtcd(t, smallQuota)
	admin, err := clientv3.New(clientv3.Config{Endpoints: cluster.Endpoints()})
	must(err)
	defer admin.Close()
	x := &filling{t, joined(t, clusterOf(t, cluster, "full"), true), admin, map[string]model.ItemID{}, map[string]int{}}
	l := archiving(t, x.dir, store.Options{})
	for _, name := range x.names() {
		must(x.create(l, name))
	}
	must(l.Close())

	isFull(t, x.fill(100), "of the cluster's space is in use", "vise serve", "compact", "defragment", "quota")
	if used := x.used(); used < store.SpaceScarce || used > store.SpaceScarce+5 {
		t.Errorf("%d %% were used when the first change was refused", used)
	}
	l = archiving(t, x.dir, store.Options{})
	for _, name := range x.names()[20:] {
		complete := model.CompleteWorkItem{WorkItemID: x.made[name]}
		if _, err := l.Apply(ctx, model.Envelope{Key: "complete " + name, Actor: model.Operator, Command: complete}); err != nil {
			t.Errorf("a completion: %v", err)
		}
		if err := x.create(l, name); err != nil {
			t.Errorf("a retry of what was acknowledged: %v", err)
		}
	}
	isFull(t, x.create(l, "refused 1"))
	must(l.Close())
	x.archive()
	x.compact()
	t.Logf("%d %% after archiving", x.used())
	x.check()
	must(x.fill(75))
	early := archiving(t, x.dir, store.Options{}) // for ten seconds it knows that there is space
	for err == nil {
		err = x.lengthen(early, "item 0")
	}
	must(early.Close())
	isFull(t, err, "the cluster has no space left")
	x.compact()
	t.Logf("%d %% at the brim", x.used())
	x.archive()
	x.compact()
	t.Logf("%d %% after archiving", x.used())
	l = archiving(t, x.dir, store.Options{})
	if err := x.create(l, "item 100"); err != nil {
		t.Errorf("after archiving, compaction and defragmentation: %v", err)
	}
	must(l.Close())
	x.check()
	if list, err := filepath.Glob(filepath.Join(store.ArchiveIn(x.dir), "*", "agent?")); err != nil || len(list) != 8 {
		t.Errorf("the archive has %q, %v", list, err)
	}
}
