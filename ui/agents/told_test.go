package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/store/home"
	"vise/store/storetest"
	"vise/ui/acp"
	"vise/ui/transcript"
)

// toldBy returns a session of a program whose transcript has a text, and a function that tells it as lines.
func toldBy(t *testing.T, program, text string) (s home.Session, tell func() string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"} {
		t.Setenv(name, dir)
	}
	s = home.Session{Program: program, ID: "s1", Transcript: filepath.Join(dir, "t.jsonl")}
	if program == "gemini" {
		s.Transcript = filepath.Join(dir, ".gemini", "t.jsonl")
	}
	if err := os.MkdirAll(filepath.Dir(s.Transcript), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Transcript, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	story := acp.StoryOf(program)
	at := int64(0)
	return s, func() (out string) {
		all, next, err := Told(s, at, acp.MaxRead)
		if err != nil {
			t.Fatal(err)
		}
		at = next
		for _, e := range all {
			story.Add(e)
		}
		for _, p := range story.Parts {
			verb, about := p.Call.Line()
			out += fmt.Sprintf("%d %s|%s %s %s\n", p.Kind, p.Text.Raw(), verb.Raw(), about.Raw(), p.Call.Outcome().Raw())
		}
		return out
	}
}

// TestATranscriptTellsTheStoryOfItsSession, of each program that keeps one, once for each reply.
func TestATranscriptTellsTheStoryOfItsSession(t *testing.T) {
	for _, program := range []string{"claude", "codex", "gemini", "copilot"} {
		raw, err := os.ReadFile(filepath.Join("testdata", program+"-words-transcript.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		_, tell := toldBy(t, program, string(raw))
		got := tell()
		for _, want := range []string{"Split the limiter into limit/; the proxy uses it.", "|vise CompleteWorkItem done\n", "Anything else?"} {
			if strings.Count(got, want) != 1 {
				t.Errorf("%s: %q is not told once in\n%s", program, want, got)
			}
		}
	}
}

// A session goes on being read where the last reading ended, and a half line waits for its end.
func TestATranscriptIsReadFromWhereTheLastReadingEnded(t *testing.T) {
	const said = `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"One."}]}}`
	const run = `{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test"}}]}}`
	const ended = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"FAIL"}]}}`
	s, tell := toldBy(t, "claude", said+"\n"+run+"\n"+ended[:20])
	if got := tell(); got != "0 One.|call  \n4 |run go test \n" {
		t.Errorf("first: %q", got)
	}
	if err := os.WriteFile(s.Transcript, []byte(said+"\n"+run+"\n"+ended+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := tell(); got != "0 One.|call  \n4 |run go test failed\n" {
		t.Errorf("then: %q", got)
	}
}

// Of a long transcript the end is told, and that there is more.
func TestOfALongTranscriptTheEndIsTold(t *testing.T) {
	storetest.Slow(t)
	line := `{"type":"assistant","message":{"id":"m%d","content":[{"type":"text","text":"word %d ` + strings.Repeat("x", 1000) + `"}]}}` + "\n"
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, line, i, i)
	}
	_, tell := toldBy(t, "claude", long.String())
	got := tell()
	if !strings.HasPrefix(got, "8 earlier words are in ") || !strings.Contains(got, "word 2999 ") || strings.Contains(got, "word 900 ") {
		t.Errorf("got %d bytes: %.200q", len(got), got)
	}
}

// TestWhatASessionUsedIsCountedOnce: each reply of the transcript, from where it was read last.
func TestWhatASessionUsedIsCountedOnce(t *testing.T) {
	const used = `{"type":"assistant","timestamp":"2026-11-2%d","message":{"id":"m%d","usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":%d}}}` + "\n"
	h := home.SessionsIn(t.TempDir(), time.Now)
	s, _ := toldBy(t, "claude", "")
	s.Agent, s.At = "ann", time.Now()
	h.NoteSession(s)
	count := func(want string, lines ...string) {
		t.Helper()
		f, err := os.OpenFile(s.Transcript, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(strings.Join(lines, "")); err != nil {
			t.Fatal(err)
		}
		CountAll(h)
		h.NoteSession(s) // other news changes no count
		now, _ := h.SessionOf("ann", "claude", "s1")
		if got := fmt.Sprint(now.Count.Days); got != want {
			t.Errorf("counted %s, want %s", got, want)
		}
	}
	line := func(day, id, out int) string {
		return strings.Replace(fmt.Sprintf(used, day, id, out), `","message`, `T10:00:00Z","message`, 1)
	}
	count("map[2026-11-27:{0 15 2}]", line(7, 1, 1), line(7, 1, 2))
	count("map[2026-11-27:{0 15 4}]", line(7, 1, 4))
	count("map[2026-11-27:{0 15 4} 2026-11-28:{0 15 7}]", line(8, 2, 7), line(8, 3, 9)[:60])
	s.Count.Driven = true
	h.NoteSession(s)
	count("map[]", line(8, 4, 9))
}

// TestEachProgramTellsTokens, in its own form.
func TestEachProgramTellsTokens(t *testing.T) {
	for program, line := range map[string]string{
		"codex":   `{"type":"token_usage_record","payload":{"response_id":"r1","usage":{"input_tokens":12,"output_tokens":8}}}`,
		"gemini":  `{"id":"g1","type":"gemini","content":"x","tokens":{"input":12,"output":8}}`,
		"copilot": `{"type":"session.usage_record","data":{"usage":{"inputTokens":12,"outputTokens":8}}}`,
	} {
		l := transcript.Read(program, []byte(line))
		if l.Usage.InputTokens != 12 || l.Usage.OutputTokens != 8 {
			t.Errorf("%s: %+v", program, l.Usage)
		}
	}
}
