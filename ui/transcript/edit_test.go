package transcript

import (
	"fmt"
	"testing"
)

// TestWhatACallEdited: the input of an editing tool names the files, in any program's spelling; that of other tools
// does not.
func TestWhatACallEdited(t *testing.T) {
	for _, x := range []struct{ tool, input, want string }{
		{"Edit", `{"file_path":"/repo/a.go","old_string":"x"}`, "[/repo/a.go]"},
		{"NotebookEdit", `{"notebook_path":"/repo/a.ipynb"}`, "[/repo/a.ipynb]"},
		{"write_file", `{"file_path":"a.go"}`, "[/work/a.go]"},
		{"edit", `{"filePath":"../b.go"}`, "[/b.go]"},
		{"create", `{"path":"/repo/c.go"}`, "[/repo/c.go]"},
		{"apply_patch", `{"command":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n*** Delete File: /c.go\n*** Add File: a.go\n"}`,
			"[/work/a.go /work/b.go /c.go]"},
		{"Read", `{"file_path":"/repo/a.go"}`, "[]"},
		{"Edit", `["/repo/a.go"]`, "[]"},
		{"Edit", `{}`, "[]"},
	} {
		got := fmt.Sprint(ToolCall{Tool: x.tool, Input: []byte(x.input), Dir: "/work"}.Edited())
		if got != x.want {
			t.Errorf("%s %s: %s, want %s", x.tool, x.input, got, x.want)
		}
	}
}
