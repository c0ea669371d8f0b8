package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	if err == nil || strings.Contains(err.Error(), "idle") || !strings.Contains(err.Error(), "linked: outside_home") {
		t.Errorf("what cannot be listed is %v", err)
	}
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

func TestBesideAPlanAreItsReportsAndSavesOnly(t *testing.T) {
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

	type kept struct {
		raw     []byte
		changed time.Time
	}
	found := map[string]kept{}
	names, err := h.Beside(agent, item)
	must(t, err)
	refused := 0
	for _, name := range names {
		raw, changed, err := h.ReadFile(agent, item, name)
		switch {
		case err != nil:
			refused++ // the broken save and the link
		case raw != nil:
			found[name] = kept{raw, changed}
		}
	}
	if refused != 2 {
		t.Errorf("%d of %q cannot be read, want 2", refused, names)
	}
	if len(found) != 2 {
		t.Errorf("found %v", found)
	}
	if k := found[report]; string(k.raw) != "the whole report" || k.changed.IsZero() {
		t.Errorf("the report is %q of %v", k.raw, k.changed)
	}
	if k := found[hash]; string(unpacked(k.raw, hash)) != "an earlier plan" || !k.changed.IsZero() {
		t.Errorf("the save is %q of %v", k.raw, k.changed)
	}
	for _, id := range []model.ItemID{other, "wi-none", "wi-empty", "wi-linked", "../" + item} {
		names, err := h.Beside(agent, id)
		if bad := id == "wi-linked" || id == "../"+item; len(names) != 0 || (err != nil) != bad {
			t.Errorf("beside the plan of %s are %q, %v", id, names, err)
		}
	}
	if raw, at, _ := h.ReadFile(agent, item, ""); string(raw) != "plan of wi-1" || !at.Equal(changed) {
		t.Errorf("the plan is %q of %v", raw, at)
	}
}
