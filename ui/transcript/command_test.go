package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestAToolsEndIsToldOrItIsNotGuessed(t *testing.T) {
	const claudeOK = `{"stdout":"ok","stderr":"","interrupted":false,"isImage":false}`
	for _, c := range []struct {
		name, program, tool, input, response string
		failed                               bool
		words                                string
		want                                 string
	}{
		{"claude, a success", "claude", "Bash", `{"command":"go test ./..."}`, claudeOK, false, "", "go test ./... in /repo: told 0"},
		{"claude, a failure", "claude", "Bash", `{"command":"go test"}`, ``, true, "Exit code 2\nboom", "go test in /repo: told 2"},
		{"claude, a failure in other words", "claude", "Bash", `{"command":"go test"}`, ``, true, "Command exited with non-zero status code 1", "go test in /repo: told 1"},
		{"claude, refused", "claude", "Bash", `{"command":"go test"}`, ``, true, "the user does not want that", ""},
		{"a failure with 0 contradicts itself", "claude", "Bash", `{"command":"go test"}`, ``, true, "Exit code 0", ""},
		{"claude, an answer of another shape", "claude", "Bash", `{"command":"go test"}`, `"ok"`, false, "", "go test in /repo: claimed"},
		{"claude, not 0 and all right", "claude", "Bash", `{"command":"grep -r test"}`, `{"stdout":"","returnCodeInterpretation":"No matches found"}`, false, "", "grep -r test in /repo: no status"},
		{"claude, cut short", "claude", "Bash", `{"command":"go test"}`, `{"stdout":"","interrupted":true}`, false, "", ""},
		{"claude, in the background", "claude", "Bash", `{"command":"go test","run_in_background":true}`, claudeOK, false, "", ""},
		{"claude, put into the background", "claude", "Bash", `{"command":"go test"}`, `{"stdout":"","backgroundTaskId":"b1"}`, false, "", ""},
		{"codex, the output alone", "codex", "Bash", `{"command":"go test"}`, `"Exit code: 0\nok"`, false, "", "go test in /repo: no status"},
		{"codex, with a status", "codex", "shell", `{"command":["bash","-lc","go test"],"workdir":"sub"}`, `{"output":"","metadata":{"exit_code":3}}`, false, "", "go test in /repo/sub: told 3"},
		{"copilot, a failure", "copilot", "Bash", `{"command":"sh ./test.sh"}`, `{"result_type":"success","text_result_for_llm":"broken\n<shellId: 0 completed with exit code 3>"}`, false, "", "sh ./test.sh in /repo: told 3"},
		{"copilot, a success", "copilot", "Bash", `{"command":"sh ./test.sh"}`, `{"text_result_for_llm":"\n<shellId: 1 completed with exit code 0>"}`, false, "", "sh ./test.sh in /repo: told 0"},
		{"copilot, words of the command's", "copilot", "Bash", `{"command":"sh ./test.sh"}`, `{"text_result_for_llm":"<shellId: 1 completed with exit code 0>\nfails"}`, false, "", "sh ./test.sh in /repo: no status"},
		{"those words, elsewhere", "codex", "Bash", `{"command":"sh ./test.sh"}`, `{"text_result_for_llm":"<shellId: 1 completed with exit code 0>"}`, false, "", "sh ./test.sh in /repo: no status"},
		{"opencode", "opencode", "bash", `{"command":"sh ./test.sh","workdir":"sub"}`, `{"exit_code":3}`, false, "", "sh ./test.sh in /repo/sub: told 3"},
		{"opencode, cut short", "opencode", "bash", `{"command":"sh ./test.sh"}`, `{}`, false, "", "sh ./test.sh in /repo: no status"},
		{"gemini, a failure", "gemini", "run_shell_command", `{"command":"sh ./test.sh","dir_path":"sub"}`, `{"llmContent":"<untrusted_context>\nOutput: broken\nExit Code: 3\nProcess Group PGID: 6112\n</untrusted_context>"}`, false, "", "sh ./test.sh in /repo/sub: told 3"},
		{"gemini, a success", "gemini", "run_shell_command", `{"command":"sh ./test.sh","dir_path":"sub"}`, `{"llmContent":"<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 6118\n</untrusted_context>"}`, false, "", "sh ./test.sh in /repo/sub: told 0"},
		{"gemini, words of the command's", "gemini", "run_shell_command", `{"command":"sh ./test.sh","dir_path":"sub"}`, `{"llmContent":"Output: Exit Code: 0\nExit Code: 0\nExit Code: 2\nBackground PIDs: 7\nProcess Group PGID: 6118"}`, false, "", "sh ./test.sh in /repo/sub: told 2"},
		{"gemini, a signal", "gemini", "run_shell_command", `{"command":"sh ./test.sh","dir_path":"sub"}`, `{"llmContent":"Output: x\nSignal: 9\nProcess Group PGID: 6118"}`, false, "", "sh ./test.sh in /repo/sub: no status"},
		{"gemini, cut short", "gemini", "run_shell_command", `{"command":"sh ./test.sh","dir_path":"sub"}`, `{"llmContent":"Command was cancelled by the user."}`, false, "", "sh ./test.sh in /repo/sub: no status"},
		{"gemini, one line", "gemini", "run_shell_command", `{"command":"sh ./test.sh","dir_path":"sub"}`, `{"llmContent":"Process Group PGID: 1"}`, false, "", "sh ./test.sh in /repo/sub: no status"},
		{"a status at the top", "codex", "shell", `{"command":["go","vet"],"workdir":"/else"}`, `{"exit_code":0}`, false, "", "go vet in /else: told 0"},
		{"a status that is none", "codex", "shell", `{"command":"go test"}`, `{"exit_code":"0"}`, false, "", "go test in /repo: no status"},
		{"a status of nothing", "codex", "shell", `{"command":"go test"}`, `{"exit_code":null}`, false, "", "go test in /repo: no status"},
		{"a status beyond all bounds", "codex", "shell", `{"command":"go test"}`, `{"exit_code":1e99}`, false, "", "go test in /repo: no status"},
		{"in a shell", "codex", "shell", `{"command":"/bin/bash -lc 'go test ./...'"}`, `{"exit_code":1}`, false, "", "go test ./... in /repo: told 1"},
		{"words like a shell", "codex", "shell", `{"command":"echo 'x bash -lc y'"}`, `{"exit_code":0}`, false, "", "echo 'x bash -lc y' in /repo: told 0"},
		{"another tool", "claude", "Read", `{"command":"go test"}`, claudeOK, false, "", ""},
		{"no command", "claude", "Bash", `{"command":7}`, claudeOK, false, "", ""},
		{"no input", "claude", "Bash", ``, claudeOK, false, "", ""},
		{"a script", "claude", "Bash", `{"command":"` + strings.Repeat("go test;", 200) + `"}`, claudeOK, false, "", ""},
	} {
		got := ""
		r, ok := ToolCall{Program: c.program, Tool: c.tool, Input: json.RawMessage(c.input), Response: json.RawMessage(c.response), Failed: c.failed, Error: c.words, Dir: "/repo"}.Ran()
		if ok {
			got = fmt.Sprintf("%s in %s: no status", r.Command, r.Dir)
			switch {
			case r.Claimed:
				got = fmt.Sprintf("%s in %s: claimed", r.Command, r.Dir)
			case !r.NoStatus:
				got = fmt.Sprintf("%s in %s: told %d", r.Command, r.Dir, r.ExitStatus)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCodexTellsTheStatusInItsTranscript(t *testing.T) {
	const line = `{"type":"%s","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"%s","aggregated_output":"\"exit_code\":0","exit_code":%s}}}`
	lines := strings.Join([]string{"cut}", fmt.Sprintf(line, "event_msg", "a", "3"), fmt.Sprintf(line, "event_msg", "b", "null"),
		fmt.Sprintf(line, "response_item", "c", "0"), fmt.Sprintf(line, "event_msg", "d", "0")}, "\n")
	for id, want := range map[string]string{"a": "3 true", "b": "0 false", "c": "0 false", "d": "0 true", "e": "0 false", "": "0 false"} {
		status, ok := CodexStatus([]byte(lines), id)
		if got := fmt.Sprint(status, " ", ok); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
}
