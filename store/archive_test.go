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
	"vise/store/journal"
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

// wholeHistory are the changes on the cluster and in the archive's files of some directories, by their keys.
func wholeHistory(t testing.TB, l *store.Ledger, dirs ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, p := range pairs(t, store.BackendOf(l), "journal/") {
		out[string(p[0])] = string(p[1])
	}
	for _, dir := range dirs {
		parts, err := filepath.Glob(filepath.Join(store.ArchiveIn(dir), "*", "*"))
		must(err)
		for _, part := range parts {
			j := &journal.Copy{Dir: part, Home: l.Home().ID}
			_, err := j.Read(0, func(c journal.Change) error {
				for _, v := range c.Values {
					out[string(store.JournalKey(c.Revision, v.Part))] = string(v.Bytes)
				}
				return nil
			})
			must(err)
		}
	}
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

// The archive and the cluster together have the history as it was, byte for byte. What reads the history copes with what is archived.
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
		before := wholeHistory(t, l, dir)
		must(transfer.ArchiveOnce(ctx, l))
		now := contents(t, store.BackendOf(l))
		if n := inTable(now, "journal/"); n > 4*(8+2) {
			t.Errorf("seed %d, round %d: %d changes are still on the cluster", seed, round, n)
		}
		if after := wholeHistory(t, l, dir); !maps.Equal(before, after) {
			t.Fatalf("seed %d, round %d: it differs: %q", seed, round, differing(before, after))
		}
	}
	retried, err := l.Apply(ctx, create)
	if err != nil || !retried.Replayed || retried.WorkItemID != first.WorkItemID {
		t.Errorf("seed %d: a retry of an archived change: %+v, %v", seed, retried, err)
	}
	if last, _, err := l.LastUndo(ctx, first.WorkItemID, false); err != nil || last.Inverse != nil {
		t.Errorf("seed %d: an archived act can be undone, %v", seed, err)
	}
	archived, err := transfer.Archived(ctx, l)
	must(err)
	isSound(t, l)
	readsOn(t, l)
	backedUp(t, cluster, l, archived)
	must(l.Close())
	livesInAFile(t, at, archived)
}

// isSound expects that a check finds nothing, and leaves out only the archived changes.
func isSound(t *testing.T, l *store.Ledger) {
	t.Helper()
	archived, err := transfer.Archived(ctx, l)
	must(err)
	h, err := l.Check(ctx)
	if err != nil || !h.Healthy() || h.Archived != archived.Changes {
		t.Errorf("check: %q, %d archived changes were not read, want %d; %v", h.Problems, h.Archived, archived.Changes, err)
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

// backedUp makes a backup, which says what it lacks, and brings it to another cluster.
func backedUp(t *testing.T, cluster *storetest.Etcd, l *store.Ledger, archived transfer.Archive) {
	t.Helper()
	path := filepath.Join(storetest.MemoryDir(t), "backup")
	s, err := recovery.Backup(ctx, l, path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Archived == nil || s.Archived.Said() != archived.Said() || !strings.Contains(archived.Said(), "in the archive: "+string(filepath.Separator)) {
		t.Errorf("the backup says %+v, and lacks %+v", s.Archived, archived)
	}
	again := onLedger(t, cluster, "again")
	_, err = transfer.FromBackup(ctx, path, again, nil)
	must(err)
	brought := on(t, again, nil)
	isSound(t, brought)
	if x, err := transfer.Archived(ctx, brought); err != nil || x.Said() != archived.Said() {
		t.Errorf("the ledger that came from a backup says %q of the archive, %v", x.Said(), err)
	}
	must(brought.Close())
}

// livesInAFile moves a ledger from a cluster to a home that never saw the archive. There it is used, backed up, restored and moved back.
func livesInAFile(t *testing.T, at store.Cluster, archived transfer.Archive) {
	t.Helper()
	b, err := etcd.Connect(at)
	must(err)
	cluster, err := store.ClusterLedger(ctx, at, b)
	must(err)
	defer cluster.Close()
	dir := filepath.Join(storetest.MemoryDir(t), "elsewhere")
	movesHome(t, cluster, at, dir)
	home, err := store.Open(dir, store.Options{})
	must(err)
	if want, got := contents(t, store.BackendOf(cluster)), contents(t, store.BackendOf(home)); !maps.Equal(got, want) {
		t.Errorf("the ledger that came back differs: %q", differing(want, got))
	}
	_, err = recovery.TakeSnapshot(ctx, home)
	must(err)
	x := NewLife(storetest.Seed(t))
	x.Attach(home)
	x.Live(t, home, 60)
	isSound(t, home)
	readsOn(t, home)
	if c, err := home.CheckCopy(ctx); err != nil || len(c.Problems) > 0 || c.Changes == 0 {
		t.Errorf("the copy of the history: %+v, %v", c, err)
	}
	backup := filepath.Join(storetest.MemoryDir(t), "backup")
	s, err := recovery.Backup(ctx, home, backup)
	if err != nil || s.Archived == nil || s.Archived.Changes != archived.Changes {
		t.Errorf("the backup says %+v, %v", s.Archived, err)
	}
	must(home.Close())
	truth, err := everything(dir)
	must(err)
	restores(t, dir, backup, truth, archived)

	home, err = store.Open(dir, store.Options{})
	must(err)
	back := onEmpty(t, at, "back")
	_, err = (&transfer.Move{From: home, To: store.BackendOf(back), FromName: dir, ToName: "back"}).Run(ctx)
	must(err)
	must(home.Close())
	isSound(t, back)
	must(back.Close())
}

// onEmpty is a ledger of another name on a cluster, before it is there.
func onEmpty(t *testing.T, at store.Cluster, name string) *store.Ledger {
	t.Helper()
	at.Ledger = name
	b, err := etcd.Connect(at)
	must(err)
	return store.LedgerOn(b, nil)
}

// movesHome moves a ledger on a cluster to a home.
func movesHome(t *testing.T, l *store.Ledger, at store.Cluster, dir string) {
	t.Helper()
	a, err := transfer.Arrive(dir, l.Home().ID, store.Options{})
	must(err)
	_, err = (&transfer.Move{From: l, To: a, FromName: at.Address(), ToName: dir, Opened: a.Install}).Run(ctx)
	must(err)
	must(a.Finish(ctx))
}

// restores loses the ledger of a home whose older changes are in an archive, and restores it: from a snapshot with the copy of the history,
// from a backup in a new home, and as of a moment.
func restores(t *testing.T, dir, backup, truth string, archived transfer.Archive) {
	t.Helper()
	home, err := store.Open(dir, store.Options{})
	must(err)
	newest := uint64(0)
	must(home.ViewFacts(ctx, func(f *store.Facts) error { newest = f.Head().Revision; return f.Err }))
	must(home.Close())
	restore := func(dir string, o recovery.RestoreOptions) *recovery.Recovery {
		t.Helper()
		r, err := recovery.PlanRestore(ctx, dir, o)
		if err != nil {
			t.Fatal(err)
		}
		must(r.Apply(ctx, o))
		return r
	}
	into := filepath.Join(storetest.MemoryDir(t), "then")
	if r := restore(dir, recovery.RestoreOptions{To: newest - 5, Copy: true, Into: into}); r.Revision != newest-5 {
		t.Errorf("the new home is at %d, not %d", r.Revision, newest-5)
	}
	_, err = recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{To: archived.Newest(), Copy: true, Into: into + "-before"})
	if said := (*model.Error)(nil); !errors.As(err, &said) || !strings.Contains(said.Hint, archived.Said()) {
		t.Errorf("a moment that is in the archive: %v", err)
	}
	must(os.Remove(filepath.Join(dir, "ledger.db")))
	restore(dir, recovery.RestoreOptions{})
	if now, err := everything(dir); err != nil || now != truth {
		t.Errorf("the restored ledger differs, %v", err)
	}
	fresh := filepath.Join(storetest.MemoryDir(t), "fresh")
	restore(fresh, recovery.RestoreOptions{From: backup})
	for _, at := range []string{dir, into, fresh} {
		l, err := store.Open(at, store.Options{})
		must(err)
		isSound(t, l)
		readsOn(t, l)
		must(l.Close())
	}
}

// A home whose ledger was on a cluster meanwhile has a copy of changes that are in the archive now. It goes aside.
func TestAHomeGetsItsLedgerBackWithoutArchivedChanges(t *testing.T) {
	at := clusterOf(t, storetest.StartEtcd(t, 1), "archived")
	dir, l := newHome(t)
	x := NewLife(storetest.Seed(t))
	x.Attach(l)
	x.Live(t, l, 60)
	last := model.Envelope{Key: "last", Agent: "dee", Actor: model.Operator, Command: model.CreateWorkItem{Objective: "nothing follows"}}
	_, err := l.Apply(ctx, last)
	must(err)
	cluster := onEmpty(t, at, at.Ledger)
	_, err = (&transfer.Move{From: l, To: store.BackendOf(cluster), FromName: dir, ToName: at.Address()}).Run(ctx)
	must(err)
	must(l.Close())
	must(cluster.Close())
	archiver := archiving(t, joined(t, at, false), store.Options{})
	x.Attach(archiver)
	x.Live(t, archiver, 100)
	must(transfer.ArchiveOnce(ctx, archiver))
	must(archiver.Close())
	b, err := etcd.Connect(at)
	must(err)
	cluster, err = store.ClusterLedger(ctx, at, b)
	must(err)
	defer cluster.Close()
	movesHome(t, cluster, at, dir)
	home, err := store.Open(dir, store.Options{})
	must(err)
	defer home.Close()
	if x, err := transfer.Archived(ctx, home); err != nil || x.Changes == 0 {
		t.Errorf("nothing is archived: %v", err)
	}
	isSound(t, home)
	must(home.HealCopy(ctx))
	if c, err := home.CheckCopy(ctx); err != nil || len(c.Problems) > 0 || c.Changes == 0 {
		t.Errorf("the copy of the history: %+v, %v", c, err)
	}
	if aside, _ := filepath.Glob(filepath.Join(dir, "aside", "*journal-before-move*")); len(aside) != 1 {
		t.Errorf("aside are %q", aside)
	}
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
	isSound(t, l)
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
	stopped := 0
	for n := range storetest.Amount(40, 200) {
		x.Live(t, l, 40)
		before := wholeHistory(t, l, homes...)
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
		if after := wholeHistory(t, l, homes...); !maps.Equal(before, after) {
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
	isSound(t, l)
	t.Logf("it ended %d times", stopped)
}
