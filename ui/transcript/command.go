package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// Ran is a command that a program ran to its end.
type Ran struct {
	Command string
	// Dir is the directory in which it ran; empty if the program does not say.
	Dir        string
	ExitStatus int
	// NoStatus means that the program did not report the exit status, so the end proves nothing. Claimed means that the program
	// nevertheless treats the command as a success.
	NoStatus, Claimed bool
}

// ToolCall is the end of a tool call, as a program's hook reports it.
type ToolCall struct {
	Program, Tool   string
	Input, Response json.RawMessage
	// Failed means that the program reports the call as failed; Error is its text for that.
	Failed      bool
	Error       string
	Interrupted bool
	// Dir is the session's directory.
	Dir string
}

// shells are the tools that run commands, by their names in the programs' hooks.
var shells = []string{"Bash", "bash", "shell", "shell_command", "local_shell", "exec_command", "run_shell_command"}

// maxCommand bounds a command in bytes. A longer one is a script, which does not fit a line of a thread.
const maxCommand = 1000

// Command returns the command that a shell tool runs; empty for another tool.
func (t ToolCall) Command() string {
	if !slices.Contains(shells, t.Tool) {
		return ""
	}
	return shellInputOf(t.Input).command
}

// Ran returns the command of a shell tool that ended. ok is false for another tool, and for a command that is still running, was cut short
// or never ran.
func (t ToolCall) Ran() (r Ran, ok bool) {
	in := shellInputOf(t.Input)
	if !slices.Contains(shells, t.Tool) || t.Interrupted || in.background || in.command == "" || len(in.command) > maxCommand {
		return r, false
	}
	r.Command, r.Dir = in.command, t.Dir
	if in.dir != "" {
		if r.Dir = in.dir; !filepath.IsAbs(r.Dir) {
			r.Dir = filepath.Join(t.Dir, in.dir)
		}
	}
	if t.Failed {
		r.ExitStatus, ok = exitStatus(t.Error)
		return r, ok && r.ExitStatus != 0
	}
	return t.answered(r)
}

// answered reads how the command ended from the tool's answer. Claude Code's answer has no status. It calls different hooks for success and
// failure; the hook for success means success if the answer is that of a command that ended. Codex calls one hook for both and answers with
// only the output, which proves nothing. Copilot CLI and Gemini CLI end their answers with lines that give the status.
func (t ToolCall) answered(r Ran) (Ran, bool) {
	var a struct {
		ExitCode    json.RawMessage `json:"exit_code"`
		Metadata    json.RawMessage
		Stdout      *string
		Interrupted bool
		Background  string `json:"backgroundTaskId"`
		Meaning     string `json:"returnCodeInterpretation"`
		Text        string `json:"text_result_for_llm"`
		Content     string `json:"llmContent"`
	}
	shaped := json.Unmarshal(t.Response, &a) == nil
	if a.Interrupted || a.Background != "" {
		return r, false
	}
	var below struct {
		ExitCode json.RawMessage `json:"exit_code"`
	}
	_ = json.Unmarshal(a.Metadata, &below) // metadata of another shape is ignored
	told := map[string]func(string) (int, bool){"copilot": copilotStatus, "gemini": geminiStatus}[t.Program]
	if told != nil {
		if n, ok := told(a.Text + a.Content); ok {
			r.ExitStatus = n
			return r, true
		}
	}
	for _, raw := range []json.RawMessage{a.ExitCode, below.ExitCode} {
		var n *int32
		if len(raw) > 0 && json.Unmarshal(raw, &n) == nil && n != nil && *n >= 0 {
			r.ExitStatus = int(*n)
			return r, true
		}
	}
	r.NoStatus = true
	if t.Program == "claude" && a.Meaning == "" {
		r.NoStatus = !shaped || a.Stdout == nil
		r.Claimed = r.NoStatus
	}
	return r, true
}

// shellInput is the input of a shell tool.
type shellInput struct {
	command, dir string
	background   bool
}

// shellInputOf reads the input of a shell tool. Input of another shape has no command.
func shellInputOf(raw json.RawMessage) shellInput {
	var in struct {
		Command    json.RawMessage
		Background bool `json:"run_in_background"`
		Behind     bool `json:"is_background"` // Gemini CLI's name for background
		Workdir    string
		Cwd        string // Codex's name for the directory
		DirPath    string `json:"dir_path"` // Gemini CLI's name for the directory
	}
	if json.Unmarshal(raw, &in) != nil {
		return shellInput{}
	}
	out := shellInput{dir: cmp.Or(in.Workdir, in.Cwd, in.DirPath), background: in.Background || in.Behind}
	var line string
	var words []string
	switch {
	case json.Unmarshal(in.Command, &line) == nil:
		out.command = bare(strings.TrimSpace(line))
	case json.Unmarshal(in.Command, &words) != nil:
	case len(words) == 3 && filepath.Base(words[0]) == "bash" && words[1] == "-lc":
		out.command = strings.TrimSpace(words[2])
	default:
		out.command = strings.Join(words, " ")
	}
	return out
}

// bare returns a command without the shell that Codex wraps around it.
func bare(command string) string {
	_, rest, wrapped := strings.Cut(command, "bash -lc ")
	if !wrapped || strings.ContainsAny(strings.TrimSuffix(command, "bash -lc "+rest), " '\"") {
		return command
	}
	if n := len(rest); n > 1 && (rest[0] == '\'' || rest[0] == '"') && rest[n-1] == rest[0] && !strings.Contains(rest[1:n-1], rest[:1]) {
		return rest[1 : n-1]
	}
	return rest
}

// copilotStatus reads the status from the last line of a command's output in Copilot CLI.
func copilotStatus(words string) (n int, ok bool) {
	line := words[strings.LastIndexByte(words, '\n')+1:]
	var shell int
	got, err := fmt.Sscanf(line, "<shellId: %d completed with exit code %d>", &shell, &n)
	return n, err == nil && got == 2 && n >= 0 && n <= math.MaxInt32
}

// geminiStatus reads the status from the lines that Gemini CLI appends to a command's output: the status if it is not 0, then other notes,
// and last the process group. A command that a signal ended has no status.
func geminiStatus(words string) (n int, ok bool) {
	words = strings.TrimSuffix(strings.TrimPrefix(words, "<untrusted_context>\n"), "\n</untrusted_context>")
	lines := strings.Split(words, "\n")
	last := len(lines) - 1
	if !strings.HasPrefix(words, "Output: ") || last == 0 || !strings.HasPrefix(lines[last], "Process Group PGID: ") {
		return 0, false
	}
	for last--; last > 0 && strings.HasPrefix(lines[last], "Background PIDs: "); last-- {
	}
	_, err := fmt.Sscanf(lines[last], "Exit Code: %d", &n)
	stopped := strings.HasPrefix(lines[last], "Signal: ") || strings.HasPrefix(lines[last], "Error: ")
	return n, !stopped && (err == nil && n > 0 && n <= math.MaxInt32 || err != nil)
}

// exitStatus reads the status at the beginning of a failed command's text.
func exitStatus(words string) (int, bool) {
	for _, form := range []string{"Exit code %d", "Command exited with non-zero status code %d"} {
		var n int
		if _, err := fmt.Sscanf(words, form, &n); err == nil && n >= 0 && n <= math.MaxInt32 {
			return n, true
		}
	}
	return 0, false
}
