package transcript

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// ToolCall is the end of a tool's call, as a program's hook tells of it.
type ToolCall struct {
	Program, Tool   string
	Input, Response json.RawMessage
	// Failed: the program says that the call failed; Error are its words for that.
	Failed      bool
	Error       string
	Interrupted bool
	// Dir is the session's directory.
	Dir string
}

// ToolRan is a command that a tool ran.
type ToolRan struct {
	Ran
	// Dir is where it ran.
	Dir string
	// Told: the exit status was told. Without it ExitStatus counts for nothing, and Claimed
	// says that the program holds the command for a success all the same.
	Told, Claimed bool
}

// shells are the tools that run commands, in the names that programs give them in hooks.
var shells = []string{"Bash", "shell", "shell_command", "local_shell", "exec_command"}

// maxCommand bounds a command in bytes: a longer one is a script, and no line of a thread.
const maxCommand = 1000

// Ran is the command of a shell tool that came to its end. Not ok: another tool, a command
// that still runs, was cut short or never ran.
func (t ToolCall) Ran() (r ToolRan, ok bool) {
	if !slices.Contains(shells, t.Tool) || t.Interrupted {
		return r, false
	}
	var in struct {
		Command    json.RawMessage `json:"command"`
		Background bool            `json:"run_in_background"`
		Workdir    string          `json:"workdir"`
	}
	if json.Unmarshal(t.Input, &in) != nil || in.Background {
		return r, false
	}
	r.Command, r.Dir = commandOf(in.Command), t.Dir
	if in.Workdir != "" {
		if r.Dir = in.Workdir; !filepath.IsAbs(r.Dir) {
			r.Dir = filepath.Join(t.Dir, in.Workdir)
		}
	}
	if r.Command == "" || len(r.Command) > maxCommand {
		return r, false
	}
	if t.Failed {
		r.ExitStatus, r.Told = exitStatus(t.Error)
		return r, r.Told && r.ExitStatus != 0
	}
	return t.answered(r)
}

// commandOf is a command line, or the words of one.
func commandOf(raw json.RawMessage) string {
	var line string
	if json.Unmarshal(raw, &line) == nil {
		return bare(strings.TrimSpace(line))
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil {
		return ""
	}
	if len(words) == 3 && filepath.Base(words[0]) == "bash" && words[1] == "-lc" {
		return strings.TrimSpace(words[2])
	}
	return strings.Join(words, " ")
}

// answered reads what the tool's answer tells of the end. Claude Code's tells no status:
// that the hook of a success is called, and not the one of a failure, tells it, where the
// answer is that of a command which ended. Codex calls one hook for both, and answers with
// the output alone, which tells nothing.
func (t ToolCall) answered(r ToolRan) (ToolRan, bool) {
	var a struct {
		ExitCode    json.RawMessage `json:"exit_code"`
		Metadata    json.RawMessage `json:"metadata"`
		Stdout      *string         `json:"stdout"`
		Interrupted bool            `json:"interrupted"`
		Background  string          `json:"backgroundTaskId"`
		Meaning     string          `json:"returnCodeInterpretation"`
	}
	shaped := json.Unmarshal(t.Response, &a) == nil
	if a.Interrupted || a.Background != "" {
		return r, false
	}
	var below struct {
		ExitCode json.RawMessage `json:"exit_code"`
	}
	_ = json.Unmarshal(a.Metadata, &below) // another shape tells nothing
	for _, raw := range []json.RawMessage{a.ExitCode, below.ExitCode} {
		var n *int32
		if len(raw) > 0 && json.Unmarshal(raw, &n) == nil && n != nil && *n >= 0 {
			r.ExitStatus, r.Told = int(*n), true
			return r, true
		}
	}
	if t.Program == "claude" && a.Meaning == "" {
		r.Told = shaped && a.Stdout != nil
		r.Claimed = !r.Told
	}
	return r, true
}

// exitStatus reads the status at the head of a failed command's words.
func exitStatus(words string) (int, bool) {
	for _, form := range []string{"Exit code %d", "Command exited with non-zero status code %d"} {
		var n int
		if _, err := fmt.Sscanf(words, form, &n); err == nil && n >= 0 && n <= math.MaxInt32 {
			return n, true
		}
	}
	return 0, false
}
