package agents

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// limitUntil is the end of the usage limit of an agent's program, as the ledger has it.
func limitUntil(t *testing.T, view func(func(model.Reader) error) error, agent model.AgentID) (until time.Time) {
	t.Helper()
	if err := view(func(r model.Reader) error {
		a, _ := r.Agent(agent)
		until = a.Pace.LimitUntil
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return until
}

// limitReached is Claude Code's report of a limit that ends in two hours, and that time.
func limitReached() (words string, over time.Time) {
	over = time.Now().UTC().Add(2 * time.Hour).Truncate(time.Minute)
	return "You've hit your session limit · resets " + over.Format("3:04pm") + " (UTC)", over.Add(time.Minute)
}

// TestAUsageLimitThatASessionTellsHoldsItsAgent until it ends, the operator ends it, or a turn ends well. Then the
// session is woken with the messages that came meanwhile.
func TestAUsageLimitThatASessionTellsHoldsItsAgent(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	words, over := limitReached()
	failure := fmt.Sprintf(`{"session_id":"s1","hook_event_name":"StopFailure","error":"rate_limit","last_assistant_message":%q}`, words)
	b := newHookBench(t)
	b.apply("claude", model.AddAgent{AgentID: "claude"})
	view := func(fn func(model.Reader) error) error { return b.ledger.View(t.Context(), fn) }
	holds := func(what string, want time.Time) {
		t.Helper()
		if got := limitUntil(t, view, "claude"); !got.Equal(want) {
			t.Errorf("%s: the limit holds until %s, want %s", what, got, want)
		}
	}
	b.must(failure, "claude", "StopFailure")
	holds("told", over)
	b.must(stop("s2", "", "Done.", ""), "claude", "Stop")
	holds("a turn ended well", time.Time{})

	waits := b.restsAfter(t.Context(), failure, nil)
	b.say("Use LFU.", model.Normal)
	for limitUntil(t, view, "claude").IsZero() && t.Context().Err() == nil && len(waits.done) == 0 {
	}
	holds("waited for", over)
	b.operates(model.Retry{AgentID: "claude"})
	waits.ends(overLimit + "\n\n")
	if !strings.Contains(waits.output.String(), "Use LFU.") {
		t.Errorf("woken without what was said meanwhile: %q", waits.output.String())
	}
}

// TestARunThatTheUsageLimitEndedHoldsItsAgent, for programs that write lines or words.
func TestARunThatTheUsageLimitEndedHoldsItsAgent(t *testing.T) {
	words, over := limitReached()
	event := fmt.Sprintf(`{"type":"result","subtype":"success","is_error":true,"result":%q}`, words)
	for _, c := range []struct {
		args []string
		says string
		code int
		want time.Time
	}{
		{[]string{"-p", "x"}, words, 1, over},
		{[]string{"-p", "x"}, words, 0, time.Time{}},
		{[]string{"-p", "x", "--output-format", "stream-json"}, event, 1, over},
	} {
		b := newWrapBench(t)
		b.run("claude", c.code, c.args, c.says)
		got := limitUntil(t, func(fn func(model.Reader) error) error { return b.ledger.View(t.Context(), fn) }, "ann")
		if !got.Equal(c.want) {
			t.Errorf("%s %v: the limit holds until %s, want %s", c.says, c.args, got, c.want)
		}
	}
}
