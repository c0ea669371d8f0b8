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
	eachLine(strings.NewReader(in), func(line []byte, err error) {
		if err != nil {
			got = append(got, "!")
			return
		}
		got = append(got, string(line))
	})
	if !slices.Equal(got, []string{"a", "!", "", "b"}) {
		t.Errorf("got %d lines: %q", len(got), got)
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
		{"agents: {ann: {command: [a, b], adapter: acp, turn: {timeout: 30m, rounds: 5, context: 900}}}", ""},
		{"agents: {ann: {shell: 'a | b'}}", ""},
		{"agents: {ann: {program: codex, permissions: edits}}", ""},
		{"agents: {ann: {program: emacs}}", "is none of claude"},
		{"agents: {ann: {program: codex, command: [a]}}", ""},
		{"agents: {ann: {}}", "needs a program"},
		{"agents: {ann: {command: [a], shell: b}}", "not both"},
		{"agents: {ann: {comand: [a]}}", "comand"},
		{"agents: {ann: {command: a b}}", "must be a list"},
		{"agents: {ann: {command: [a], adapter: grok}}", "is none of acp"},
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
			rest := l.end(&ending{}, time.Now())
			for _, s := range rest {
				if len([]rune(s.Text.Raw())) > model.MaxReport {
					t.Errorf("%s keeps %d bytes", name, len(s.Text))
				}
			}
		}
	})
}
