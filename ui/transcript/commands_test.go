package transcript

import (
	"slices"
	"testing"
)

func TestCommandsAreFactsOnlyWithTheirExitStatus(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []Ran
	}{
		{"codex", []string{
			`{"type":"item.started","item":{"type":"command_execution","command":"ls"}}`,
			`{"type":"item.completed","item":{"type":"command_execution","command":"bash -lc 'go test ./...'","exit_code":1}}`,
			`{"type":"item.completed","item":{"type":"command_execution","command":"/bin/bash -lc ls","exit_code":0}}`,
			`{"type":"item.completed","item":{"type":"command_execution","command":"echo 'x bash -lc y'","exit_code":0}}`,
			`{"type":"item.completed","item":{"type":"command_execution","command":"sleep"}}`,
		}, []Ran{{"go test ./...", 1}, {"ls", 0}, {"echo 'x bash -lc y'", 0}}},
		{"claude", []string{
			`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"go test"}},{"type":"tool_use","id":"b","name":"Read","input":{"file_path":"x"}},{"type":"tool_use","id":"c","name":"Bash","input":{"command":"go vet"}},{"type":"tool_use","id":"d","name":"Bash","input":{"command":"denied"}},{"type":"tool_use","id":"e","name":"Bash","input":{"command":"serve","run_in_background":true}}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"ok"},{"type":"tool_result","tool_use_id":"c","is_error":true,"content":[{"type":"text","text":"Exit code 2\nbad"}]},{"type":"tool_result","tool_use_id":"d","is_error":true,"content":"the user doesn't want that"},{"type":"tool_result","tool_use_id":"e","content":"running"},{"type":"tool_result","tool_use_id":"z","content":"?"}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"again"}]}}`,
		}, []Ran{{"go test", 0}, {"go vet", 2}}},
		{"something else", []string{`x`, `{}`, `{"type":"user","message":{"content":"hi"}}`, `{"type":"assistant","message":{"content":7}}`}, nil},
	} {
		var in Commands
		var got []Ran
		for _, l := range c.lines {
			got = append(got, in.Line([]byte(l))...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
