package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
)

// hookOf is the input of a hook with only its event and the path of its transcript.
func hookOf(event, session, transcript string) string {
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"cwd":"/repo","hook_event_name":%q}`, session, transcript, event)
}

// completedIn is the hook of a completion; its transcript is known by then.
func completedIn(path, session, use string, id model.ItemID) string {
	return strings.Replace(postToolUse(session, use, id), `"/x"`, quoted(path), 1)
}

// TestATurnThatEndsBadlyLosesNoReport: the model fails after a completion, or the program is interrupted or ended.
func TestATurnThatEndsBadlyLosesNoReport(t *testing.T) {
	for _, event := range []string{"StopFailure", "SessionEnd"} {
		t.Run(event, func(t *testing.T) {
			b := newHookBench(t)
			id := b.completed("claude")
			path := b.transcript(text("msg_1", "I begin."))
			b.must(completedIn(path, "s1", "toolu_1", id), "claude", "PostToolUse")
			b.transcript(text("msg_1", "I begin."), text("msg_2", "It is split."), use("msg_2", "toolu_1", id), done("toolu_1"))
			b.must(hookOf(event, "s1", path), "claude", event)
			b.reported(id, "It is split.", model.ReportSameRound)
		})
	}
}

// later opens the home some time later.
func (b *hookBench) later(age time.Duration) {
	b.t.Helper()
	h, err := home.Open(b.dir, home.Options{Now: func() time.Time { return time.Now().Add(age) }, TakePending: TakePending})
	if err != nil {
		b.t.Fatal(err)
	}
	defer h.Close()
	if err := h.View(b.t.Context(), func(model.Reader) error { return nil }); err != nil {
		b.t.Fatal(err)
	}
}

// TestWhatAKilledTurnLeftIsReportedByTheNextCommand, of anybody, 30 s after the completion. If there are no words yet,
// they are looked for again later. A reply that may complete more is not treated as whole.
func TestWhatAKilledTurnLeftIsReportedByTheNextCommand(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	path := b.transcript(text("msg_1", "I begin."))
	b.must(completedIn(path, "s1", "toolu_1", id), "claude", "PostToolUse")
	b.later(31 * time.Second)
	b.offered(id, "", "")
	whole := []string{text("msg_2", "It is split."), use("msg_2", "toolu_1", id), use("msg_2", "toolu_2", id), done("toolu_1"), done("toolu_2")}
	b.transcript(whole[:4]...)
	b.later(70 * time.Second)
	b.offered(id, "", "")
	b.transcript(whole...)
	b.later(130 * time.Second)
	b.offered(id, "", "")
	b.later(150 * time.Second)
	b.reported(id, "It is split.", model.ReportSameRound)
	if left, _ := filepath.Glob(filepath.Join(b.dir, "state", "hooks", "claude", "pending", "*", "*")); len(left) > 0 {
		t.Errorf("still pending: %v", left)
	}
}

// TestAKilledProgramsReplyCountsAsItsHooksSaid: the transcript has no answers to its calls.
func TestAKilledProgramsReplyCountsAsItsHooksSaid(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	path := b.transcript(text("msg_1", "I begin."))
	b.must(completedIn(path, "s1", "toolu_1", id), "claude", "PostToolUse")
	b.transcript(text("msg_1", "I begin."), text("msg_2", "It is split."), use("msg_2", "toolu_1", id))
	b.later(31 * time.Second)
	b.reported(id, "It is split.", model.ReportSameRound)
}

// TestACompletionWithoutWordsWaitsForTheEndOfItsTurn, however late that is.
func TestACompletionWithoutWordsWaitsForTheEndOfItsTurn(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	path := b.transcript(use("msg_2", "toolu_1", id), done("toolu_1"))
	b.must(completedIn(path, "s1", "toolu_1", id), "claude", "PostToolUse")
	b.later(time.Hour)
	b.offered(id, "", "")
	b.must(stop("s1", path, "All done.", ""), "claude", "Stop")
	b.offered(id, "All done.", model.ReportTurnFinal)
}

// TestWordsAreFoundHoweverMuchFollowsThem: 60 MB of tools' answers, also for a subagent's words.
func TestWordsAreFoundHoweverMuchFollowsThem(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	path := b.transcript(text("msg_1", "I begin."))
	b.must(completedIn(path, "s1", "toolu_1", id), "claude", "PostToolUse")
	b.transcript(text("msg_1", "I begin."), text("msg_2", "It is split."), use("msg_2", "toolu_1", id), done("toolu_1"), text("msg_3", "More."))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 60 {
		if _, err := fmt.Fprintf(f, `{"type":"user","message":{"content":[{"type":"tool_result","content":"%s"}]}}`+"\n", strings.Repeat("x", 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	b.must(stop("s1", path, "Bye.", ""), "claude", "Stop")
	b.reported(id, "It is split.", model.ReportSameRound)
}

// TestAScriptOfCodexCompletes: in code mode a reply calls only exec, and the script calls vise's tools.
func TestAScriptOfCodexCompletes(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("codex")
	lines, err := os.ReadFile("testdata/codex-code-transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := b.transcript(strings.ReplaceAll(string(lines), "ITEM", string(id)))
	call := strings.Replace(completedIn(path, "th1", "exec-2", id), "permission_mode", "turn_id", 1)
	b.must(call, "codex", "PostToolUse")
	b.must(stop("th1", path, "Anything else?", ""), "codex", "Stop")
	b.offered(id, "Split the limiter; the proxy uses it.", model.ReportNearRound)
}

// TestACodexWhoseHooksNobodyTrustsIsReadAtItsTurnsEnd: notify is called nevertheless, and the transcript has the rest.
func TestACodexWhoseHooksNobodyTrustsIsReadAtItsTurnsEnd(t *testing.T) {
	b := newHookBench(t)
	const session = "01a207d5-76e0-7410-bc0c-a15e1d67c39f"
	one, two := b.completed("codex"), b.completed("codex")
	lines, err := os.ReadFile("testdata/codex-code-transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(b.claude, "sessions", "2026", "11", "23")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	first := strings.ReplaceAll(string(lines), "ITEM", string(one))
	second := strings.NewReplacer("ITEM", string(two), "exec-2", "exec-3", "Split the limiter; the proxy uses it.", "").Replace(string(lines))
	for i, said := range []string{first, first + second} {
		if err := os.WriteFile(filepath.Join(dir, "rollout-2026-11-23T09-56-00-"+session+".jsonl"), []byte(said), 0o600); err != nil {
			t.Fatal(err)
		}
		b.must("", "codex", "notify", fmt.Sprintf(`{"thread-id":%q,"last-assistant-message":"Turn %d."}`, session, i))
	}
	b.offered(one, "Split the limiter; the proxy uses it.", model.ReportNearRound)
	b.offered(two, "Turn 1.", model.ReportTurnFinal)
}

// TestEachCompletionOfATurnIsReportedWithItsOwnWords: two and three, one after the other, and one without words among them.
func TestEachCompletionOfATurnIsReportedWithItsOwnWords(t *testing.T) {
	b := newHookBench(t)
	var lines []string
	var path string
	said := []string{"The first is done.", "The second is done.", "", "The fourth is done."}
	ids := make([]model.ItemID, len(said))
	for i, words := range said {
		ids[i] = b.completed("claude")
		reply, call := fmt.Sprintf("msg_%d", i), fmt.Sprintf("toolu_%d", i)
		if words != "" {
			lines = append(lines, text(reply, words))
		}
		lines = append(lines, use(reply, call, ids[i]), done(call))
		path = b.transcript(lines...)
		b.must(completedIn(path, "s1", call, ids[i]), "claude", "PostToolUse")
	}
	b.must(stop("s1", path, "Anything else?", ""), "claude", "Stop")
	for i, words := range said {
		if words == "" {
			b.offered(ids[i], "Anything else?", model.ReportTurnFinal)
			continue
		}
		b.reported(ids[i], words, model.ReportSameRound)
	}
}

// TestRepliesOfCodexAreToldApartByTheirRecords, in code mode too, so that their words are kept. Words of another reply are not.
func TestRepliesOfCodexAreToldApartByTheirRecords(t *testing.T) {
	b := newHookBench(t)
	one, two := b.completed("codex"), b.completed("codex")
	raw, err := os.ReadFile("testdata/codex-code-transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	record := func(reply, lines string) string { // after a reply's calls, before their answers
		at := strings.Index(lines, `{"type":"event_msg"`)
		if at < 0 {
			t.Fatal("the recording has no event")
		}
		return lines[:at] + fmt.Sprintf(`{"type":"token_usage_record","payload":{"response_id":%q}}`, reply) + "\n" + lines[at:]
	}
	all := strings.SplitAfter(string(raw), "\n")
	pick, complete := strings.Join(all[:4], ""), strings.Join(all[4:8], "")
	silent := strings.NewReplacer("exec-2", "exec-3", "call_2", "call_3").Replace(strings.SplitAfterN(complete, "\n", 2)[1])
	path := b.transcript(strings.ReplaceAll(record("r1", pick)+record("r2", complete), "ITEM", string(one)) +
		strings.ReplaceAll(record("r3", silent), "ITEM", string(two)))
	for i, id := range []model.ItemID{one, two} {
		call := strings.Replace(completedIn(path, "th1", fmt.Sprintf("exec-%d", i+2), id), "permission_mode", "turn_id", 1)
		b.must(call, "codex", "PostToolUse")
	}
	b.must(stop("th1", path, "Anything else?", ""), "codex", "Stop")
	b.reported(one, "Split the limiter; the proxy uses it.", model.ReportSameRound)
	b.offered(two, "Anything else?", model.ReportTurnFinal)
}
