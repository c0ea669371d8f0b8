package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/store/storetest"
	"vise/ui/runner"
)

// event is a program's report about a tool: a prompt, or that it ran.
func (b *hookBench) event(program, event, session, command string) {
	b.t.Helper()
	b.must(toolEvent(event, session, command), program, event)
}

func toolEvent(event, session, command string) string {
	return fmt.Sprintf(`{"session_id":%q,"cwd":"/repo","hook_event_name":%q,"tool_name":"Bash","tool_input":{"command":%q,"description":"x"},
		"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"git push:*"}],"behavior":"allow",
		"destination":"localSettings"}]}`, session, event, command)
}

// prompts are the prompts that an agent's program waits for, as the inbox has them.
func (b *hookBench) prompts() (out []model.Inboxed) {
	b.t.Helper()
	if err := b.ledger.View(b.t.Context(), func(r model.Reader) error {
		out = model.Inbox(r, time.Now(), 10)
		return nil
	}); err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *hookBench) inbox(words ...string) {
	b.t.Helper()
	var got []string
	for _, x := range b.prompts() {
		got = append(got, fmt.Sprintf("%s %s %s", x.Need, x.Wait.Resource, x.Objective))
	}
	if strings.Join(got, "\n") != strings.Join(words, "\n") {
		b.t.Errorf("the inbox has %q, want %q", got, words)
	}
}

func TestAPromptIsInTheInboxUntilItsToolRanOrItsSessionWentOn(t *testing.T) {
	b := newHookBench(t)
	b.event("claude", askEvent, "s1", "git push")
	b.event("claude", askEvent, "s1", "make")
	b.event("claude", askEvent, "s2", "git push")
	b.inbox("permission s1 Bash: git push", "permission s1 Bash: make", "permission s2 Bash: git push")
	if b.stdout != "" {
		t.Errorf("the program was told %q", b.stdout)
	}
	b.event("claude", "PostToolUse", "s1", "ls")
	b.event("claude", "PostToolUse", "s1", "git push")
	b.inbox("permission s1 Bash: make", "permission s2 Bash: git push")
	b.event("claude", "UserPromptSubmit", "s1", "")
	b.inbox("permission s2 Bash: git push")
	b.event("claude", "SessionEnd", "s2", "")
	b.inbox()
}

func TestAPromptOfASubagentOutlivesNothingOfItsSession(t *testing.T) {
	b := newHookBench(t)
	sub := strings.Replace(toolEvent(askEvent, "s1", "make"), "{", `{"agent_id":"a7",`, 1)
	b.must(sub, "codex", askEvent)
	b.event("codex", "Stop", "s1", "")
	b.inbox("permission s1 Bash: make")
	b.must(strings.Replace(sub, askEvent, "SubagentStop", 1), "codex", "SubagentStop")
	b.inbox()
}

func TestAPromptWhoseProgramIsGoneIsOver(t *testing.T) {
	b := newHookBench(t)
	b.asking = runner.Self()
	b.event("claude", askEvent, "s1", "make")
	gone := runner.Self()
	gone.Start += "0"
	b.asking = gone
	b.event("claude", askEvent, "s2", "make")
	if err := b.home.SweepPermissions(t.Context(), runner.Alive); err != nil {
		t.Fatal(err)
	}
	b.inbox("permission s1 Bash: make")
}

func TestTheOperatorsAnswerReachesTheProgram(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	for answer, want := range map[model.PermissionAnswer]string{
		model.PermitOnce: `{"behavior":"allow"}`,
		model.PermitDeny: `{"behavior":"deny","message":"The operator refused this."}`,
		model.PermitAlways: `{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash",` +
			`"ruleContent":"git push:*"}],"behavior":"allow","destination":"localSettings"}]}`,
	} {
		t.Run(string(answer), func(t *testing.T) {
			t.Parallel()
			b := newHookBench(t)
			b.asksHere = true
			done := make(chan error, 1)
			go func() { done <- b.run(toolEvent(askEvent, "s1", "git push"), "claude", askEvent) }()
			b.answer(answer)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			var out struct {
				Specific struct {
					Event    string          `json:"hookEventName"`
					Decision json.RawMessage `json:"decision"`
				} `json:"hookSpecificOutput"`
			}
			if err := json.Unmarshal([]byte(b.stdout), &out); err != nil || out.Specific.Event != askEvent || string(out.Specific.Decision) != want {
				t.Errorf("told %q, %v; want the decision %s", b.stdout, err, want)
			}
			b.inbox()
		})
	}
}

// answer gives the operator's answer to the next prompt.
func (b *hookBench) answer(with model.PermissionAnswer) {
	b.t.Helper()
	for revision := uint64(0); ; {
		if list := b.prompts(); len(list) > 0 {
			id, _ := list[0].Permission()
			c := model.AnswerPermission{AgentID: list[0].AgentID, PermissionID: id, Answer: with}
			if _, err := b.home.Apply(b.t.Context(), model.Envelope{Key: "answer", Actor: model.Operator, Command: c}); err != nil {
				b.t.Fatal(err)
			}
			return
		}
		var err error
		if revision, err = b.home.Follow(b.t.Context(), revision); err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestWithoutAnAnswerTheProgramAsksItself(t *testing.T) {
	b := newHookBench(t)
	b.asksHere, b.ahead = true, time.Hour
	b.event("claude", askEvent, "s1", "make")
	if b.stdout != "" {
		t.Errorf("the program was told %q", b.stdout)
	}
	b.inbox("permission s1 Bash: make")
}

func TestAHookThatIsEndedEndsItsPrompt(t *testing.T) {
	b := newHookBench(t)
	b.asksHere = true
	ctx, cancel := context.WithCancel(t.Context())
	b.ctx = ctx
	done := make(chan error, 1)
	go func() { done <- b.run(toolEvent(askEvent, "s1", "make"), "claude", askEvent) }()
	for revision := uint64(0); len(b.prompts()) == 0; {
		revision, _ = b.home.Follow(t.Context(), revision)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	b.inbox()
}

func TestAskHereIsOfTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if err := os.MkdirAll(dir+"/vise", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/vise/config.yaml", []byte("agents: {ann: {permissions: ask_here}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !askHere("ann") || askHere("bob") {
		t.Errorf("ann %v, bob %v", askHere("ann"), askHere("bob"))
	}
}

// TestAPromptOfOpenCodesIsOverWhenItWasAnsweredThere. An answer that is given here is passed on in OpenCode's words.
func TestAPromptOfOpenCodesIsOverWhenItWasAnsweredThere(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	const prompt = `{"sessionID":"s1","tool_name":"bash","tool_input":{"command":%q},"permission_suggestions":["git push *"]}`
	b := newHookBench(t)
	b.must(fmt.Sprintf(prompt, "git push"), "opencode", askEvent)
	b.must(fmt.Sprintf(prompt, "make"), "opencode", askEvent)
	b.must(fmt.Sprintf(prompt, "git push"), "opencode", "permission.replied")
	b.inbox("permission s1 bash: make")
	b.must(`{"sessionID":"s1"}`, "opencode", "session.idle")
	b.inbox()
	for answer, want := range map[model.PermissionAnswer]string{
		model.PermitOnce: "once", model.PermitAlways: "always", model.PermitDeny: "reject",
	} {
		t.Run(string(answer), func(t *testing.T) {
			t.Parallel()
			b := newHookBench(t)
			b.asksHere = true
			done := make(chan error, 1)
			go func() { done <- b.run(fmt.Sprintf(prompt, "git push"), "opencode", askEvent) }()
			b.answer(answer)
			if err := <-done; err != nil || b.stdout != want {
				t.Errorf("the plugin was told %q, %v, want %q", b.stdout, err, want)
			}
			b.inbox()
		})
	}
}

// TestAPromptOfGeminisIsToldByANotice: Gemini's notice takes no answer, and the prompt is over when any tool of the
// session ran.
func TestAPromptOfGeminisIsToldByANotice(t *testing.T) {
	const notice = `{"session_id":"s1","transcript_path":"","cwd":"/repo","hook_event_name":"Notification","notification_type":%q,
		"message":"Tool Confirm requires it","details":%s}`
	b := newHookBench(t)
	b.asksHere = true
	for _, details := range []string{
		`{"type":"exec","title":"Confirm Shell Command","command":"git push\u001b[31m","rootCommand":"git"}`,
		`{"type":"edit","title":"Confirm Edit: a.txt","fileName":"a.txt","filePath":"/repo/a.txt",` +
			`"fileDiff":"Index: a.txt\n===\n--- a.txt\tCurrent\n+++ a.txt\tProposed\n@@ -1,1 +1,1 @@\n-hi\n+ho\n","originalContent":"hi\n"}`,
		`{"type":"mcp","title":"Confirm MCP Tool Execution","serverName":"x","toolName":"Do","toolDisplayName":"Do (x MCP Server)"}`,
		`{"type":"info","title":"Confirm Web Fetch","prompt":"Fetch https://example.com","urls":["https://example.com"]}`,
		`{"type":"ask_user","title":"Ask User"}`,
	} {
		b.must(fmt.Sprintf(notice, geminiPrompt, details), "gemini", noticeEvent)
	}
	b.must(fmt.Sprintf(notice, "Other", `{"title":"Nothing"}`), "gemini", noticeEvent)
	b.inbox("permission s1 Shell Command: git push·[31m", "permission s1 Edit: a.txt: @@ -1,1 +1,1 @@ -hi +ho",
		"permission s1 MCP Tool Execution: Do (x MCP Server)", "permission s1 Web Fetch: Fetch https://example.com", "permission s1 Ask User")
	if b.stdout != "" {
		t.Errorf("the program was told %q", b.stdout)
	}
	b.must(`{"session_id":"s1","cwd":"/repo","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"git push"}}`,
		"gemini", "AfterTool")
	b.inbox()
}

// TestAPromptOfCopilotsIsToldByANotice: the prompt is over when its tool ran.
func TestAPromptOfCopilotsIsToldByANotice(t *testing.T) {
	const notice = `{"sessionId":"s1","timestamp":1,"cwd":"/repo","message":%q,"title":"x","hook_event_name":"Notification","notification_type":%q}`
	const ran = `{"hook_event_name":"PostToolUse","session_id":"s1","cwd":"/repo","tool_name":"Bash","tool_input":%s,
		"tool_result":{"result_type":"success","text_result_for_llm":""}}`
	b := newHookBench(t)
	b.must(fmt.Sprintf(notice, "Run command: git push", copilotPrompt), "copilot", noticeEvent)
	b.must(fmt.Sprintf(notice, "Edit file: /repo/a: b.txt", copilotPrompt), "copilot", noticeEvent)
	b.must(fmt.Sprintf(notice, "Path permission needed: /etc/hosts", copilotPrompt), "copilot", noticeEvent)
	b.must(fmt.Sprintf(notice, "The agent rests", "agent_idle"), "copilot", noticeEvent)
	b.must(`{"sessionId":"s1","cwd":"/repo","toolName":"bash","toolInput":{"command":"ls"},"permissionSuggestions":[]}`, "copilot", askEvent)
	b.inbox("permission s1 Run command: git push", "permission s1 Edit file: /repo/a: b.txt", "permission s1 Path permission needed: /etc/hosts")
	b.must(fmt.Sprintf(ran, `{"command":"git push","description":"x"}`), "copilot", "PostToolUse")
	b.must(fmt.Sprintf(ran, `{"path":"/etc/hosts"}`), "copilot", "PostToolUse")
	b.inbox("permission s1 Edit file: /repo/a: b.txt")
	b.must(stop("s1", "", "", ""), "copilot", "Stop")
	b.inbox()
}

// TestCopilotAsksHereBeforeItsOwnRules: it gets the answer in its own words. Without an answer its own rules decide,
// and it reports its prompt if there is one. It does not ask about vise's tools.
func TestCopilotAsksHereBeforeItsOwnRules(t *testing.T) {
	const asked = `{"hookName":"permissionRequest","sessionId":"s1","cwd":"/repo","toolName":%q,"toolInput":{"command":"ls"},"permissionSuggestions":[]}`
	for answer, want := range map[model.PermissionAnswer]string{
		model.PermitOnce: `{"behavior":"allow"}`, model.PermitDeny: `{"behavior":"deny","message":"The operator refused this."}`,
	} {
		b := newHookBench(t)
		b.asksHere = true
		b.must(fmt.Sprintf(asked, "vise/PickWorkItem"), "copilot", askEvent)
		done := make(chan error, 1)
		go func() { done <- b.run(fmt.Sprintf(asked, "bash"), "copilot", askEvent) }()
		b.answer(answer)
		if err := <-done; err != nil || strings.TrimSpace(b.stdout) != want {
			t.Errorf("%s: the program was told %q, %v, want %q", answer, b.stdout, err, want)
		}
		b.inbox()
	}
	b := newHookBench(t)
	b.asksHere, b.ahead = true, time.Hour
	b.must(fmt.Sprintf(asked, "bash"), "copilot", askEvent)
	if b.stdout != "" {
		t.Errorf("the program was told %q", b.stdout)
	}
	b.inbox()
}

// TestAPromptThatWasRefusedInItsProgramIsOver: no hook reports the refusal, the transcript does.
func TestAPromptThatWasRefusedInItsProgramIsOver(t *testing.T) {
	const claude = `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}`
	const copilot = `{"type":"permission.%s","data":{"requestId":%q},"timestamp":%q}` + "\n"
	const codex = `{"timestamp":%q,"type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}` + "\n"
	later := time.Now().Add(time.Minute)
	for program, x := range map[string]struct{ notice, waits, refused string }{
		"claude": {toolEvent(askEvent, "s1", "make"), `{"type":"assistant","message":{"role":"assistant"}}` + "\n", claude + "\n"},
		"codex": {toolEvent(askEvent, "s1", "make"), fmt.Sprintf(codex, time.Now().Add(-time.Minute).Format(time.RFC3339Nano)),
			fmt.Sprintf(codex, later.Format(time.RFC3339Nano))},
		"gemini": {`{"session_id":"s1","notification_type":"ToolPermission","details":{"title":"Confirm Shell Command","command":"make"}}`, "",
			`{"type":"info","content":"Request cancelled."}` + "\n"},
		"copilot": {`{"sessionId":"s1","message":"Bash: make","notification_type":"permission_prompt"}`,
			fmt.Sprintf(copilot, "completed", "r0", time.Now().Format(time.RFC3339Nano)) + fmt.Sprintf(copilot, "requested", "r1", time.Now().Format(time.RFC3339Nano)),
			fmt.Sprintf(copilot, "completed", "r1", later.Format(time.RFC3339Nano))},
	} {
		t.Run(program, func(t *testing.T) {
			b := newHookBench(t)
			for name, dir := range map[string]string{"CLAUDE_CONFIG_DIR": b.claude, "CODEX_HOME": b.claude, "COPILOT_HOME": b.claude, "GEMINI_CLI_HOME": filepath.Dir(b.claude)} {
				t.Setenv(name, dir)
			}
			path := filepath.Join(b.transcripts(program), "session.jsonl")
			write := func(text string, at time.Time) {
				t.Helper()
				err := os.MkdirAll(filepath.Dir(path), 0o700)
				if err == nil {
					err = os.WriteFile(path, []byte(text), 0o600)
				}
				if err == nil {
					err = os.Chtimes(path, at, at)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			event := map[string]string{"claude": askEvent, "codex": askEvent, "gemini": noticeEvent, "copilot": noticeEvent}[program]
			prompted := map[string]string{"gemini": "BeforeAgent"}[program]
			b.must(fmt.Sprintf(`{"session_id":"s1","transcript_path":%q,"cwd":"/repo","prompt":"go"}`, path), program, cmp.Or(prompted, "UserPromptSubmit"))
			b.must(x.notice, program, event)
			h, err := home.Open(b.dir, home.Options{LeaveQueue: true, Answered: Answered})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			asked := b.prompts()
			if s := (home.Session{Program: program, Transcript: path}); program == "copilot" {
				write(x.waits+x.refused, later)
				if Answered(s, model.Permission{AskedAt: time.Now(), AnswerUntil: later}) {
					t.Error("what is asked here counts as answered there")
				}
			}
			for _, over := range []bool{false, true} {
				write(x.waits, time.Now().Add(-time.Minute))
				if over {
					write(x.waits+x.refused, later)
				}
				if err := h.SweepPermissions(t.Context(), runner.Alive); err != nil {
					t.Fatal(err)
				}
				if got := b.prompts(); len(asked) != 1 || (len(got) == 0) != over {
					t.Errorf("refused %v: the inbox has %v of %v", over, got, asked)
				}
			}
		})
	}
}
