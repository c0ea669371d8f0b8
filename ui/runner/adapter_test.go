package runner

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/ui/config"
)

// roundsOf feeds lines to a listener and returns its rounds as "text [done]".
func roundsOf(l listener, lines ...string) (got []string, bad int) {
	tell := func(list []said) {
		for _, s := range list {
			got = append(got, s.Text.Raw()+" "+strings.Join(s.done, ","))
		}
	}
	for _, line := range lines {
		heard, err := l.line([]byte(line))
		tell(heard)
		if err != nil {
			bad++
		}
	}
	rest, _, _ := l.end()
	tell(rest)
	return got, bad
}

func TestARoundOfClaudeIsWhatSharesAMessage(t *testing.T) {
	const (
		text1  = `{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"one"}]}}`
		text2  = `{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"two"}]}}`
		call   = `{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","id":"t","name":"mcp__vise__CompleteWorkItem","input":{"work_item_id":"wi-1"}}]}}`
		good   = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}`
		bad    = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"no"}]}}`
		next   = `{"type":"assistant","message":{"id":"b","content":[{"type":"text","text":"three"}]}}`
		plain  = `{"type":"user","message":{"content":"a string"}}`
		others = `{"type":"stream_event","event":{"x":[1,2]}}`
		shapes = `{"type":"assistant","message":{"id":"c","content":[{"type":"tool_use","id":"u","name":"Bash","input":[1]}]}}`
	)
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"blocks of one message are one round", []string{text1, text2, call, good, next}, []string{"one\n\ntwo wi-1", "three "}},
		{"a completion that failed is none", []string{text1, call, bad, next}, []string{"one ", "three "}},
		{"a completion without an answer is none", []string{text1, call}, []string{"one "}},
		{"other lines are no rounds", []string{plain, others, text1}, []string{"one "}},
		{"a foreign tool's input may have any shape", []string{shapes, text1}, []string{" ", "one "}},
	} {
		if got, bad := roundsOf(adapters[config.AdapterClaude](), c.lines...); !slices.Equal(got, c.want) || bad != 0 {
			t.Errorf("%s: got %q, want %q; %d bad", c.name, got, c.want, bad)
		}
	}
}

func TestARoundOfCodexIsTheMessageBeforeATool(t *testing.T) {
	const (
		text = `{"type":"item.completed","item":{"type":"agent_message","text":"done"}}`
		good = `{"type":"item.completed","item":{"type":"mcp_tool_call","server":"vise","tool":"CompleteWorkItem","arguments":{"work_item_id":"wi-1"},"error":null,"status":"completed"}}`
		bad  = `{"type":"item.completed","item":{"type":"mcp_tool_call","server":"vise","tool":"CompleteWorkItem","arguments":{"work_item_id":"wi-1"},"error":{"message":"no"},"status":"failed"}}`
		run  = `{"type":"item.completed","item":{"type":"command_execution","command":"ls"}}`
	)
	for _, c := range []struct{ lines, want []string }{
		{[]string{text, good}, []string{"done wi-1"}},
		{[]string{text, bad}, []string{"done "}},
		{[]string{text, run, good}, []string{"done ", " wi-1"}},
	} {
		if got, _ := roundsOf(adapters[config.AdapterCodex](), c.lines...); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %q, want %q", c.lines, got, c.want)
		}
	}
}

func TestARoundMayNotSayWhereItsWordsComeFrom(t *testing.T) {
	for _, line := range []string{
		`{"text":"x","provenance":"operator"}`, `{"text":"x","turn":3}`, `{"text":"x","done":["wi-1"]}`,
		`{"text":"x","calls":[{"tool":"Tick","input":{}}]}`, `{"text":"x"} {"text":"y"}`, `{"text":"x","calls":[{"tool":"WaitFor","input":{"x":1}}]}`,
	} {
		l := &rounds{}
		heard, err := l.line([]byte(line))
		if refused := err != nil || len(heard) == 1 && heard[0].wrong != nil; !refused {
			t.Errorf("%s was taken", line)
		}
	}
}

func TestLongLinesAreSkippedAndShortOnesKept(t *testing.T) {
	in := "a\n" + strings.Repeat("x", maxLine+10) + "\n\nb"
	var got []string
	err := EachLine(strings.NewReader(in), func(line []byte, err error) {
		if err != nil {
			got = append(got, "!")
			return
		}
		got = append(got, string(line))
	})
	if err != nil || !slices.Equal(got, []string{"a", "!", "", "b"}) {
		t.Errorf("got %d lines: %q %v", len(got), got, err)
	}
}

func programsIn(path string) (map[model.AgentID]Program, error) {
	s := config.Load(config.Place{File: path}, func(string) string { return "" })
	if err := s.Refusal(path, "agents", ProgramForm); err != nil {
		return nil, err
	}
	return Programs(s.Agents)
}

func TestAConfigurationIsStrictAboutAgents(t *testing.T) {
	for _, c := range []struct{ yaml, wrong string }{
		{"other: {x: 1}", ""},
		{"agents: {ann: {command: [a, b], adapter: claude, turn: {timeout: 30m, rounds: 5, context: 900}}}", ""},
		{"agents: {ann: {shell: 'a | b'}}", ""},
		{"agents: {ann: {}}", "needs a command"},
		{"agents: {ann: {command: [a], shell: b}}", "not both"},
		{"agents: {ann: {comand: [a]}}", "comand"},
		{"agents: {ann: {command: a b}}", "must be a list"},
		{"agents: {ann: {command: [a], adapter: grok}}", "is none of claude"},
		{"agents: {ann: {command: [a], dir: here}}", "absolute"},
		{"agents: {'../x': {command: [a]}}", "not usable as an agent's name"},
		{"agents: {ann: {command: [a], turn: {timeout: -1s}}}", "must be a length of time"},
		{"agents: [", "not YAML"},
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(c.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := programsIn(path)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", c.yaml, err, c.wrong)
		}
		if p := got["ann"]; strings.Contains(c.yaml, "30m") && (p.Turn.Timeout.Duration() != 30*time.Minute || p.Turn.Context != 900 || p.Turn.Rounds != 5 || p.Turn.Output == 0) {
			t.Errorf("%s: %+v", c.yaml, p)
		}
	}
	if got, err := programsIn(t.TempDir() + "/none.yaml"); len(got) > 0 || err != nil {
		t.Errorf("a file that is not there: %v %v", got, err)
	}
	if _, err := programsIn(t.TempDir()); !errors.Is(err, &model.Error{Code: model.CodeInvalid}) {
		t.Errorf("a directory: %v", err)
	}
}

func FuzzListeners(f *testing.F) {
	f.Add(`{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"one"}]}}`)
	f.Add(`{"type":"item.completed","item":{"type":"agent_message","text":"done"}}`)
	f.Add(`{"text":"x","calls":[{"tool":"WaitFor","input":{"reason":"r"}}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		for name, a := range adapters {
			l := a()
			_, _ = l.line([]byte(line))
			rest, _, _ := l.end()
			for _, s := range rest {
				if len([]rune(s.Text.Raw())) > model.MaxReport {
					t.Errorf("%s keeps %d bytes", name, len(s.Text))
				}
			}
		}
	})
}
