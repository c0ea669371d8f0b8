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

func TestARoundOfOpenCodeIsWhatSharesAMessage(t *testing.T) {
	const (
		text = `{"type":"text","part":{"messageID":"a","type":"text","text":"one"}}`
		call = `{"type":"tool_use","part":{"messageID":"a","type":"tool","tool":"vise_CompleteWorkItem","callID":"t","state":{"status":"completed","input":{"work_item_id":"wi-1"},"output":"ok"}}}`
		step = `{"type":"step_finish","part":{"messageID":"a","tokens":{"input":1200,"output":80,"reasoning":1,"cache":{"read":10,"write":2}},"cost":0.5}}`
		next = `{"type":"text","part":{"messageID":"b","type":"text","text":"two"}}`
		fail = `{"type":"error","error":{"name":"APIError","data":{"message":"overloaded"}}}`
	)
	heard(t, config.AdapterOpenCode, []string{text, call, step, next, strings.Replace(step, `"a"`, `"b"`, 1)}, []string{"one wi-1", "two "},
		model.Usage{CostUSD: 1, InputTokens: 2424, OutputTokens: 162}, "")
	heard(t, config.AdapterOpenCode, []string{text, strings.Replace(call, "completed", "error", 1), fail}, []string{"one "},
		model.Usage{}, "APIError: overloaded")
}

func TestARoundOfGeminiEndsWithItsAnswers(t *testing.T) {
	const (
		begin = `{"type":"init","session_id":"s","model":"m"}`
		user  = `{"type":"message","role":"user","content":"Work."}`
		one   = `{"type":"message","role":"assistant","content":"on","delta":true}`
		more  = `{"type":"message","role":"assistant","content":"e","delta":true}`
		call  = `{"type":"tool_use","tool_name":"mcp_vise_CompleteWorkItem","tool_id":"t","parameters":{"work_item_id":"wi-1"}}`
		good  = `{"type":"tool_result","tool_id":"t","status":"success","output":"{}"}`
		bad   = `{"type":"tool_result","tool_id":"t","status":"error","error":{"type":"x","message":"no"}}`
		two   = `{"type":"message","role":"assistant","content":"two","delta":true}`
		end   = `{"type":"result","status":"success","stats":{"input_tokens":6000,"output_tokens":400}}`
		fail  = `{"type":"result","status":"error","error":{"type":"FatalTurn","message":"overloaded"}}`
	)
	heard(t, config.AdapterGemini, []string{begin, user, one, more, call, good, two, end}, []string{"one wi-1", "two "},
		model.Usage{InputTokens: 6000, OutputTokens: 400}, "")
	heard(t, config.AdapterGemini, []string{begin, one, call, bad, call, good, fail}, []string{"on ", " wi-1"}, model.Usage{}, "FatalTurn: overloaded")
}

func TestClaudeAndCodexTellWhatTheyUsed(t *testing.T) {
	heard(t, config.AdapterClaude, []string{`{"type":"result","subtype":"success","total_cost_usd":0.04,"usage":{"input_tokens":6000,
		"cache_creation_input_tokens":20,"cache_read_input_tokens":3,"output_tokens":400}}`}, nil,
		model.Usage{CostUSD: 0.04, InputTokens: 6023, OutputTokens: 400}, "")
	heard(t, config.AdapterCodex, []string{`{"type":"turn.completed","usage":{"input_tokens":900,"cached_input_tokens":500,"output_tokens":7}}`}, nil,
		model.Usage{InputTokens: 900, OutputTokens: 7}, "")
}

// heard checks an adapter's result for lines.
func heard(t *testing.T, a config.Adapter, lines, want []string, used model.Usage, failed string) {
	t.Helper()
	l := adapters[a]()
	got, bad := roundsOf(l, lines...)
	if _, _, why := l.end(); !slices.Equal(got, want) || bad != 0 || l.Used() != used || why != failed {
		t.Errorf("%s: got %q, want %q; %d bad; used %+v, want %+v; failed %q", a, got, want, bad, l.Used(), used, why)
	}
}
