package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
)

func (b *hookBench) say(words string, priority model.Priority) {
	b.t.Helper()
	b.sayTo("claude", words, priority)
}

func (b *hookBench) sayTo(agent model.AgentID, words string, priority model.Priority) {
	b.t.Helper()
	b.operates(model.Say{AgentID: agent, Text: model.Text(words), Priority: priority})
}

// operates carries out an act of the operator.
func (b *hookBench) operates(c model.Command) {
	b.t.Helper()
	b.keys++
	_, err := b.ledger.Apply(b.t.Context(), model.Envelope{Key: fmt.Sprint("operator", b.keys), Actor: model.Operator, Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
}

// TestAnAgentAtWorkHearsBetweenTwoTools, and one that is about to end its turn goes on with what waits.
func TestAnAgentAtWorkHearsBetweenTwoTools(t *testing.T) {
	const tool = `{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1"}`
	const rest = `{"session_id":"s1","hook_event_name":"Stop","stop_hook_active":%v,"last_assistant_message":"Bye."}`
	b := newHookBench(t)
	b.apply("claude", model.AddAgent{AgentID: "claude"})
	for _, step := range []struct {
		name, say string
		priority  model.Priority
		input     string
		event     string
		want      string
	}{
		{"nothing waits", "", "", tool, "PostToolUse", ""},
		{"between tools", "Use LFU.", model.Normal, tool, "PostToolUse", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"`},
		{"it is told once", "", "", tool, "PostToolUse", ""},
		{"at the end of a turn", "And hurry.", model.Normal, fmt.Sprintf(rest, false), "Stop", `{"decision":"block","reason":"`},
		{"nobody is made to go on twice", "One more.", model.Normal, fmt.Sprintf(rest, true), "Stop", ""},
		{"the next prompt has it", "", "", `{"session_id":"s1"}`, "UserPromptSubmit", "One more."},
		{"what is in no hurry", "By the way.", model.Background, tool, "PostToolUse", ""},
		{"waits for a prompt", "", "", `{"session_id":"s1"}`, "UserPromptSubmit", "By the way."},
	} {
		if step.say != "" {
			b.say(step.say, step.priority)
		}
		b.must(step.input, "claude", step.event)
		if (step.want == "") != (b.stdout == "") || !strings.Contains(b.stdout, step.want) {
			t.Errorf("%s: told %q, want %q", step.name, b.stdout, step.want)
		}
	}
}

// TestASubagentsWordsAreReadInItsOwnTranscript, in which all lines are marked as the subagent's.
func TestASubagentsWordsAreReadInItsOwnTranscript(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	b.must(strings.Replace(postToolUse("s1", "toolu_1", id), `{"session_id"`, `{"agent_id":"sub1","session_id"`, 1), "claude", "PostToolUse")
	path := filepath.Join(b.claude, "projects", "sub.jsonl")
	lines := fmt.Sprintf(`{"isSidechain":true,"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"The subagent did it."},{"type":"tool_use","id":"toolu_1","name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":%q}}]}}
{"isSidechain":true,"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}}
`, id)
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	b.must(fmt.Sprintf(`{"session_id":"s1","agent_id":"other","agent_transcript_path":%q}`, path), "claude", "SubagentStop")
	b.offered(id, "", "")
	b.must(fmt.Sprintf(`{"session_id":"s1","agent_id":"sub1","agent_transcript_path":%q}`, path), "claude", "SubagentStop")
	b.reported(id, "The subagent did it.", model.ReportSameRound)
}
