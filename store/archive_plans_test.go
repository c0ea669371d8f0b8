package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/files"
	"vise/store/storetest"
	"vise/store/transfer"
)

const day = 24 * time.Hour

// viewing is a cluster that counts what is read.
type viewing struct {
	*etcd.Backend
	n *int
}

func (v viewing) View(ctx context.Context, fn func(store.Txn) error) error {
	*v.n++
	return v.Backend.View(ctx, fn)
}

// textKeys counts the keys of the texts of an item.
func textKeys(t *testing.T, l *store.Ledger, id model.ItemID) int {
	t.Helper()
	return inTable(contents(t, store.BackendOf(l)), "plan/ada/"+string(id)+"/")
}

// savedPlans makes an item with plans of these texts, one after the other.
func savedPlans(t *testing.T, l *store.Ledger, texts ...[]byte) model.ItemID {
	t.Helper()
	id := create(t, l, "ada", store.NewID())
	for _, text := range texts {
		must(savePlan(l, id, text))
	}
	return id
}

func complete(t *testing.T, l *store.Ledger, id model.ItemID) {
	t.Helper()
	apply(t, l, model.Envelope{Key: store.NewID(), Actor: model.Operator, Agent: "ada", Command: model.CompleteWorkItem{WorkItemID: id}})
}

// The whole plans of an item stay on the cluster for a week after it was completed. Then they are in the archive, where its home reads them.
func TestThePlansOfCompletedItemsMoveToTheArchive(t *testing.T) {
	at := clusterOf(t, storetest.StartEtcd(t, 1), "texts")
	dir, views := joined(t, at, true), 0
	l := archiving(t, dir, store.Options{Cluster: func(c store.Cluster) (store.Backend, error) {
		b, err := etcd.Connect(c)
		return viewing{b.(*etcd.Backend), &views}, err
	}})
	defer l.Close()
	other := archiving(t, joined(t, at, false), store.Options{})
	defer other.Close()
	now := time.Now()
	l.Now = func() time.Time { return now }
	other.Now = l.Now
	archive := func() (read int) {
		t.Helper()
		was := views
		must(transfer.ArchiveTexts(ctx, l))
		return views - was
	}

	large := longPlan("large", 600<<10)
	item := savedPlans(t, l, longPlan("one", 3000), longPlan("two", 3000), large)
	short := savedPlans(t, l, []byte("short"))
	open := savedPlans(t, l, longPlan("open", 3000))
	complete(t, l, item)
	complete(t, l, short)
	now = now.Add(6 * day)
	later := savedPlans(t, l, longPlan("later", 3000))
	complete(t, l, later)
	if archive(); textKeys(t, l, item) == 0 {
		t.Error("they moved within a week")
	}
	late, text := create(t, l, "ada", store.NewID()), longPlan("late", 3000)
	describe := model.RefreshPlan{WorkItemID: late, Plan: model.NewPlanArtifact("ada", late, text, now)}
	apply(t, l, model.Envelope{Key: store.NewID(), Actor: model.Operator, Agent: "ada", Command: describe})
	complete(t, l, late)
	w, err := itemIn(other, late)
	must(err)
	must(other.KeepPlan(ctx, w, text))
	if !bytes.Equal(bodyIn(t, l, late), text) {
		t.Error("an item that was just completed got no text")
	}

	now = now.Add(2 * day)
	whole := contents(t, store.BackendOf(l))
	archive()
	for id, want := range map[model.ItemID]bool{item: false, short: false, open: true, later: true, late: true} {
		if n := textKeys(t, l, id); n > 0 != want {
			t.Errorf("%d keys are there, and some should be: %v", n, want)
		}
	}
	if !bytes.Equal(bodyIn(t, l, item), large) {
		t.Error("the home of the archive does not have the text")
	}
	w, err = itemIn(other, item)
	must(err)
	if places, err := transfer.TextsMoved(ctx, other, w); err != nil || !strings.HasPrefix(places, store.ArchiveIn(dir)+" on ") ||
		bodyIn(t, other, item) != nil {
		t.Errorf("elsewhere the text is said to be at %q, %v", places, err)
	}
	for _, id := range []model.ItemID{open, later} {
		w, err := itemIn(other, id)
		must(err)
		if places, err := transfer.TextsMoved(ctx, other, w); err != nil || places != "" {
			t.Errorf("a text that did not move is said to be at %q, %v", places, err)
		}
	}
	if n := len(textsIn(t, dir)); n != 3 {
		t.Errorf("%d texts are in the archive", n)
	}
	for key := range whole {
		if strings.HasPrefix(key, "plan/ada/"+string(item)+"/") {
			delete(whole, key)
		}
	}
	after := contents(t, store.BackendOf(l))
	if d := differing(whole, after); len(d) > 0 {
		t.Errorf("more than the texts changed: %q", d)
	}
	if n := archive(); n != 1 {
		t.Errorf("a pass that had nothing to do read %d times", n)
	}
	now = now.Add(6 * day)
	if n := archive(); n > 7 || textKeys(t, l, later)+textKeys(t, l, late) > 0 {
		t.Errorf("a pass for two items read %d times", n)
	}

	must(other.KeepPlan(ctx, w, large))
	if textKeys(t, l, item) > 0 {
		t.Error("a completed item got a text")
	}
	isSound(t, l)
	comesWithPlans(t, l, dir, item, large)
}

// comesWithPlans brings the plans of a ledger to a home: the texts in its archive come too, and others are named.
func comesWithPlans(t *testing.T, l *store.Ledger, dir string, item model.ItemID, text []byte) {
	t.Helper()
	for home, want := range map[string]string{dir: string(text), storetest.MemoryDir(t): ""} {
		plans, err := files.NewHome(home)
		must(err)
		out, err := transfer.BringPlans(ctx, l, plans)
		got, _, _ := plans.ReadFile("ada", item, "")
		if err != nil || string(got) != want || (out.MissingCount == 0) != (want != "") {
			t.Errorf("%+v, %v: the file has %d bytes", out, err, len(got))
		}
	}
}

// textsIn are the texts in the archive of a home, each under its hash.
func textsIn(t *testing.T, dir string) (all []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(store.ArchiveIn(dir), "*", "ada", "*.md"))
	must(err)
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		must(err)
		if hash := model.NewPlanArtifact("ada", "wi-x", raw, time.Time{}).Hash; hash != "sha256:"+strings.TrimSuffix(filepath.Base(path), ".md") {
			t.Errorf("%s has another text", path)
		}
		all = append(all, string(raw))
	}
	return all
}

// An archiver that ends at any operation, of files or of the cluster, loses no text, and the next one goes on.
func TestAnArchiverOfPlansThatEndsAnywhereLosesNothing(t *testing.T) {
	seed := storetest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 4))
	at := clusterOf(t, storetest.StartEtcd(t, 1), "killed")
	homes := []string{joined(t, at, true), joined(t, at, false)}
	l := archiving(t, homes[0], store.Options{})
	defer l.Close()
	future := func() time.Time { return time.Now().Add(8 * day) }
	var want []string
	for at, ended := 1, true; ended; at++ {
		texts := [][]byte{longPlan(fmt.Sprint("a", at), 3000), longPlan(fmt.Sprint("b", at), 3000)}
		if at%5 == 0 {
			texts[0] = longPlan(fmt.Sprint("a", at), 600<<10)
		}
		complete(t, l, savedPlans(t, l, texts...))
		want = append(want, string(texts[0]), string(texts[1]))
		s := &stop{}
		a := archiving(t, homes[rng.IntN(2)], endsAt(s, func(files.Op) error { return s.next(func() error { return nil }) }))
		a.Now = future
		*s = stop{at: at, after: rng.IntN(2) == 0}
		err := transfer.ArchiveTexts(ctx, a)
		n := s.n
		_ = a.Close()
		if ended = err != nil; ended && !errors.Is(err, errStopped) {
			t.Fatalf("seed %d, step %d: %v", seed, at, err)
		}
		if !ended && (at < 20 || n >= at) {
			t.Fatalf("seed %d: it ended %d times", seed, at-1)
		}
		there := slices.Concat(textsIn(t, homes[0]), textsIn(t, homes[1]))
		for _, p := range pairs(t, store.BackendOf(l), "plan/") {
			if strings.HasSuffix(string(p[0]), "/0") {
				there = append(there, string(p[1][:len(p[1])-4]))
			}
		}
		for _, text := range want {
			if !slices.Contains(there, text) {
				t.Fatalf("seed %d, step %d: %.20q is lost", seed, at, text)
			}
		}
	}
	l.Now = future
	must(transfer.ArchiveTexts(ctx, l))
	if n := inTable(contents(t, store.BackendOf(l)), "plan/"); n > 0 {
		t.Errorf("seed %d: %d keys of texts are still on the cluster", seed, n)
	}
	isSound(t, l)
}
