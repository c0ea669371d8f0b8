//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// withPlans is a home with three items and their plans, and how to find those.
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

// A backup holds the plans too. Bringing it back makes those that are missing, and leaves
// all that are there alone: what the backup had of them lies aside.
func TestABackupBringsPlansBackAndOverwritesNone(t *testing.T) {
	dir, l, plans, paths := withPlans(t)
	file := filepath.Join(t.TempDir(), "copy.db")
	s, err := l.Backup(ctx, file)
	if err != nil || s.Plans != 3 {
		t.Fatalf("%+v %v", s, err)
	}
	must(os.Remove(paths[1]))
	must(os.WriteFile(paths[2], []byte("# gone on"), 0o600))
	later := time.Now().Add(time.Hour)
	must(os.Chtimes(paths[2], later, later))

	r, err := store.PlanRestore(ctx, dir, store.RestoreOptions{From: file, Plans: plans})
	must(err)
	if b := r.Plans; b == nil || b.Saved != 3 || b.Same != 1 || b.Missing != 1 || b.Differ != 1 || b.Newer != 1 || b.Aside == "" {
		t.Errorf("it is told as %+v", r.Plans)
	}
	if reads(paths[1]) != "" || reads(paths[2]) != "# gone on" {
		t.Error("looking changed a plan")
	}
	must(r.Apply(ctx, store.RestoreOptions{Plans: plans}))
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

// A plan that does not match its checksum is named and not made again; the others are.
func TestADamagedPlanInABackupIsNotBroughtBack(t *testing.T) {
	dir, l, plans, paths := withPlans(t)
	file := filepath.Join(t.TempDir(), "copy.db")
	_, err := l.Backup(ctx, file)
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
	r, err := store.PlanRestore(ctx, dir, store.RestoreOptions{From: file, Plans: plans})
	if err != nil || r.Plans == nil || r.Plans.Damaged == "" || r.Plans.Missing != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	must(r.Apply(ctx, store.RestoreOptions{Plans: plans}))
	if reads(paths[0]) != "# same" || reads(paths[1]) != "" || reads(paths[2]) != "# newer" {
		t.Errorf("the plans are %q %q %q", reads(paths[0]), reads(paths[1]), reads(paths[2]))
	}
}
