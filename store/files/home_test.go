package files

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
)

const (
	agent model.AgentID = "claude-main"
	item  model.ItemID  = "wi-1"
	other model.ItemID  = "wi-2"
)

// newHome is a home with one plan each for item and other.
func newHome(t testing.TB) Home {
	t.Helper()
	h, err := NewHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []model.ItemID{item, other} {
		if created, err := h.CreatePlan(agent, id, "plan of "+string(id)); err != nil || !created {
			t.Fatalf("create plan of %s: %v, %v", id, created, err)
		}
	}
	return h
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestAPlanIsFoundWhereItsPathSays(t *testing.T) {
	h := newHome(t)
	path := h.PlanPath(agent, item)
	if want := filepath.Join(h.Dir(), "agents/claude-main/work-items/wi-1/plan.md"); path != want {
		t.Errorf("path: got %s, want %s", path, want)
	}
	got := h.Plan(agent, item)
	if got.Path != path || got.Condition != model.PlanOK || got.Reason != "" {
		t.Errorf("got %s %s %q, want %s ok and no reason", got.Path, got.Condition, got.Reason, path)
	}
	if string(got.Raw) != "plan of wi-1" || got.Hash != sha(got.Raw) || got.Bytes != 12 {
		t.Errorf("got %q, %s, %d bytes", got.Raw, got.Hash, got.Bytes)
	}
	info, err := os.Stat(path)
	must(t, err)
	if !got.UpdatedAt.Equal(info.ModTime()) {
		t.Errorf("updated_at: got %s, want the mtime %s", got.UpdatedAt, info.ModTime())
	}
}

func TestAHomeIsNamedByItsAbsolutePath(t *testing.T) {
	t.Chdir(t.TempDir())
	h, err := NewHome("somewhere")
	must(t, err)
	if !filepath.IsAbs(h.Dir()) {
		t.Errorf("got %s, want an absolute path", h.Dir())
	}
	if _, err := NewHome(""); err == nil {
		t.Error("an empty path was taken for a home")
	}
}

func TestIdsThatAreNotIdsReachNoFile(t *testing.T) {
	h := newHome(t)
	must(t, os.WriteFile(filepath.Join(h.Dir(), "plan.md"), []byte("SECRET"), 0o600))
	bad := []string{"", ".", "..", "../..", "a/../../..", "wi-1/", "/etc", "WI-1", "wi 1", "wi\x001", "wi-1\n",
		strings.Repeat("a", 65), "-rf", "é"}
	for _, id := range bad {
		for _, try := range []struct {
			agent model.AgentID
			id    model.ItemID
		}{{agent, model.ItemID(id)}, {model.AgentID(id), item}} {
			got := h.Plan(try.agent, try.id)
			if got.Condition != model.PlanOutsideHome || got.Raw != nil {
				t.Errorf("%q/%q: got %s with %q", try.agent, try.id, got.Condition, got.Raw)
			}
			if id != "" && strings.Contains(got.RelativePath+got.Path+got.WorkspaceID+got.Reason, id+"/") {
				t.Errorf("%q/%q: the descriptor repeats the id", try.agent, try.id)
			}
			if p := h.PlanPath(try.agent, try.id); p != "" {
				t.Errorf("%q/%q: got path %q, want none", try.agent, try.id, p)
			}
			if created, err := h.CreatePlan(try.agent, try.id, "x"); created || err == nil {
				t.Errorf("%q/%q: a plan was created", try.agent, try.id)
			}
			if s := h.Stat(try.agent, try.id); s.Condition != model.PlanOutsideHome {
				t.Errorf("%q/%q: got stat %v", try.agent, try.id, s)
			}
		}
	}
}
