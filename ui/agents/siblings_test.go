package agents

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// picks is the hook of a pick, with the pick itself.
func (b *hookBench) picks(session string, id model.ItemID) {
	b.t.Helper()
	b.apply("claude", model.PickWorkItem{WorkItemID: id, Reason: "next"})
	b.must(fmt.Sprintf(`{"session_id":%q,"tool_name":"mcp__vise__PickWorkItem","tool_input":{"work_item_id":%q},"tool_response":[{"type":"text","text":"{}"}]}`,
		session, id), "claude", "PostToolUse")
}

// hears expects what a session is told after a tool; empty: nothing.
func (b *hookBench) hears(session, words string) {
	b.t.Helper()
	b.must(fmt.Sprintf(`{"session_id":%q,"tool_name":"Read"}`, session), "claude", "PostToolUse")
	if (b.stdout != "") != (words != "") || !strings.Contains(b.stdout, words) {
		b.t.Errorf("%s heard %q, want %q", session, b.stdout, words)
	}
}

func (b *hookBench) sayOf(id model.ItemID, words string) {
	b.t.Helper()
	b.operates(model.Say{AgentID: "claude", WorkItemID: id, Text: model.Text(words), Priority: model.Normal})
}

// urgentFor reports whether a session would get a message now.
func (b *hookBench) urgentFor(session string, rests bool) (mine, others bool) {
	b.t.Helper()
	c := &call{Streams: Streams{Now: time.Now}, program: "claude", agent: "claude", session: session, home: b.home}
	first, err := c.firstUrgent(b.t.Context(), rests)
	if err != nil {
		b.t.Fatal(err)
	}
	return first.message != "", first.others
}

// TestAMessageIsForTheSessionThatWorks, not for an idle one, while one works.
func TestAMessageIsForTheSessionThatWorks(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	b := newHookBench(t)
	b.apply("claude", model.AddAgent{AgentID: "claude"})
	resting := b.rests(t.Context(), "s1", nil)
	b.must(`{"session_id":"s2"}`, "claude", "UserPromptSubmit")
	b.say("Use LFU.", model.Normal)
	if mine, others := b.urgentFor("s1", true); mine || !others {
		t.Errorf("the session that rests would take it: %v, leave it to another: %v", mine, others)
	}
	b.hears("s2", "Use LFU.")
	b.must(stop("s2", "", "Done.", ""), "claude", "Stop")
	b.say("And hurry.", model.Normal)
	resting.ends("And hurry.")
}

// TestAMessageAboutAnItemIsForTheSessionThatHoldsIt, working or idle.
func TestAMessageAboutAnItemIsForTheSessionThatHoldsIt(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	b := newHookBench(t)
	one := b.apply("claude", model.CreateWorkItem{Objective: "Split the limiter"}).WorkItemID
	two := b.apply("claude", model.CreateWorkItem{Objective: "Test the limiter"}).WorkItemID
	b.picks("s1", one)
	b.picks("s2", two)
	b.sayOf(one, "The burst is 20.")
	b.hears("s2", "")
	b.hears("s1", "The burst is 20.")
	b.must(stop("s1", "", "Done.", ""), "claude", "Stop")
	resting := b.rests(t.Context(), "s1", nil)
	b.say("Lunch is at one.", model.Normal)
	b.sayOf(one, "No, 30.")
	resting.ends("No, 30.")
	if strings.Contains(resting.output.String(), "Lunch") {
		t.Errorf("the session that rested heard what is for the one that works: %q", resting.output.String())
	}
	b.hears("s2", "Lunch is at one.")
	b.picks("s2", one)
	b.sayOf(one, "Sorry, 40.")
	b.hears("s1", "")
	b.hears("s2", "Sorry, 40.")
	b.must(`{"session_id":"s2"}`, "claude", "SessionEnd")
	b.sayOf(one, "Or 50.")
	b.hears("s1", "Or 50.")
}

// TestTheWorkContextComesOnce at the beginning of a session, and with its first prompt only if it changed.
func TestTheWorkContextComesOnce(t *testing.T) {
	for _, program := range []string{"claude", "codex"} {
		b := newHookBench(t)
		agent := model.AgentID(program)
		b.apply(agent, model.CreateWorkItem{Objective: "Split the limiter"})
		told := func(event string, want bool) {
			t.Helper()
			b.must(`{"session_id":"s1","prompt":"Work."}`, program, event)
			if got := strings.Contains(b.stdout, "# Work of agent "+program); got != want {
				t.Errorf("%s %s: told %v, want %v", program, event, got, want)
			}
		}
		told("SessionStart", true)
		b.apply("other", model.CreateWorkItem{Objective: "Of no interest"})
		b.sayTo(agent, "Use LFU.", model.Background)
		told("UserPromptSubmit", false)
		if !strings.Contains(b.stdout, "Use LFU.") {
			t.Errorf("%s: a message did not come with the prompt: %q", program, b.stdout)
		}
		told("UserPromptSubmit", true)
		told("SessionStart", true)
		b.apply(agent, model.CreateWorkItem{Objective: "Test the limiter"})
		told("UserPromptSubmit", true)
	}
}

// TestASessionThatSomebodyStoppedWorksNoMore: a message goes to another, idle session.
func TestASessionThatSomebodyStoppedWorksNoMore(t *testing.T) {
	b := newHookBench(t)
	b.apply("claude", model.AddAgent{AgentID: "claude"})
	const says = `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"%s"}]}}`
	stopped, after := fmt.Sprintf(says, "[Request interrupted by user for tool use]"), `{"type":"file-history-snapshot"}`
	for _, c := range []struct {
		lines []string
		works bool
	}{
		{[]string{text("m1", "I begin.")}, true},
		{[]string{text("m1", "I begin."), stopped, after}, false},
		{[]string{stopped, fmt.Sprintf(says, "Go on.")}, true},
		{nil, true},
	} {
		path := b.transcript(c.lines...)
		b.must(hookOf("UserPromptSubmit", "s2", path), "claude", "UserPromptSubmit")
		of := &call{Streams: Streams{Now: time.Now, Getenv: func(string) string { return b.claude }}, program: "claude", agent: "claude", session: "s1", home: b.home}
		if got := of.siblings().work; got != c.works {
			t.Errorf("%q: works %v", c.lines, got)
		}
	}
}
