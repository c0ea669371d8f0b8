package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vise/model"
)

// report is a name that a report's file can have.
const report = "report-0123456789ab.md"

func TestStoredAreTheItemsThatHaveADirectory(t *testing.T) {
	h := newHome(t)
	agents := filepath.Dir(filepath.Dir(h.ItemsDir(agent)))
	must(t, os.Mkdir(filepath.Join(h.ItemsDir(agent), "Not an id"), 0o700))
	must(t, os.MkdirAll(h.PlanDir("bob", "wi-3"), 0o700))
	must(t, os.Mkdir(filepath.Join(agents, "idle"), 0o700))
	must(t, os.Mkdir(filepath.Join(agents, "Not an agent"), 0o700))
	must(t, os.WriteFile(filepath.Join(agents, "file"), nil, 0o600))
	must(t, os.Symlink(filepath.Join(agents, "bob"), filepath.Join(agents, "linked")))
	got, err := h.Stored()
	must(t, err)
	want := map[model.AgentID][]model.ItemID{agent: {item, other}, "bob": {"wi-3"}}
	for id, items := range got {
		if !slices.Equal(items, want[id]) {
			t.Errorf("%s has %q, want %q", id, items, want[id])
		}
	}
	if len(got[agent]) == 0 || len(got["bob"]) == 0 {
		t.Errorf("got %v", got)
	}

	must(t, os.RemoveAll(agents))
	if got, err := h.Stored(); err != nil || len(got) != 0 {
		t.Errorf("a home without agents has %v, %v", got, err)
	}
}

func TestWhatBelongsToItemsIsVisitedItemByItem(t *testing.T) {
	h := newHome(t)
	changed := time.Date(2026, 11, 3, 4, 5, 6, 0, time.UTC)
	must(t, os.Chtimes(h.PlanPath(agent, item), changed, changed))
	if _, err := h.CreateReport(agent, item, report, "the whole report"); err != nil {
		t.Fatal(err)
	}
	hash, broken := keep(t, h, "an earlier plan"), keep(t, h, "a save with other content")
	must(t, os.Truncate(filepath.Join(savesPath(h), saveName(broken)), 5))
	beside := func(name string) string { return filepath.Join(h.PlanDir(agent, item), name) }
	must(t, os.WriteFile(beside("notes.md"), []byte("not vise's"), 0o600))
	must(t, os.Symlink(beside(report), beside("report-ba9876543210.md")))
	must(t, os.Mkdir(h.PlanDir(agent, "wi-empty"), 0o700))
	must(t, os.Symlink(h.PlanDir(agent, item), h.PlanDir(agent, "wi-linked")))

	var ids []model.ItemID
	found := map[string]Kept{}
	asked := []model.ItemID{other, "wi-none", "wi-empty", "wi-linked", "../" + item, item}
	must(t, h.EachKept(agent, asked, func(id model.ItemID, k Kept) error {
		ids = append(ids, id)
		if id == item {
			found[k.Name] = k
		} else if k.Name != "" || string(k.Raw) != "plan of wi-2" {
			t.Errorf("%s has %q: %q", id, k.Name, k.Raw)
		}
		return nil
	}))
	if want := []model.ItemID{other, item, item, item}; !slices.Equal(ids, want) {
		t.Errorf("visited %q, want %q", ids, want)
	}
	if k := found[""]; string(k.Raw) != "plan of wi-1" || k.Changed != changed {
		t.Errorf("the plan is %q of %v", k.Raw, k.Changed)
	}
	if k := found[report]; string(k.Raw) != "the whole report" || k.Changed.IsZero() {
		t.Errorf("the report is %q of %v", k.Raw, k.Changed)
	}
	if k := found[hash]; string(unpacked(k.Raw, hash)) != "an earlier plan" || !k.Changed.IsZero() {
		t.Errorf("the save is %q of %v", k.Raw, k.Changed)
	}

	full, visits := errors.New("full"), 0
	err := h.EachKept(agent, []model.ItemID{item, other}, func(model.ItemID, Kept) error { visits++; return full })
	if !errors.Is(err, full) || visits != 1 {
		t.Errorf("a visit that fails: %v after %d", err, visits)
	}
}
