package agents

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

func edits(program, session, dir, path string) string {
	field := map[string]string{"opencode": "filePath", "copilot": "path"}[program]
	if field == "" {
		field = "file_path"
	}
	tool := map[string]string{"claude": "Edit", "gemini": "replace", "opencode": "edit", "copilot": "edit", "crush": "edit"}[program]
	return fmt.Sprintf(`{"session_id":%q,"sessionID":%q,"cwd":%q,"tool_name":%q,"tool_input":{%q:%q}}`, session, session, dir, tool, field, path)
}

// TestASessionHearsOnceWhoElseChangesAFile: after the tool that changed it, and the other agent's session after its
// next tool.
func TestASessionHearsOnceWhoElseChangesAFile(t *testing.T) {
	for program, event := range map[string]string{"claude": "PostToolUse", "gemini": "AfterTool", "copilot": "PostToolUse",
		"opencode": "tool.execute.after", "crush": "PreToolUse"} {
		t.Run(program, func(t *testing.T) {
			b := newHookBench(t)
			b.factTimeout = time.Minute
			r := storetest.RepoWithCommit(t)
			dir := filepath.Join(t.TempDir(), "bob")
			r.Git("worktree", "add", "-q", "-b", "bob", dir)
			for _, agent := range []model.AgentID{"ann", "bob"} {
				in := b.apply(agent, model.CreateWorkItem{Objective: "work of " + model.Text(agent)})
				b.apply(agent, model.PickWorkItem{WorkItemID: in.WorkItemID})
			}
			r.Write("tracked.txt", "mine\n")
			r.At(dir).Write("tracked.txt", "theirs\n")
			hears := func(agent, session, tree, want string) {
				t.Helper()
				b.must(edits(program, session, tree, filepath.Join(tree, "tracked.txt")), program, event, "--agent", agent)
				if has := strings.Contains(b.stdout, "changes tracked.txt too"); has != (want != "") || !strings.Contains(b.stdout, want) {
					t.Errorf("%s heard %q, want %q", agent, b.stdout, want)
				}
			}
			b.must(edits(program, "s1", r.Dir, "/nowhere"), program, event, "--agent", "ann") // its first context
			b.must(edits(program, "s2", dir, "/nowhere"), program, event, "--agent", "bob")
			hears("ann", "s1", r.Dir, "")
			hears("bob", "s2", dir, "ann changes tracked.txt too, line 1, for wi-")
			hears("bob", "s2", dir, "")
			hears("ann", "s1", r.Dir, "bob changes tracked.txt too, line 1, for wi-")
			hears("ann", "s1", r.Dir, "")
		})
	}
}

// TestTheEndOfATurnTellsOfFilesThatNoToolNamed: git names them.
func TestTheEndOfATurnTellsOfFilesThatNoToolNamed(t *testing.T) {
	b := newHookBench(t)
	b.factTimeout = time.Minute
	r := storetest.RepoWithCommit(t)
	dir := filepath.Join(t.TempDir(), "bob")
	r.Git("worktree", "add", "-q", "-b", "bob", dir)
	var ids []model.ItemID
	for agent, tree := range map[model.AgentID]string{"ann": r.Dir, "bob": dir} {
		id := b.apply(agent, model.CreateWorkItem{Objective: "work of " + model.Text(agent)}).WorkItemID
		b.apply(agent, model.PickWorkItem{WorkItemID: id})
		b.apply(agent, model.LinkWorkItem{WorkItemID: id, Add: model.Links{Refs: []model.Ref{{Kind: model.RefWorktree, Ref: model.Text(tree)}}}})
		r.At(tree).Write("tracked.txt", "of "+string(agent)+"\n")
		b.must(stop("s-"+string(agent), "", "Done for now.", ""), "claude", "Stop", "--agent", string(agent))
		ids = append(ids, id)
	}
	for _, id := range ids {
		if list := b.view(id).Overlaps; len(list) != 1 || list[0].Words() == "" || list[0].LinesWords() != "line 1" {
			t.Errorf("%s overlaps with %v", id, list)
		}
	}
}
