package agents

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

const codexStop = `{"session_id":"th1","turn_id":"t1","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"I rest."}`

// served is a bench with a Codex whose server keeps sessions, and its prompts.
func served(t *testing.T) (*hookBench, chan string) {
	b := newHookBench(t)
	prompts := make(chan string, 10)
	b.served = true
	b.prompt = func(session, words string) error {
		prompts <- session + ": " + words
		return nil
	}
	b.apply("codex", model.AddAgent{AgentID: "codex"})
	return b, prompts
}

// waits runs the process that the last Stop hook started for the session.
func (b *hookBench) waits() chan error {
	b.t.Helper()
	done := make(chan error, 1)
	beside, args := *b, b.detached[len(b.detached)-1][1:]
	go func() { done <- beside.run("", args...) }()
	return done
}

func (b *hookBench) queued(agent model.AgentID) (n int) {
	b.t.Helper()
	err := b.ledger.View(b.t.Context(), func(r model.Reader) error {
		n = len(r.QueuedMessages(agent, 10))
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// TestASessionOfCodexsServerIsPrompted when something is urgent. The text is sent by the prompt's own hook, not before.
func TestASessionOfCodexsServerIsPrompted(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	b, prompts := served(t)
	b.must(codexStop, "codex", "Stop")
	done := b.waits()
	b.sayTo("codex", "By the way.", model.Background)
	b.sayTo("codex", "Use LFU.", model.Normal)
	if got := <-prompts; got != "th1: "+nudge {
		t.Errorf("prompted %q", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := b.queued("codex"); n != 2 {
		t.Errorf("%d messages are queued before the prompt's hook", n)
	}
	b.must(`{"session_id":"th1","hook_event_name":"UserPromptSubmit"}`, "codex", "UserPromptSubmit")
	if n := b.queued("codex"); n != 0 || !strings.Contains(b.stdout, "Use LFU.") {
		t.Errorf("%d messages are queued after it; told %q", n, b.stdout)
	}
}

// TestNobodyWaitsBesideASessionThatIsNotResting: it has no server, goes on with what waits, was prompted meanwhile, or
// its server has ended.
func TestNobodyWaitsBesideASessionThatIsNotResting(t *testing.T) {
	b, _ := served(t)
	b.served = false
	b.must(codexStop, "codex", "Stop")
	b.served = true
	b.sayTo("codex", "Use LFU.", model.Normal)
	b.must(codexStop, "codex", "Stop")
	if b.detached != nil {
		t.Errorf("%v was started", b.detached)
	}
	b.must(strings.Replace(codexStop, "false", "true", 1), "codex", "Stop") // it went on, and is idle now
	b.must(`{"session_id":"th1","hook_event_name":"UserPromptSubmit"}`, "codex", "UserPromptSubmit")
	b.prompt = func(string, string) error { return errors.New("prompted") }
	if err := <-b.waits(); err != nil {
		t.Error(err)
	}
	b.must(codexStop, "codex", "Stop")
	gone := make(chan struct{})
	b.ended = func(context.Context, model.Process) { <-gone }
	done := b.waits()
	close(gone)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestASessionThatCannotBePromptedLosesNothing.
func TestASessionThatCannotBePromptedLosesNothing(t *testing.T) {
	b, _ := served(t)
	b.must(codexStop, "codex", "Stop")
	tries := 0
	b.prompt = func(string, string) error {
		tries++
		return errors.New("no such thread")
	}
	b.sayTo("codex", "Use LFU.", model.Normal)
	if err := <-b.waits(); err == nil || !strings.Contains(err.Error(), "no such thread") {
		t.Errorf("it ended with %v", err)
	}
	if n := b.queued("codex"); n != 1 || tries != 3 {
		t.Errorf("%d messages are queued after %d tries", n, tries)
	}
}

// TestOneOfTwoRestingSessionsIsPrompted for a message, in OpenCode by our plugin. Its tools' answers in between are no
// prompts.
func TestOneOfTwoRestingSessionsIsPrompted(t *testing.T) {
	b := newHookBench(t)
	b.apply("opencode", model.AddAgent{AgentID: "opencode"})
	type end struct {
		session, output string
		err             error
	}
	ctx, cancel := context.WithCancel(t.Context())
	ends := make(chan end, 2)
	for _, session := range []string{"ses_1", "ses_2"} {
		go func() {
			var out bytes.Buffer
			err := hook(ctx, []string{"opencode", restEvent}, b.open, Streams{Timeout: time.Minute, In: strings.NewReader(`{"sessionID":"` + session + `"}`),
				Out: &out, Err: &out, Now: time.Now, Getenv: func(string) string { return "" }, Wait: func(context.Context, time.Duration) error { return nil }})
			ends <- end{session, out.String(), err}
		}()
	}
	b.sayTo("opencode", "Use LFU.", model.Normal)
	first := <-ends
	if first.output != nudge || first.err != nil {
		t.Errorf("the first ended with %+v", first)
	}
	b.must(`{"sessionID":"`+first.session+`"}`, "opencode", "chat.message")
	if !strings.Contains(b.stdout, "Use LFU.") {
		t.Errorf("its prompt was told %q", b.stdout)
	}
	cancel()
	if second := <-ends; second.output != "" || second.err != nil {
		t.Errorf("the second ended with %+v", second)
	}
}

// TestOpenCodeHearsAfterATool: the text is added to the tool's answer. A tool of ours already has it in its answer, and
// a subagent's session gets none.
func TestOpenCodeHearsAfterATool(t *testing.T) {
	b := newHookBench(t)
	b.apply("opencode", model.AddAgent{AgentID: "opencode"})
	b.sayTo("opencode", "Use LFU.", model.Normal)
	for _, x := range []struct{ event, input, want string }{
		{"tool.execute.after", `{"sessionID":"ses_1","tool_name":"vise_GetWorkItem"}`, ""},
		{"session.idle", `{"sessionID":"ses_2","agent_id":"ses_2","messages":[]}`, ""},
		{"tool.execute.after", `{"sessionID":"ses_1","tool_name":"bash"}`, "Use LFU."},
		{"tool.execute.after", `{"sessionID":"ses_1","tool_name":"bash"}`, ""},
	} {
		if b.must(x.input, "opencode", x.event); !strings.Contains(b.stdout, x.want) || x.want == "" && b.stdout != "" {
			t.Errorf("%s %s told %q", x.event, x.input, b.stdout)
		}
	}
}
