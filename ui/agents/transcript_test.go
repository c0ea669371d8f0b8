package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"vise/model"
)

// TestATranscriptThatGrowsIsReadOn: a line can be cut off at one read, and whole at the next.
func TestATranscriptThatGrowsIsReadOn(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	path := filepath.Join(b.claude, "projects", "s1.jsonl")
	b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
	said := `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"It is split."}]}}` + "\n"
	called := fmt.Sprintf(`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"toolu_1","name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":%q}}]}}`, id)
	rest := called[60:] + "\n" + `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"{\"completed_transition\":true}"}]}}`
	if err := os.WriteFile(path, []byte(said+called[:60]), 0o600); err != nil {
		t.Fatal(err)
	}
	b.late = func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err = f.WriteAt([]byte(rest), int64(len(said)+60)); err != nil {
			t.Fatal(err)
		}
	}
	b.must(fmt.Sprintf(`{"session_id":"s1","transcript_path":%q,"hook_event_name":"Stop","last_assistant_message":"Anything else?"}`, path), "claude", "Stop")
	b.reported(id, "It is split.", model.ReportSameRound)
}

// TestATranscriptThatIsReplacedIsAnother: the content of the earlier one does not count.
func TestATranscriptThatIsReplacedIsAnother(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	path := filepath.Join(b.claude, "projects", "s1.jsonl")
	b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
	words := func(s string) string {
		return fmt.Sprintf(`{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":%q}]}}`, s) + "\n"
	}
	if err := os.WriteFile(path, []byte(words("Something else that is a good deal longer than what follows.")), 0o600); err != nil {
		t.Fatal(err)
	}
	b.late = func() {
		call := fmt.Sprintf(`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"toolu_1","name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":%q}}]}}`, id)
		answer := `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"{\"completed_transition\":true}"}]}}`
		next := path + ".next"
		if err := os.WriteFile(next, []byte(words("It is split.")+call+"\n"+answer+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, path); err != nil {
			t.Fatal(err)
		}
	}
	b.must(fmt.Sprintf(`{"session_id":"s1","transcript_path":%q,"hook_event_name":"Stop"}`, path), "claude", "Stop")
	b.reported(id, "It is split.", model.ReportSameRound)
}
