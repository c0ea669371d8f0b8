package e2e

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/storetest"
	"vise/store/transfer"
)

// serving runs vise serve until the returned function kills it.
func (m *fleetHome) serving() (kill func()) {
	m.t.Helper()
	c := m.command("serve", "--listen", "127.0.0.1:0")
	out, err := c.StderrPipe()
	must(m.t, err)
	must(m.t, c.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.Contains(lines.Text(), "listening") {
		m.t.Fatalf("the server says %q", lines.Text())
	}
	said := make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines.Scan() {
			fmt.Fprintln(&all, lines.Text())
		}
		said <- all.String()
	}()
	return func() {
		_ = c.Process.Signal(syscall.SIGKILL)
		if s := <-said; s != "" {
			m.t.Logf("the server said:\n%s", s)
		}
		_ = c.Wait()
	}
}

// archivedOf is how many changes of ann are archived.
func archivedOf(t *testing.T, l *store.Ledger) uint64 {
	t.Helper()
	x, err := transfer.Archived(ctx, l)
	must(t, err)
	return x.Of("ann").Changes
}

// A server archives old changes while they are made, and is killed again and again. Nothing is lost: the ledger is whole with the archive's
// files, and other machines say where these are.
func TestAKilledServerArchivesOn(t *testing.T) {
	seed := storetest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, seed))
	cluster := storetest.StartEtcd(t, 1)
	admin, err := clientv3.New(clientv3.Config{Endpoints: cluster.Endpoints()})
	must(t, err)
	defer admin.Close()
	bin := fleetPrograms(t)
	a, b, c := newFleetHome(t, bin), newFleetHome(t, bin), newFleetHome(t, bin)
	at := address(cluster, "team")
	a.must("fleet", "join", at, "--insecure", "--new")
	b.must("fleet", "join", at, "--insecure")
	item := a.makes("Split the rate limiter")
	l, err := store.Open(b.dir, store.Options{Cluster: etcd.Connect})
	must(t, err)
	defer l.Close()
	id, err := l.Resolve(ctx, item)
	must(t, err)

	made := 0
	change := func() {
		t.Helper()
		made++
		objective := model.Text(fmt.Sprint("The change ", made))
		_, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprint("change-", made), Actor: model.Operator,
			Command: model.UpdateWorkItem{WorkItemID: id, Objective: &objective}})
		if err != nil {
			t.Fatalf("seed %d, change %d: %v", seed, made, err)
		}
	}
	await := func(what string, is func() bool) {
		t.Helper()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for limit := time.Now().Add(time.Minute); !is(); <-tick.C {
			if time.Now().After(limit) {
				t.Fatalf("seed %d: not within a minute: %s", seed, what)
			}
		}
	}
	const kills = 6
	for range kills {
		before := archivedOf(t, l)
		for range 400 {
			change()
		}
		kill := a.serving()
		some := before + uint64(rng.IntN(100)) + 1
		looks := 0
		await("something is archived", func() bool {
			if looks++; looks%10 == 0 {
				change()
			}
			return archivedOf(t, l) >= some
		})
		kill()
		gone, err := admin.Delete(ctx, "/vise/team/s/of/archive") // as if its lease had lapsed
		must(t, err)
		if gone.Deleted == 0 {
			t.Fatalf("seed %d: the server had no claim", seed)
		}
	}
	kill := a.serving()
	changes := uint64(made + 1) // and the creation
	await("all is archived that is old", func() bool { return changes-archivedOf(t, l) <= 256+64 })
	kill()
	t.Logf("%d changes, %d archived", changes, archivedOf(t, l))
	archive := "in the archive: " + store.ArchiveIn(a.dir)
	b.says(archive, "fleet", "status")
	b.says("older changes are in the archive, and were not read", "fleet", "check")
	b.says(archive, "events", "--limit", "1000")
	b.says(archive, "events", "--after", "0", "--json")
	b.says(archive, "cost")
	b.says("its history begins after that: the changes 1 to ", "backup", filepath.Join(t.TempDir(), "backup"))
	b.says(archive, "doctor")
	a.must("move", at, c.dir, "--insecure")
	backup := filepath.Join(t.TempDir(), "backup")
	c.says("older changes are in the archive, and were not read", "doctor")
	c.says(archive, "events", "--limit", "1000")
	c.says(archive, "events", "--after", "0", "--json")
	c.says(archive, "cost")
	c.says(archive, "backup", backup)
	c.says("The change ", "why", string(id))
	c.fails(3, []string{archive}, "restore", "--at", "5", "--into", filepath.Join(t.TempDir(), "then"))
	c.must("restore", backup, "--home", filepath.Join(t.TempDir(), "restored"))
	home, err := store.Open(c.dir, store.Options{})
	must(t, err)
	defer home.Close()
	must(t, home.View(ctx, func(r model.Reader) error {
		back := uint64(0)
		for _, e := range r.History("ann", model.Position{}, 1_000_000) {
			if e.WorkItemID == id && e.Kind == model.EventWorkItemWritten {
				back++
			}
		}
		if back < 256 || back >= changes {
			t.Errorf("seed %d: %d changes of %d came back, want the newest 256", seed, back, changes)
		}
		return nil
	}))
}

// says expects that a command says some words.
func (m *fleetHome) says(words string, args ...string) {
	m.t.Helper()
	if out := m.must(args...); !strings.Contains(out, words) {
		m.t.Errorf("vise %q does not say %q:\n%s", args, words, out)
	}
}
