package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vise/model"
)

// crushUses calls a session's hook before a tool, and returns what the session is told.
func (b *hookBench) crushUses(session, tool, input string) string {
	b.t.Helper()
	b.must(fmt.Sprintf(`{"event":"PreToolUse","session_id":%q,"cwd":"/repo","tool_name":%q,"tool_input":%s}`, session, tool, input), "crush", "PreToolUse")
	var out struct{ Context, Decision string }
	if b.stdout != "" && json.Unmarshal([]byte(b.stdout), &out) != nil || out.Decision != "" {
		b.t.Errorf("told %q", b.stdout)
	}
	return out.Context
}

// settle runs the process that the last hook started, with its arguments.
func (b *hookBench) settle() error {
	b.t.Helper()
	if len(b.detached) == 0 {
		b.t.Fatal("nothing was started")
	}
	return b.run("", b.detached[len(b.detached)-1][1:]...)
}

// TestCrushHearsBetweenTools: the first tool of a session, whichever it is, brings its context, and later ones bring
// what is urgent. A tool of ours never brings messages here: its answer has them.
func TestCrushHearsBetweenTools(t *testing.T) {
	b := newHookBench(t)
	if got := b.crushUses("s0", "bash", "{}"); got != "" {
		t.Errorf("an agent without work was told %q", got)
	}
	b.apply("crush", model.PickWorkItem{WorkItemID: b.apply("crush", model.CreateWorkItem{Objective: "Split the limiter"}).WorkItemID})
	b.sayTo("crush", "Use LFU.", model.Normal)
	for i, x := range []struct{ session, tool, want, not string }{
		{"s1", "mcp_vise_ListWorkItems", "Split the limiter", "LFU"},
		{"s1", "mcp_vise_GetWorkItem", "", "LFU"},
		{"s1", "bash", "Use LFU.", "Split"},
		{"s1", "bash", "", "LFU"},
		{"s2", "bash", "Split the limiter", "a decision"},
	} {
		got := b.crushUses(x.session, x.tool, "{}")
		if !strings.Contains(got, x.want) || strings.Contains(got, x.not) || x.want == "" && got != "" {
			t.Errorf("%d: %s %s was told %q", i, x.session, x.tool, got)
		}
	}
}

// TestCrushIsFollowedToItsWords, however late it writes them. A session that it does not report is given up, and vise
// invents no words for it.
func TestCrushIsFollowedToItsWords(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("crush")
	b.crushUses("s1", "bash", "{}")
	b.crushUses("s1", "mcp_vise_UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, id))
	if b.detached != nil {
		t.Fatalf("%v was started for a tool that completes nothing", b.detached)
	}
	b.crushUses("s1", "mcp_vise_CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, id))
	if err := b.settle(); err == nil || !strings.Contains(err.Error(), "no such session") {
		t.Errorf("a session that is not told ended with %v", err)
	}
	b.offered(id, "", "")
	call := fmt.Sprintf(`{"messages":[{"id":"m1","role":"assistant","parts":[{"type":"text","text":"It is split."},
		{"type":"tool_call","tool_call_id":"c1","name":"mcp_vise_CompleteWorkItem","input":"{\"work_item_id\":\"%s\"}"},{"type":"finish","reason":"tool_use"}]}`, id)
	b.session = call + "]}"
	b.late = func() {
		b.offered(id, "", "")
		b.session = call + `,{"id":"m2","role":"tool","parts":[{"type":"tool_result","tool_call_id":"c1","content":"{\"completed_transition\":true}"}]}]}`
	}
	if err := b.settle(); err != nil {
		t.Error(err)
	}
	b.reported(id, "It is split.", model.ReportSameRound)
	if got := seenEvents(b.dir, "crush"); len(got) != 2 || got[1].Event != "PreToolUse" || got[1].Count != 3 {
		t.Errorf("seen %+v", got)
	}
}
