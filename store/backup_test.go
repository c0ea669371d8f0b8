package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/recovery"
	"vise/store/storetest"
)

// withPlans returns a home with three items and their plans, and how to find these.
func withPlans(t *testing.T) (dir string, l *store.Ledger, plans files.Home, paths []string) {
	t.Helper()
	dir, sound := newHome(t)
	sound.Close()
	plans, err := files.NewHome(dir)
	must(err)
	l, err = store.Open(dir, store.Options{Plans: plans})
	must(err)
	t.Cleanup(func() { l.Close() })
	for _, key := range []string{"same", "gone", "newer"} {
		e := objective(key)
		e.Command = model.CreateWorkItem{Objective: "x", Plan: model.Text("# " + key)}
		r, err := l.Apply(ctx, e)
		must(err)
		paths = append(paths, plans.PlanPath(r.AgentID, r.WorkItemID))
	}
	return dir, l, plans, paths
}

func reads(path string) string {
	raw, _ := os.ReadFile(path)
	return string(raw)
}

// A backup has the plans too. A restore makes the missing ones and does not change the others: it puts the backup's
// text of those aside.
func TestABackupBringsPlansBackAndOverwritesNone(t *testing.T) {
	dir, l, plans, paths := withPlans(t)
	file := filepath.Join(t.TempDir(), "copy.db")
	s, err := recovery.Backup(ctx, l, file)
	if err != nil || s.Plans != 3 {
		t.Fatalf("%+v %v", s, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup is %v, %v", info.Mode(), err)
	}
	must(os.Remove(paths[1]))
	must(os.WriteFile(paths[2], []byte("# gone on"), 0o600))
	later := time.Now().Add(time.Hour)
	must(os.Chtimes(paths[2], later, later))

	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: file, Plans: plans})
	must(err)
	if b := r.Plans; b == nil || b.Saved != 3 || b.Same != 1 || b.Missing != 1 || b.Differ != 1 || b.Newer != 1 || b.Aside == "" {
		t.Errorf("it is told as %+v", r.Plans)
	}
	if reads(paths[1]) != "" || reads(paths[2]) != "# gone on" {
		t.Error("looking changed a plan")
	}
	must(r.Apply(ctx, recovery.RestoreOptions{Plans: plans}))
	for i, want := range []string{"# same", "# gone", "# gone on"} {
		if got := reads(paths[i]); got != want {
			t.Errorf("plan %d is %q, want %q", i, got, want)
		}
	}
	aside, _ := filepath.Glob(filepath.Join(r.Plans.Aside, "*", "*.md"))
	if len(aside) != 1 || reads(aside[0]) != "# newer" {
		t.Errorf("aside lie %q", aside)
	}
	next, err := store.Open(dir, store.Options{})
	must(err)
	defer next.Close()
	healthy(t, next)
	if raw, err := os.ReadFile(filepath.Join(dir, "ledger.db")); err != nil || regexp.MustCompile(`(?s)/wi-[0-9a-z]{26}.{4,12}# `).Match(raw) {
		t.Errorf("the ledger holds the backup's plans, %v", err)
	}
}

// A report that is too long for its record is in a file. A backup has this file and restores it like a plan.
func TestABackupBringsLongReportsBack(t *testing.T) {
	dir, l, plans, paths := withPlans(t)
	long := "It works. " + strings.Repeat("é", model.MaxReport)
	var reports []string
	for i, id := range []model.ItemID{itemAt(paths[0]), itemAt(paths[1]), itemAt(paths[2])} {
		for _, c := range []model.Command{model.CompleteWorkItem{WorkItemID: id}, model.ReportWorkItem{WorkItemID: id, Text: model.Text(long)}} {
			e := objective(fmt.Sprint(model.CommandName(c), i))
			e.Command = c
			_, err := l.Apply(ctx, e)
			must(err)
		}
		found, err := filepath.Glob(filepath.Join(filepath.Dir(paths[i]), "report-*.md"))
		if err != nil || len(found) != 1 {
			t.Fatalf("the report is in %q, %v", found, err)
		}
		reports = append(reports, found[0])
	}
	file := filepath.Join(t.TempDir(), "copy.db")
	if s, err := recovery.Backup(ctx, l, file); err != nil || s.Plans != 6 {
		t.Fatalf("%+v %v", s, err)
	}
	must(os.Remove(reports[1]))
	must(os.WriteFile(reports[2], []byte("other words"), 0o600))

	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: file, Plans: plans})
	must(err)
	if b := r.Plans; b.Saved != 6 || b.Same != 4 || b.Missing != 1 || b.Differ != 1 {
		t.Errorf("it is told as %+v", b)
	}
	must(r.Apply(ctx, recovery.RestoreOptions{Plans: plans}))
	aside, _ := filepath.Glob(filepath.Join(r.Plans.Aside, "*", "*-report-*.md"))
	if reads(reports[1]) != long || reads(reports[2]) != "other words" || len(aside) != 1 || reads(aside[0]) != long {
		t.Errorf("the reports have %d and %d bytes; aside lie %q", len(reads(reports[1])), len(reads(reports[2])), aside)
	}
}

// itemAt returns the agent and item of the plan at path.
func itemAt(path string) model.ItemID { return model.ItemID(filepath.Base(filepath.Dir(path))) }

// A plan that does not match its checksum is named and not restored; the others are.
func TestADamagedPlanInABackupIsNotBroughtBack(t *testing.T) {
	dir, l, plans, paths := withPlans(t)
	file := filepath.Join(t.TempDir(), "copy.db")
	_, err := recovery.Backup(ctx, l, file)
	must(err)
	raw, err := os.ReadFile(file)
	must(err)
	at := regexp.MustCompile(`(?s)/wi-[0-9a-z]{26}.{4,12}# gone`).FindIndex(raw)
	if at == nil {
		t.Fatal("the plan is not in the backup")
	}
	raw[at[1]-1] = 'X'
	must(os.WriteFile(file, raw, 0o600))
	for _, p := range paths {
		must(os.Remove(p))
	}
	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: file, Plans: plans})
	if err != nil || r.Plans == nil || r.Plans.Damaged == "" || r.Plans.Missing != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	must(r.Apply(ctx, recovery.RestoreOptions{Plans: plans}))
	if reads(paths[0]) != "# same" || reads(paths[1]) != "" || reads(paths[2]) != "# newer" {
		t.Errorf("the plans are %q %q %q", reads(paths[0]), reads(paths[1]), reads(paths[2]))
	}
}

// A backup has the kept saves of a plan. A restore makes the missing and the damaged ones, and a new home of a moment
// gets them too.
func TestABackupBringsKeptSavesBack(t *testing.T) {
	dir, l, plans, paths := withPlans(t)
	item := itemAt(paths[0])
	w, err := resolved(l, item)
	must(err)
	texts := map[string]string{}
	for _, text := range []string{"# one", "# two", "# three"} {
		hash := model.NewPlanArtifact("", "", []byte(text), time.Time{}).Hash
		must(plans.KeepSave(w.AgentID, item, hash, []byte(text)))
		texts[hash] = text
	}
	file := filepath.Join(t.TempDir(), "copy.db")
	if s, err := recovery.Backup(ctx, l, file); err != nil || s.Plans != 6 {
		t.Fatalf("%+v %v", s, err)
	}
	saves, err := filepath.Glob(filepath.Join(filepath.Dir(paths[0]), "saves", "*.gz"))
	if err != nil || len(saves) != 3 {
		t.Fatalf("the saves are %q, %v", saves, err)
	}
	must(os.Remove(saves[0]))
	must(os.WriteFile(saves[1], []byte("damaged"), 0o600))

	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: file, Plans: plans})
	must(err)
	if b := r.Plans; b.Saved != 6 || b.Same != 4 || b.Missing != 2 || b.Differ != 0 {
		t.Errorf("it is told as %+v", b)
	}
	must(r.Apply(ctx, recovery.RestoreOptions{Plans: plans}))
	kept := func(at files.Home) {
		t.Helper()
		for hash, text := range texts {
			if got := at.ReadSave(w.AgentID, item, hash); string(got) != text {
				t.Errorf("%q is kept as %q", text, got)
			}
		}
	}
	kept(plans)

	into := filepath.Join(t.TempDir(), "then")
	fresh, err := files.NewHome(into)
	must(err)
	r, err = recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{To: r.Revision, Copy: true, Into: into, Plans: plans})
	must(err)
	must(r.Apply(ctx, recovery.RestoreOptions{Plans: plans, NewPlans: fresh}))
	kept(fresh)
}

func resolved(l *store.Ledger, id model.ItemID) (w model.WorkItem, err error) {
	err = l.View(ctx, func(r model.Reader) error {
		w, _ = r.Item(id)
		return nil
	})
	return w, err
}

// interrupting are plans that end a context when the second plan is read.
type interrupting struct {
	files.Home
	reads *int
	end   context.CancelFunc
}

func (p interrupting) ReadFile(agent model.AgentID, item model.ItemID, name string) ([]byte, time.Time, error) {
	if name != "" {
		return p.Home.ReadFile(agent, item, name)
	}
	if *p.reads++; *p.reads == 2 {
		p.end()
	}
	return p.Home.ReadFile(agent, item, name)
}

// An interrupted backup leaves no file and reads no further. An interrupted restore leaves the home as it was, or can
// be repeated.
func TestAnInterruptedBackupOrRestoreLeavesNothingHalf(t *testing.T) {
	dir, l, plans, paths := withPlans(t)
	to := t.TempDir()
	file := filepath.Join(to, "copy.db")
	_, err := recovery.Backup(ctx, l, file)
	must(err)
	interrupted := func(what string, do func(ctx context.Context, p interrupting) error) {
		t.Helper()
		ctx, end := context.WithCancel(ctx)
		defer end()
		reads := 0
		err := do(ctx, interrupting{plans, &reads, end})
		if !errors.Is(err, context.Canceled) || reads != 2 {
			t.Errorf("%s: %v after %d plans", what, err, reads)
		}
		left, _ := filepath.Glob(filepath.Join(dir, ".*"))
		if half, _ := os.ReadDir(to); len(half) != 1 || len(left) > 0 {
			t.Errorf("%s leaves %v and %v", what, half, left)
		}
	}
	l.Close()
	interrupted("backup", func(ctx context.Context, p interrupting) error {
		l, err := store.Open(dir, store.Options{Plans: p})
		must(err)
		defer l.Close()
		_, err = recovery.Backup(ctx, l, filepath.Join(to, "other.db"))
		return err
	})
	interrupted("looking at a restore", func(ctx context.Context, p interrupting) error {
		_, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: file, Plans: p})
		return err
	})
	for _, path := range paths {
		must(os.Remove(path))
	}
	again := func() *recovery.Recovery {
		r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: file, Plans: plans})
		must(err)
		return r
	}
	r := again()
	interrupted("restore", func(ctx context.Context, p interrupting) error {
		defer r.Discard()
		return r.Apply(ctx, recovery.RestoreOptions{Plans: p})
	})
	must(again().Apply(ctx, recovery.RestoreOptions{Plans: plans}))
	if got := reads(paths[0]) + reads(paths[1]) + reads(paths[2]); got != "# same# gone# newer" {
		t.Errorf("again it brings %q", got)
	}
}

// Where no home is, a backup becomes one: with its id, its history and its plans. A restore that is interrupted anywhere can be repeated.
func TestABackupBecomesTheHomeThatIsGone(t *testing.T) {
	storetest.Slow(t)
	dir, l, _, _ := withPlans(t)
	id, file := l.Home().ID, filepath.Join(t.TempDir(), "copy.db")
	_, err := recovery.Backup(ctx, l, file)
	must(errors.Join(err, l.Close()))
	truth, err := everything(dir)
	must(err)
	texts := func(dir string) (all string) {
		found, _ := filepath.Glob(filepath.Join(dir, "agents", "*", "work-items", "*", "plan.md"))
		for _, path := range found {
			all += reads(path)
		}
		return all
	}
	plansWere := texts(dir)
	must(os.RemoveAll(dir))
	restored := func(dir string, m *files.Machine) error {
		plans, err := files.NewHome(dir)
		must(err)
		r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: file, Plans: plans, Machine: m})
		if err == nil {
			err = r.Apply(ctx, recovery.RestoreOptions{Plans: plans, Machine: m})
		}
		return err
	}
	ops, from := 1, t.TempDir()
	for at := 0; at <= ops; at++ {
		dir := filepath.Join(from, fmt.Sprint(at), "home")
		f := &Faults{At: at}
		err := restored(dir, f.Machine())
		if at == 0 {
			must(err)
			ops = f.Count()
			t.Logf("%d operations", ops)
		} else {
			must(restored(dir, nil))
		}
		if got, err := everything(dir); err != nil || got != truth || texts(dir) != plansWere {
			t.Errorf("operation %d of %s: what came back is not what was: %v", at, f.Trace(), err)
		}
		next, err := store.Open(dir, store.Options{})
		must(err)
		if next.Home().ID != id {
			t.Errorf("operation %d: the home is %s, not %s", at, next.Home().ID, id)
		}
		healthy(t, next)
		must(next.Close())
		must(os.RemoveAll(dir))
	}
}
