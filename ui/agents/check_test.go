package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// evidence is what was seen to check an item, in words.
func (b *hookBench) evidence(id model.ItemID) (out string) {
	b.t.Helper()
	if err := b.ledger.View(b.t.Context(), func(r model.Reader) error {
		w, _ := r.Item(id)
		e := model.EvidenceOf(r, w)
		out = e.Words().String()
		return nil
	}); err != nil {
		b.t.Fatal(err)
	}
	return out
}

// TestWhatHooksSeeOfTestsIsEvidence in a repository and outside of one. It belongs to the focus and counts until a file
// is edited.
func TestWhatHooksSeeOfTestsIsEvidence(t *testing.T) {
	for name, dir := range map[string]string{"a repository": storetest.RepoWithCommit(t).Dir, "none": t.TempDir()} {
		b := newHookBench(t)
		b.factTimeout = 4 * time.Second
		id := b.apply("claude", model.CreateWorkItem{Objective: "Split the limiter"}).WorkItemID
		b.apply("claude", model.PickWorkItem{WorkItemID: id, Reason: "next"})
		edit := func(file string) {
			t.Helper()
			path := filepath.Join(dir, file)
			if err := os.WriteFile(path, []byte(file+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			b.must(fmt.Sprintf(`{"session_id":"s1","cwd":%q,"tool_name":"Write","tool_input":{"file_path":%q},"tool_response":{}}`, dir, path),
				"claude", "PostToolUse")
		}
		for _, step := range []struct {
			do   func()
			want string
		}{
			{func() { edit("a.go") }, "not verified: no test, build or linter was seen"},
			{func() { b.must(ran(dir, "ls", wentWell), "claude", "PostToolUse") }, "not verified: no test, build or linter was seen"},
			{func() {
				b.must(ran(dir, "go test ./...", `"error":"Exit code 1\nFAIL"`), "claude", "PostToolUseFailure")
			},
				"not verified: go test ./...: failed with exit status 1"},
			{func() { b.must(ran(dir, "go test ./...", wentWell), "claude", "PostToolUse") }, "verified: go test ./...: passed"},
			{func() { edit("b.go") }, "not verified: files changed after go test ./..."},
			{func() { b.must(ran(dir, "go test ./... | tail", wentWell), "claude", "PostToolUse") },
				"not verified: go test ./... | tail: how it ended was not seen"},
			{func() { b.must(ran(dir, "make build", `"tool_response":"fine"`), "codex", "PostToolUse") },
				"not verified: go test ./... | tail: how it ended was not seen"},
			{func() { b.must(ran(dir, "go vet ./...", wentWell), "claude", "PostToolUse") }, "verified: go vet ./...: passed"},
		} {
			step.do()
			if got := b.evidence(id); got != step.want {
				t.Errorf("%s: %q, want %q", name, got, step.want)
			}
		}
	}
}
