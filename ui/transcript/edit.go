package transcript

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// editors are the tools that change the file named in their input, by their names in the programs' hooks.
var editors = []string{"Edit", "MultiEdit", "Write", "NotebookEdit", "edit", "multiedit", "write", "create", "replace", "write_file"}

// patchers are the tools that change the files named in a patch.
var patchers = []string{"apply_patch", "patch"}

// maxEdited bounds the files of one call.
const maxEdited = 100

// Edited returns the files that a call of an editing tool changed, as absolute paths. For any other tool it returns none.
func (t ToolCall) Edited() (paths []string) {
	if t.Failed || !t.Edits() {
		return nil
	}
	for _, path := range t.Named() {
		if !filepath.IsAbs(path) {
			path = filepath.Join(t.Dir, path)
		}
		if filepath.IsAbs(path) && !slices.Contains(paths, path) && len(paths) < maxEdited {
			paths = append(paths, path)
		}
	}
	return paths
}

// Edits reports whether the tool changes files.
func (t ToolCall) Edits() bool {
	return slices.Contains(editors, t.Tool) || slices.Contains(patchers, t.Tool)
}

// Named returns the files that a call names, as the program wrote them.
func (t ToolCall) Named() (paths []string) {
	var in struct {
		FilePath     string `json:"file_path"`
		FileName     string `json:"filePath"`
		NotebookPath string `json:"notebook_path"`
		Path         string
		Command      string
		Input        string
		Patch        string `json:"patchText"`
	}
	_ = json.Unmarshal(t.Input, &in) // input of another shape names no file
	if path := cmp.Or(in.FilePath, in.FileName, in.NotebookPath, in.Path); path != "" {
		return []string{path}
	}
	if !slices.Contains(patchers, t.Tool) {
		return nil
	}
	for line := range strings.Lines(cmp.Or(in.Command, in.Input, in.Patch)) {
		for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
