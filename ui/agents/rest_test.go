package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// waiting is a hook that waits for an idle session.
type waiting struct {
	t      *testing.T
	done   chan error
	output bytes.Buffer
}

// rests starts it, and returns when it waits.
func (b *hookBench) rests(ctx context.Context, session string, gone func()) *waiting {
	b.t.Helper()
	return b.restsAfter(ctx, fmt.Sprintf(`{"session_id":%q,"stop_hook_active":true}`, session), gone)
}

// restsAfter is rests with the hook's input at the turn's end.
func (b *hookBench) restsAfter(ctx context.Context, input string, gone func()) *waiting {
	b.t.Helper()
	before := b.markers()
	w := &waiting{t: b.t, done: make(chan error, 1)}
	s := Streams{
		Timeout: time.Minute, In: strings.NewReader(input),
		Out: &w.output, Err: &w.output, Now: time.Now, Gone: gone,
		Getenv: func(k string) string { return map[string]string{"CLAUDE_CODE_ENTRYPOINT": "cli"}[k] },
		Wait:   func(context.Context, time.Duration) error { return nil },
	}
	go func() { w.done <- hook(ctx, []string{"claude", restEvent}, b.open, s) }()
	for b.markers() == before && len(w.done) == 0 {
		if b.t.Context().Err() != nil {
			b.t.Fatal("it does not wait")
		}
	}
	return w
}

// markers are the files that name the waiting hooks, with their content.
func (b *hookBench) markers() string {
	paths, _ := filepath.Glob(filepath.Join(b.dir, "state", "hooks", "claude", "rest", "????????????????"))
	var out strings.Builder
	for _, p := range paths {
		raw, _ := os.ReadFile(p)
		fmt.Fprintln(&out, p, string(raw))
	}
	return out.String()
}

// ends returns how the wait ended: woken with text, or without.
func (w *waiting) ends(words string) {
	w.t.Helper()
	err := <-w.done
	var code Exit
	if woken := errors.As(err, &code) && code == 2; woken != (words != "") || !strings.Contains(w.output.String(), words) {
		w.t.Errorf("ended with %v and told %q, want %q", err, w.output.String(), words)
	}
	if words == "" && (err != nil || w.output.Len() > 0) {
		w.t.Errorf("ended with %v and told %q, want nothing", err, w.output.String())
	}
}

// TestARestingSessionIsWoken with what is said to it after its turn. A message that is not urgent wakes no session. The
// message is then sent, not seen.
func TestARestingSessionIsWoken(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	b := newHookBench(t)
	b.apply("claude", model.AddAgent{AgentID: "claude"})
	w := b.rests(t.Context(), "s1", nil)
	b.say("By the way.", model.Background)
	b.say("Use LFU.", model.Normal)
	w.ends("Use LFU.")
	if left := b.markers(); left != "" {
		t.Errorf("still waited for: %s", left)
	}
	err := b.ledger.View(t.Context(), func(r model.Reader) error {
		a, _ := r.Agent("claude")
		m, _ := r.Message(a.Handed[0])
		if m.Status != model.MessageSent {
			t.Errorf("the message is %s", m.Status)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOneWaitsForASession: the newest hook waits, and a hook of another session goes on waiting. Of two sessions only
// one gets a message.
func TestOneWaitsForASession(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	b := newHookBench(t)
	b.apply("claude", model.AddAgent{AgentID: "claude"})
	other := b.rests(t.Context(), "s2", nil)
	old := b.rests(t.Context(), "s1", nil)
	fresh := b.rests(t.Context(), "s1", nil)
	old.ends("")
	before := b.markers()
	b.must(`{"session_id":"s2","agent_id":"sub1"}`, "claude", "PostToolUse")
	if b.markers() != before {
		t.Error("a subagent's tool ended the waiting for its session")
	}
	b.must(`{"session_id":"s2"}`, "claude", "PostToolUse")
	other.ends("")
	other = b.rests(t.Context(), "s2", nil)
	b.must(`{"session_id":"s2"}`, "claude", "UserPromptSubmit")
	other.ends("")
	b.must(`{"session_id":"s2"}`, "claude", "SessionEnd")
	b.say("Use LFU.", model.Normal)
	fresh.ends("Use LFU.")
}

// TestTheWaitingEnds with the session, with the program, and after its time. It does not begin without a terminal.
func TestTheWaitingEnds(t *testing.T) {
	b := newHookBench(t)
	b.apply("claude", model.AddAgent{AgentID: "claude"})
	w := b.rests(t.Context(), "s1", nil)
	b.must(`{"session_id":"s1"}`, "claude", "SessionEnd")
	w.ends("")
	gone := make(chan struct{})
	w = b.rests(t.Context(), "s1", func() { <-gone })
	close(gone)
	w.ends("")
	ctx, cancel := context.WithCancel(t.Context())
	w = b.rests(ctx, "s1", nil)
	cancel()
	w.ends("")
	b.say("Use LFU.", model.Normal)
	b.must(`{"session_id":"s1"}`, "claude", restEvent)
	if b.stdout != "" || b.markers() != "" {
		t.Errorf("told %q without a terminal; waited for: %s", b.stdout, b.markers())
	}
}
