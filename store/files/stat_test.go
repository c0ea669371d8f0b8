package files

import (
	"os"
	"path/filepath"
	"testing"

	"vise/model"
)

func TestAStatMovesWithEveryKindOfChange(t *testing.T) {
	h := newHome(t)
	path := h.PlanPath(agent, item)
	aside := filepath.Join(h.PlanDir(agent, item), "v2.md")
	changes := []struct {
		name string
		do   func() error
	}{
		{"a write of the same size", func() error { return os.WriteFile(path, []byte("plan of wi-X"), 0o600) }},
		{"a mode", func() error { return os.Chmod(path, 0o640) }},
		{"a rename over it", func() error {
			must(t, os.WriteFile(aside, []byte("plan of wi-Y"), 0o600))
			return os.Rename(aside, path)
		}},
		{"its removal", func() error { return os.Remove(path) }},
		{"a link to a text", func() error {
			must(t, os.WriteFile(aside, []byte("linked"), 0o600))
			return os.Symlink("v2.md", path)
		}},
		{"a write to the link's target", func() error { return os.WriteFile(aside, []byte("Linked"), 0o600) }},
		{"the link's target gone", func() error { return os.Remove(aside) }},
		{"a link that leads out", func() error { must(t, os.Remove(path)); return os.Symlink("/etc/hostname", path) }},
		{"the directory's removal", func() error { return os.RemoveAll(h.PlanDir(agent, item)) }},
	}
	before := h.Stat(agent, item)
	for _, c := range changes {
		if again := h.Stat(agent, item); again != before {
			t.Errorf("before %s: two looks differ: %+v, %+v", c.name, before, again)
		}
		must(t, c.do())
		after := h.Stat(agent, item)
		if gone := before.Condition == model.PlanMissing; !gone && after == before {
			t.Errorf("%s does not show: %+v", c.name, after)
		}
		before = after
	}
	if before.Condition != model.PlanMissing {
		t.Errorf("got %+v at the end, want missing", before)
	}
}
