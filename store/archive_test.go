package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/files"
	"vise/store/recovery"
	"vise/store/storetest"
	"vise/store/transfer"
)

// clusterOf is how a home reaches a ledger on a cluster.
func clusterOf(t testing.TB, cluster *storetest.Etcd, ledger string) store.Cluster {
	t.Helper()
	_, host, _ := strings.Cut(cluster.Endpoints()[0], "://")
	c, err := store.ParseCluster("etcd://" + host + "/" + ledger)
	must(err)
	return c
}

// joined makes a home of a ledger on a cluster.
func joined(t testing.TB, c store.Cluster, fresh bool) (dir string) {
	t.Helper()
	dir = filepath.Join(storetest.MemoryDir(t), "home")
	b, err := etcd.Connect(c)
	must(err)
	defer b.Close()
	_, err = store.Join(ctx, dir, c, b, fresh, store.Options{})
	must(err)
	return dir
}

// archiving opens the ledger of a home on a cluster; few changes of an agent stay there.
func archiving(t testing.TB, dir string, o store.Options) *store.Ledger {
	t.Helper()
	if o.Cluster == nil {
		o.Cluster = etcd.Connect
	}
	l, err := store.Open(dir, o)
	must(err)
	l.Keep = 8
	return l
}

// wholeContents are the contents of a ledger with the archived changes from the files in a directory.
func wholeContents(t testing.TB, l *store.Ledger, dir string) (out map[string]string) {
	t.Helper()
	w, lacking, err := transfer.OpenWhole(ctx, l.Backend(), l.Home().ID, l.Home().Machine, dir)
	if err != nil || lacking != "" {
		t.Fatalf("the history is not whole: %s, %v", lacking, err)
	}
	if w == nil { // nothing is archived
		return contents(t, l.Backend())
	}
	out = contents(t, w)
	must(w.Close())
	return out
}

// inTable counts the keys of a table.
func inTable(all map[string]string, table string) (n int) {
	for k := range all {
		if strings.HasPrefix(k, table) {
			n++
		}
	}
	return n
}

// differing names keys whose values are not the same.
func differing(a, b map[string]string) (out []string) {
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			out = append(out, fmt.Sprintf("%q: %d bytes, then %d", k, len(v), len(w)))
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, fmt.Sprintf("%q is new", k))
		}
	}
	return out[:min(len(out), 8)]
}

// The archive and the cluster together have the history as it was, byte for byte. What reads the history copes with what is archived,
// whether the files are in this home or not, and the ledger moves back to a home only with them.
func TestTheArchiveAndTheClusterHaveTheWholeHistory(t *testing.T) {
	seed := storetest.Seed(t)
	cluster := storetest.StartEtcd(t, 1)
	at := clusterOf(t, cluster, "archived")
	dir := joined(t, at, true)
	l := archiving(t, dir, store.Options{})
	x := NewLife(seed)
	x.Attach(l)
	create := model.Envelope{Key: "first", Agent: "ada", Actor: model.Operator, Command: model.CreateWorkItem{Objective: "the first"}}
	first, err := l.Apply(ctx, create)
	must(err)
	// One change of two agents, of which one has none after it: only its portion stays on the cluster.
	_, err = l.Apply(ctx, model.Envelope{Key: "delegate", Agent: "ada", Actor: model.Operator,
		Command: model.OpenDelegation{WorkItemID: first.WorkItemID, To: "dee", Objective: "a part of it"}})
	must(err)
	for round := range 3 {
		x.Live(t, l, 150)
		before := wholeContents(t, l, store.ArchiveIn(dir))
		must(transfer.ArchiveOnce(ctx, l))
		now := contents(t, store.BackendOf(l))
		if n := inTable(now, "journal/"); n > 4*(8+2) {
			t.Errorf("seed %d, round %d: %d changes are still on the cluster", seed, round, n)
		}
		if after := wholeContents(t, l, store.ArchiveIn(dir)); !maps.Equal(before, after) {
			t.Fatalf("seed %d, round %d: it differs: %q", seed, round, differing(before, after))
		}
	}
	before := wholeContents(t, l, store.ArchiveIn(dir))
	must(store.AddOther(store.ArchiveIn(dir), l.Home().ID, "ada"))
	if after := wholeContents(t, l, store.ArchiveIn(dir)); !maps.Equal(before, after) {
		t.Fatalf("seed %d, with changes of another history: it differs: %q", seed, differing(before, after))
	}
	retried, err := l.Apply(ctx, create)
	if err != nil || !retried.Replayed || retried.WorkItemID != first.WorkItemID {
		t.Errorf("seed %d: a retry of an archived change: %+v, %v", seed, retried, err)
	}
	if last, _, err := l.LastUndo(ctx, first.WorkItemID, false); err != nil || last.Inverse != nil {
		t.Errorf("seed %d: an archived act can be undone, %v", seed, err)
	}
	isSound(t, l, 0)
	readsOn(t, l)

	other := archiving(t, joined(t, at, false), store.Options{})
	archived, err := transfer.Archived(ctx, other)
	must(err)
	isSound(t, other, archived.Changes)
	readsOn(t, other)
	backedUp(t, cluster, l, before, 0)
	backedUp(t, cluster, other, nil, archived.Changes)
	must(other.Close())
	must(l.Close())
	movesBackWithItsArchive(t, at, dir, before)
}

// isSound expects that a check finds nothing, and leaves out only so many archived changes.
func isSound(t *testing.T, l *store.Ledger, unread uint64) {
	t.Helper()
	var h store.Health
	err := transfer.Whole(ctx, l, func(l *store.Ledger) (err error) {
		h, err = l.Check(ctx)
		return err
	})
	if err != nil || !h.Healthy() || h.Archived != unread {
		t.Errorf("check: %q, %d archived changes were not read, want %d; %v", h.Problems, h.Archived, unread, err)
	}
}

// readsOn reads the history of all and of each agent in both directions. What is archived is no damage.
func readsOn(t *testing.T, l *store.Ledger) {
	t.Helper()
	must(l.View(ctx, func(r model.Reader) error {
		for _, agent := range []model.AgentID{"", "ada", "bob", "cy", "dee"} {
			down, up := r.HistoryBefore(agent, model.Position{}, 1_000_000), r.History(agent, model.Position{}, 1_000_000)
			if len(up) == 0 || len(up) != len(down) {
				t.Errorf("of agent %q, %d events forwards and %d backwards", agent, len(up), len(down))
			}
			r.HistoryBefore(agent, up[len(up)/2].Position(), 1_000_000)
		}
		return nil
	}))
	if d := l.Damage(); len(d) > 0 {
		t.Errorf("damage: %q", d)
	}
}

// backedUp makes a backup. It has the ledger as it was, or says how many changes it lacks; then it comes to another cluster as it is.
func backedUp(t *testing.T, cluster *storetest.Etcd, l *store.Ledger, want map[string]string, lacks uint64) {
	t.Helper()
	path := filepath.Join(storetest.MemoryDir(t), "backup")
	s, err := recovery.Backup(ctx, l, path)
	if err != nil {
		t.Fatal(err)
	}
	if lacks > 0 {
		if s.Archived == nil || s.Archived.Changes != lacks || !strings.Contains(s.Archived.Said(), "in the archive: "+string(filepath.Separator)) {
			t.Errorf("the backup says %+v, and lacks %d changes", s.Archived, lacks)
		}
		again := onLedger(t, cluster, "again")
		_, err := transfer.FromBackup(ctx, path, again, nil, nil)
		must(err)
		brought := on(t, again, nil)
		isSound(t, brought, lacks)
		if x, err := transfer.Archived(ctx, brought); err != nil || x.Said() != s.Archived.Said() {
			t.Errorf("the ledger that came from a backup says %q of the archive, %v", x.Said(), err)
		}
		must(brought.Close())
		return
	}
	if s.Archived != nil {
		t.Errorf("the whole backup lacks %+v", s.Archived)
	}
	b, err := store.OpenCopy(path)
	must(err)
	defer b.Close()
	if got := contents(t, b); !maps.Equal(got, want) {
		t.Errorf("the backup differs: %q", differing(want, got))
	}
}

// movesBackWithItsArchive moves a ledger from a cluster to a home.
func movesBackWithItsArchive(t *testing.T, at store.Cluster, dir string, want map[string]string) {
	t.Helper()
	b, err := etcd.Connect(at)
	must(err)
	l, err := store.ClusterLedger(ctx, at, b)
	must(err)
	defer l.Close()
	elsewhere := filepath.Join(storetest.MemoryDir(t), "elsewhere")
	move := func(to string) error {
		a, err := transfer.Arrive(to, l.Home().ID, store.Options{})
		must(err)
		_, err = (&transfer.Move{From: l, To: a, FromName: at.Address(), ToName: to, Opened: a.Install, Archive: store.ArchiveIn(to)}).Run(ctx)
		if err != nil {
			return errors.Join(err, a.Close())
		}
		return a.Finish(ctx)
	}
	refused := func(what string) {
		t.Helper()
		if err := move(elsewhere); err == nil || !strings.Contains(err.Error(), what) || !isOpen(store.BackendOf(l)) {
			t.Errorf("a move without the files: %v, want %q", err, what)
		}
	}
	refused("in the archive: " + store.ArchiveIn(dir))
	must(os.CopyFS(store.ArchiveIn(elsewhere), os.DirFS(store.ArchiveIn(dir))))
	gone, err := filepath.Glob(filepath.Join(store.ArchiveIn(elsewhere), "*", "bob"))
	must(err)
	must(os.RemoveAll(gone[0]))
	refused("of agent bob is not in " + store.ArchiveIn(elsewhere))
	must(move(dir))
	home, err := store.Open(dir, store.Options{})
	must(err)
	defer home.Close()
	if got := contents(t, store.BackendOf(home)); !maps.Equal(got, want) {
		t.Errorf("the ledger that came back differs: %q", differing(want, got))
	}
	isSound(t, home, 0)
}

// ending is a cluster whose client ends at a transaction. Nothing that was written to a file may be unsynced at a change of the cluster.
type ending struct {
	*etcd.Backend
	s        *stop
	unsynced unsynced
}

func (d ending) Update(ctx context.Context, fn func(store.Txn) error) error {
	if len(d.unsynced) > 0 {
		panic(fmt.Sprintf("a change of the cluster comes before the sync of %v", slices.Collect(maps.Keys(d.unsynced))))
	}
	return d.s.next(func() error { return d.Backend.Update(ctx, fn) })
}

// The answers of archived changes are kept as long as those of others, and deleted with what is left of the changes.
func TestAnswersOfArchivedChangesEnd(t *testing.T) {
	dir := joined(t, clusterOf(t, storetest.StartEtcd(t, 1), "answers"), true)
	l := archiving(t, dir, store.Options{})
	defer l.Close()
	created, err := l.Apply(ctx, model.Envelope{Key: "create", Agent: "ada", Actor: model.Operator,
		Command: model.CreateWorkItem{Objective: "x"}})
	must(err)
	send := func(n int) (model.Receipt, error) {
		objective := model.Text(fmt.Sprint("change ", n))
		return l.Apply(ctx, model.Envelope{Key: fmt.Sprint("change-", n), Actor: model.Operator,
			Command: model.UpdateWorkItem{WorkItemID: created.WorkItemID, Objective: &objective}})
	}
	const changes = 1100
	for n := range changes {
		if _, err := send(n); err != nil {
			t.Fatal(err)
		}
		if n%200 == 0 {
			must(transfer.ArchiveOnce(ctx, l))
		}
	}
	now := contents(t, store.BackendOf(l))
	for _, table := range []string{"key/", "log/"} {
		if n := inTable(now, table); n < 1000 || n > 1000+4 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	for n, want := range map[int]bool{changes - 1: true, changes - 200: true, changes - 990: true, 1: false} {
		if r, err := send(n); err != nil || r.Replayed != want {
			t.Errorf("change %d again: answered before: %v, %v", n, r.Replayed, err)
		}
	}
	must(transfer.ArchiveOnce(ctx, l))
	isSound(t, l, 0)
}

// unsynced are the files and directories that were changed and not synced.
type unsynced map[string]bool

func (u unsynced) note(op files.Op) {
	switch op.Kind {
	case files.Write, files.Truncate:
		u[op.Path] = true
	case files.Mkdir:
		u[filepath.Dir(op.Path)] = true
	case files.Rename:
		u[filepath.Dir(op.Path)], u[filepath.Dir(op.To)] = true, true
		if u[op.Path] {
			delete(u, op.Path)
			u[op.To] = true
		}
	case files.Sync, files.SyncDir, files.Remove:
		delete(u, op.Path)
	}
}

// endsAt are the options of an archiver that ends where s says. gate is called before each operation of files.
func endsAt(s *stop, gate func(files.Op) error) store.Options {
	written := unsynced{}
	return store.Options{
		Machine: &files.Machine{Gate: func(op files.Op) error {
			written.note(op)
			return gate(op)
		}},
		Cluster: func(c store.Cluster) (store.Backend, error) {
			b, err := etcd.Connect(c)
			if err != nil {
				return nil, err
			}
			return ending{b.(*etcd.Backend), s, written}, nil
		},
	}
}

// An archiver that ends at any operation, of files or of the cluster, loses nothing, and the next one goes on. Whether the one that ends
// was on this machine makes no difference.
func TestAnArchiverThatEndsAnywhereLosesNothing(t *testing.T) {
	seed := storetest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 3))
	at := clusterOf(t, storetest.StartEtcd(t, 1), "killed")
	homes := []string{joined(t, at, true), joined(t, at, false)}
	l := archiving(t, homes[0], store.Options{})
	defer l.Close()
	x := NewLife(seed)
	x.Attach(l)
	all := filepath.Join(storetest.MemoryDir(t), "all") // what is in the archives of both
	stopped := 0
	for n := range storetest.Amount(40, 200) {
		x.Live(t, l, 40)
		together := func() {
			must(os.RemoveAll(all))
			for _, dir := range homes {
				if err := os.CopyFS(all, os.DirFS(store.ArchiveIn(dir))); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
		}
		together()
		before := wholeContents(t, l, all)
		s := &stop{}
		dir := homes[rng.IntN(len(homes))]
		a := archiving(t, dir, endsAt(s, func(op files.Op) error {
			if op.Kind == files.Write && s.n+1 == s.at && len(op.Data) > 0 {
				s.n++
				return &files.Short{Bytes: rng.IntN(len(op.Data)), Err: errStopped}
			}
			return s.next(func() error { return nil })
		}))
		s.n, s.at, s.after = 0, 1+rng.IntN(36), rng.IntN(2) == 0
		err := transfer.ArchiveOnce(ctx, a)
		_ = a.Close()
		if err != nil && !errors.Is(err, errStopped) {
			t.Fatalf("seed %d, round %d: %v", seed, n, err)
		}
		together()
		if after := wholeContents(t, l, all); !maps.Equal(before, after) {
			t.Fatalf("seed %d, round %d: it differs: %q", seed, n, differing(before, after))
		}
		if s.n >= s.at {
			stopped++
		}
	}
	if stopped < 10 {
		t.Errorf("it ended only %d times", stopped)
	}
	must(transfer.ArchiveOnce(ctx, l))
	if n := inTable(contents(t, store.BackendOf(l)), "journal/"); n > 3*(8+2) {
		t.Errorf("seed %d: %d changes are still on the cluster", seed, n)
	}
	must(os.CopyFS(store.ArchiveIn(homes[0]), os.DirFS(store.ArchiveIn(homes[1]))))
	isSound(t, l, 0)
	t.Logf("it ended %d times", stopped)
}
