package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vise/model"
)

func TestACreatedPlanIsPrivateAndAlone(t *testing.T) {
	h := newHome(t)
	for dir := h.PlanDir(agent, item); dir != h.Dir(); dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		must(t, err)
		if info.Mode() != fs.ModeDir|0o700 {
			t.Errorf("%s has mode %s, want 0700", dir, info.Mode())
		}
	}
	info, err := os.Lstat(h.PlanPath(agent, item))
	must(t, err)
	if info.Mode() != 0o600 || links(info) != 1 {
		t.Errorf("plan.md has mode %s and %d names", info.Mode(), links(info))
	}
	onlyFile(t, h.PlanDir(agent, item), "plan.md")
}

func onlyFile(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("%s holds %v, want %s alone", dir, entries, name)
	}
}

func TestWhatHasThePlansNameWins(t *testing.T) {
	for _, c := range finds {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			c.swap(t, h)
			before := h.Plan(agent, item)
			named, lerr := os.Lstat(h.PlanPath(agent, item))
			created, err := h.CreatePlan(agent, item, "SEED")
			if lerr != nil { // nothing there: it can be created, or its directory is refused
				if created == (err != nil) {
					t.Errorf("got created %v and %v", created, err)
				}
				return
			}
			if created {
				t.Error("an existing file was replaced")
			}
			after, err := os.Lstat(h.PlanPath(agent, item))
			if err != nil || !os.SameFile(named, after) || !model.SamePlan(before.PlanArtifact, h.Plan(agent, item).PlanArtifact) {
				t.Errorf("what was there changed: %v", err)
			}
		})
	}
}

func TestAPlanIsNotCreatedThroughALink(t *testing.T) {
	h := newHome(t)
	outside := t.TempDir()
	must(t, os.RemoveAll(h.PlanDir(agent, item)))
	must(t, os.Symlink(outside, h.PlanDir(agent, item)))
	if created, err := h.CreatePlan(agent, item, "x"); created || err == nil || !strings.Contains(err.Error(), dirIsLink) {
		t.Errorf("got %v, %v", created, err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("written outside: %v", entries)
	}
}

func TestOfManyCreatorsOneWinsWhole(t *testing.T) {
	h, err := NewHome(t.TempDir())
	must(t, err)
	const n = 16
	seeds, won := [n]string{}, [n]bool{}
	var wg sync.WaitGroup
	for i := range n {
		seeds[i] = strings.Repeat(string(rune('a'+i)), 10_000)
		wg.Go(func() {
			created, err := h.CreatePlan(agent, item, seeds[i])
			if err != nil {
				t.Error(err)
			}
			won[i] = created
		})
	}
	wg.Wait()
	winners := 0
	for i := range won {
		if won[i] {
			winners++
			if got := h.Plan(agent, item); string(got.Raw) != seeds[i] {
				t.Errorf("the plan is not the winner's")
			}
		}
	}
	if winners != 1 {
		t.Errorf("%d creators say that they created it", winners)
	}
	onlyFile(t, h.PlanDir(agent, item), "plan.md")
}

func TestAPlanAheadLeavesNothingOfItself(t *testing.T) {
	h := newHome(t)
	before := entries(t, h.ItemsDir(agent))
	for _, seed := range []string{"", "seed"} {
		if !h.CreateAhead(agent, "wi-3", seed) || h.CreateAhead(agent, "wi-3", "other") {
			t.Error("it is not created once")
		}
		if got := h.Plan(agent, "wi-3"); string(got.Raw) != seed || got.Condition != model.PlanOK {
			t.Errorf("it reads %q, %s", got.Raw, got.Condition)
		}
		h.RemovePlan(agent, "wi-3", seed)
		if after := entries(t, h.ItemsDir(agent)); !slices.Equal(after, before) {
			t.Errorf("left are %v", after)
		}
	}
	if h.CreateAhead("bob", item, "") || h.CreateAhead(agent, "../x", "") {
		t.Error("it is created without its agent's directory, or outside it")
	}
	if _, err := os.Lstat(filepath.Join(h.Dir(), "agents", "bob")); err == nil {
		t.Error("it leaves the directory of an agent")
	}
}

func TestWhatWasChangedIsNotRemoved(t *testing.T) {
	h := newHome(t)
	for name, change := range map[string]func(dir string) error{
		"edited": func(dir string) error { return os.WriteFile(filepath.Join(dir, planFile), []byte("edited"), 0o600) },
		"replaced": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, planFile)), os.Symlink("x", filepath.Join(dir, planFile)))
		},
		"linked": func(dir string) error { return os.Link(filepath.Join(dir, planFile), filepath.Join(dir, "link")) },
	} {
		id := model.ItemID("wi-" + name)
		if !h.CreateAhead(agent, id, "seed") {
			t.Fatal("not created")
		}
		must(t, change(h.PlanDir(agent, id)))
		before := entries(t, h.PlanDir(agent, id))
		h.RemovePlan(agent, id, "seed")
		if after := entries(t, h.PlanDir(agent, id)); !slices.Equal(after, before) {
			t.Errorf("%s: left are %v of %v", name, after, before)
		}
	}
	must(t, os.WriteFile(filepath.Join(h.PlanDir(agent, item), "notes"), nil, 0o600))
	h.RemovePlan(agent, item, "plan of "+string(item))
	onlyFile(t, h.PlanDir(agent, item), "notes")
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range found {
		names = append(names, e.Name())
	}
	return names
}

func TestAPlanThatNobodyCouldReadIsNotCreated(t *testing.T) {
	h := newHome(t)
	created, err := h.CreatePlan(agent, "wi-3", strings.Repeat("x", model.MaxPlanBytes+1))
	if created || err == nil {
		t.Errorf("got %v, %v", created, err)
	}
}

func TestAFileSystemWithoutExclusiveRenameLinksInstead(t *testing.T) {
	dir, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer dir.Close()
	for _, name := range []string{"temp", "taken"} {
		must(t, dir.WriteFile(name, []byte(name), 0o600))
	}
	if err := linkNew(dir, "temp", "taken"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want that it exists", err)
	}
	must(t, linkNew(dir, "temp", "plan.md"))
	got, err := dir.ReadFile("plan.md")
	if err != nil || string(got) != "temp" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := dir.Lstat("temp"); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("the temporary name is still there: %v", err)
	}
}
