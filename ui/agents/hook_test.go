package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
)

func TestWordsOfTheCompletingReplyAreTheReport(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
	path := b.transcript(text("msg_1", "I look around."), text("msg_2", "Split; the proxy uses it."), use("msg_2", "toolu_1", id), done("toolu_1"), text("msg_3", "Anything else?"))
	b.must(stop("s1", path, "Anything else?", ""), "claude", "Stop")
	b.reported(id, "Split; the proxy uses it.", model.ReportSameRound)
	b.must(stop("s1", path, "Anything else?", ""), "claude", "Stop")
	b.reported(id, "Split; the proxy uses it.", model.ReportSameRound)
}

func TestCompletionWithoutWordsGetsTheLastOnesOffered(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
	path := b.transcript(use("msg_2", "toolu_1", id), done("toolu_1"), text("msg_3", "All done."))
	b.must(stop("s1", path, "All done.", ""), "claude", "Stop")
	b.offered(id, "All done.", model.ReportTurnFinal)
}

func TestNothingSaidIsNothingMadeUp(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
	b.must(stop("s1", b.transcript(use("msg_2", "toolu_1", id), done("toolu_1")), "", ""), "claude", "Stop")
	b.offered(id, "", "")
}

func TestTwoCompletionsInOneReplyAreNobodysReport(t *testing.T) {
	b := newHookBench(t)
	one, two := b.completed("claude"), b.completed("claude")
	b.must(postToolUse("s1", "toolu_1", one), "claude", "PostToolUse")
	b.must(postToolUse("s1", "toolu_2", two), "claude", "PostToolUse")
	path := b.transcript(text("msg_1", "Both are done."), use("msg_1", "toolu_1", one), use("msg_1", "toolu_2", two), done("toolu_1"), done("toolu_2"))
	b.must(stop("s1", path, "Both are done.", ""), "claude", "Stop")
	b.offered(one, "Both are done.", model.ReportSameRound)
	b.offered(two, "Both are done.", model.ReportSameRound)
	if v := b.view(one); len(v.Offered[0].SharedWith) != 1 || v.Offered[0].SharedWith[0] != two {
		t.Errorf("shared with %v", v.Offered[0].SharedWith)
	}
}

func TestTranscriptThatIsWrittenLateIsAwaited(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
	path := filepath.Join(b.claude, "projects", "s.jsonl")
	b.late = func() { b.transcript(text("msg_1", "Late, but here."), use("msg_1", "toolu_1", id), done("toolu_1")) }
	b.must(stop("s1", path, "Bye.", ""), "claude", "Stop")
	b.reported(id, "Late, but here.", model.ReportSameRound)
}

func TestTranscriptIsReadOnlyInsideTheProgramsDirectory(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "x.jsonl")
	for name, path := range map[string]func(*hookBench) string{
		"outside":      func(*hookBench) string { return outside },
		"up and away":  func(b *hookBench) string { return b.claude + "/projects/../../x.jsonl" },
		"a link":       func(b *hookBench) string { return linked(b, outside) },
		"a directory":  func(b *hookBench) string { return filepath.Join(b.claude, "projects") },
		"not absolute": func(*hookBench) string { return "projects/s.jsonl" },
	} {
		t.Run(name, func(t *testing.T) {
			b := newHookBench(t)
			id := b.completed("claude")
			lines := strings.Join([]string{text("m", "Stolen."), use("m", "toolu_1", id), done("toolu_1")}, "\n")
			if err := os.WriteFile(outside, []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
			b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
			if err := b.run(stop("s1", path(b), "Last words.", ""), "claude", "Stop"); err == nil {
				t.Error("nothing was said of it")
			}
			b.offered(id, "Last words.", model.ReportTurnFinal)
		})
	}
}

func linked(b *hookBench, to string) string {
	path := filepath.Join(b.claude, "projects", "link.jsonl")
	if err := os.Symlink(to, path); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func TestSessionThatWillGoOnByItselfHasNoFinalText(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
	b.must(stop("s1", "", "I wait for the build.", `,"background_tasks":[{"id":"b1"}]`), "claude", "Stop")
	b.offered(id, "", "")
	b.must(stop("s1", "", "Built; all done.", ""), "claude", "Stop")
	b.offered(id, "Built; all done.", model.ReportTurnFinal)
}

func TestReportIsAskedForOnceIfTheOperatorWants(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
	path := b.transcript(use("msg_2", "toolu_1", id), done("toolu_1"))
	b.must(stop("s1", path, "", ""), "claude", "Stop", "--ask-report")
	if !strings.Contains(b.stdout, `"decision":"block"`) || !strings.Contains(b.stdout, string(id)) {
		t.Fatalf("told %q", b.stdout)
	}
	b.must(strings.Replace(stop("s1", path, "It is split.", ""), `"stop_hook_active":false`, `"stop_hook_active":true`, 1), "claude", "Stop", "--ask-report")
	if b.stdout != "" {
		t.Errorf("asked again: %q", b.stdout)
	}
	b.offered(id, "It is split.", model.ReportTurnFinal)
}

func TestCodexOffersItsLastMessage(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("codex")
	b.must(fmt.Sprintf(`{"session_id":"th1","turn_id":"t1","cwd":"/repo","hook_event_name":"PostToolUse","tool_name":"mcp__vise__CompleteWorkItem",
		"tool_input":{"work_item_id":%q},"tool_response":{"completed_transition":true},"tool_use_id":"call_1"}`, id), "codex", "PostToolUse")
	notify := `{"type":"agent-turn-complete","thread-id":"th1","turn-id":"t1","cwd":"/repo","client":"x","input-messages":["go"],"last-assistant-message":"Split it."}`
	b.must("", "codex", "notify", notify)
	b.offered(id, "Split it.", model.ReportTurnFinal)
	b.must(`{"session_id":"th1","turn_id":"t1","transcript_path":null,"model":"m","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Split it."}`, "codex", "Stop")
	b.offered(id, "Split it.", model.ReportTurnFinal)
}

func TestOpenCodeJoinsThePartsOfAMessage(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("opencode")
	b.must(fmt.Sprintf(`{"sessionID":"ses_1","messages":[
		{"info":{"id":"msg_1","role":"user"},"parts":[{"type":"text","text":"go"}]},
		{"info":{"id":"msg_2","role":"assistant"},"parts":[{"type":"text","text":"It is split."},
		 {"type":"tool","tool":"vise_CompleteWorkItem","callID":"c1","state":{"status":"completed","input":{"work_item_id":%q},"output":"{\"completed_transition\":true}"}}]}]}`, id), "opencode", "session.idle")
	b.reported(id, "It is split.", model.ReportSameRound)
}

// TestADrivenSessionIsToldItsContextOnce: in its prompt if it is there, else by the hook of the prompt.
func TestADrivenSessionIsToldItsContextOnce(t *testing.T) {
	for _, program := range []string{"claude", "codex"} {
		b := newHookBench(t)
		b.turn = "7"
		b.apply(model.AgentID(program), model.CreateWorkItem{Objective: "Split the limiter"})
		for _, x := range []struct {
			event, prompt string
			told          bool
		}{
			{"SessionStart", "", false},
			{"UserPromptSubmit", "Work.", true},
			{"UserPromptSubmit", "Work.\\n# Work of agent " + program + " (ledger revision 1)\\nQueued: 1", false},
		} {
			b.must(`{"session_id":"s1","prompt":"`+x.prompt+`"}`, program, x.event)
			if told := strings.Contains(b.stdout, "Split the limiter"); told != x.told {
				t.Errorf("%s %s, prompt %q: told %v", program, x.event, x.prompt, told)
			}
		}
	}
}

func TestSessionIsToldItsContext(t *testing.T) {
	b := newHookBench(t)
	id := b.apply("claude", model.CreateWorkItem{Objective: "Split the limiter"}).WorkItemID
	b.apply("claude", model.PickWorkItem{WorkItemID: id})
	b.must(`{"session_id":"s1","source":"startup","hook_event_name":"SessionStart"}`, "claude", "SessionStart")
	var out struct {
		Specific struct{ HookEventName, AdditionalContext string } `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(b.stdout), &out); err != nil || out.Specific.HookEventName != "SessionStart" ||
		!strings.Contains(out.Specific.AdditionalContext, "Split the limiter") {
		t.Errorf("told %q (%v)", b.stdout, err)
	}
}

func TestMessagesAreSentByAHookAndNotYetSeen(t *testing.T) {
	b := newHookBench(t)
	b.apply("claude", model.AddAgent{AgentID: "claude"})
	in, err := b.ledger.Apply(t.Context(), model.Envelope{Key: "say", Actor: model.Operator, Command: model.Say{AgentID: "claude", Text: "Use LFU."}})
	if err != nil {
		t.Fatal(err)
	}
	status := func() (s model.MessageStatus) {
		if err := b.ledger.View(t.Context(), func(r model.Reader) error {
			m, _ := r.Message(in.Messages[0])
			s = m.Status
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, step := range []struct {
		event string
		told  bool
	}{{"UserPromptSubmit", true}, {"UserPromptSubmit", false}, {"SessionStart", true}} {
		b.must(`{"session_id":"s1"}`, "claude", step.event)
		if got := strings.Contains(b.stdout, "Use LFU."); got != step.told || status() != model.MessageSent {
			t.Errorf("%s: told %v, status %s", step.event, got, status())
		}
	}
	b.apply("claude", model.SeeMessages{AgentID: "claude"})
	if status() != model.MessageSent {
		t.Errorf("seen at once: status %s", status())
	}
	b.ledger.Now = func() time.Time { return time.Now().Add(3 * time.Second) }
	b.apply("claude", model.SeeMessages{AgentID: "claude"})
	if status() != model.MessageDone {
		t.Errorf("status %s", status())
	}
}

func TestBadInputIsSaidAndChangesNothing(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	before := b.view(id).Revision
	for name, run := range map[string]func() error{
		"no JSON":           func() error { return b.run("garbage", "claude", "Stop") },
		"null":              func() error { return b.run("null", "claude", "Stop") },
		"a list":            func() error { return b.run(" []", "claude", "Stop") },
		"nothing":           func() error { return b.run("", "claude", "Stop") },
		"other types":       func() error { return b.run(`{"session_id":7}`, "claude", "Stop") },
		"too long":          func() error { return b.run(strings.Repeat("x", 9<<20), "claude", "Stop") },
		"unknown program":   func() error { return b.run("{}", "vim", "Stop") },
		"no event":          func() error { return b.run("{}", "claude") },
		"no usable agent":   func() error { return b.run("{}", "claude", "Stop", "--agent", "../x") },
		"a report for none": func() error { return b.run(stop("s9", "/none", "x", ""), "claude", "Stop") },
	} {
		if err := run(); name != "a report for none" && (err == nil || strings.Contains(err.Error(), "Go ")) {
			t.Errorf("%s: said %v", name, err)
		}
	}
	if v := b.view(id); v.Revision != before || v.Report != nil || len(v.Offered) > 0 {
		t.Errorf("changed: %+v", v)
	}
	b.must("{}", "claude", "SomethingNew", "--unheard-of")
	if waiting, refused := home.Queued(b.dir); waiting+refused > 0 {
		t.Errorf("%d spooled, %d refused", waiting, refused)
	}
}
