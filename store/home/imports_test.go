package home_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowed are the packages outside the store tree that import a part of it other than store/home, and the reason. None
// of them combines the steps around a command.
var allowed = map[string]map[string]string{
	"vise/watcher": {
		"vise/store/files": "watches plan files", "vise/store/kv": "reads the mark of the ledger's file", "vise/store/threads": "watches threads and HEAD",
		"vise/store/todos": "watches sessions",
	},
	"vise/ui/cli": {
		"vise/store":          "upkeep of a home: checks, copies, restore; the demo's ledger in memory",
		"vise/store/files":    "edits plan files, and keeps small files of the home's state",
		"vise/store/kv":       "shows the space of a ledger's file",
		"vise/store/lock":     "bounds what a verb waits",
		"vise/store/recovery": "upkeep of a home: snapshots, backups and restores",
		"vise/store/threads":  "shows threads",
		"vise/store/todos":    "shows and edits file todos",
		"vise/store/transfer": "moves a ledger, and shows and runs the archive of a cluster",
	},
	"vise/ui/markdown":   {"vise/store/files": "finds the program that stands beside this one"},
	"vise/ui/agents":     {"vise/store/files": "keeps small files of what hooks read", "vise/store/todos": "finds the worktree around a directory"},
	"vise/ui/mcp":        {"vise/store/files": "keeps the secret that its tokens are derived from"},
	"vise/ui/vise-fleet": {"vise/store/etcd": "links the client of a cluster"},
	"vise/ui/config":     {"vise/store/files": "reads the directory of themes"},
	"vise/ui/acp":        {"vise/store/files": "keeps the logs of sessions"},
	"vise/ui/runner":     {"vise/store": "tells what a cluster's members say", "vise/store/files": "keeps the logs of turns, and the end of a program's output", "vise/store/threads": "names the commit that a task runs on"},
}

// TestStoreHomeIsTheOneWayIn reads the imports: only store/home combines a ledger, threads and todos, and every other
// package that imports a part of the store has a reason in the list above.
func TestStoreHomeIsTheOneWayIn(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "vise/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if strings.HasPrefix(words[0], "vise/store") {
			continue
		}
		for _, imported := range words[1:] {
			if strings.HasPrefix(imported, "vise/store") && imported != "vise/store/home" && allowed[words[0]][imported] == "" {
				t.Errorf("%s imports %s: use store/home, or give a reason here", words[0], imported)
			}
		}
	}
}

// composing are calls that only store/home makes, except in two files: the console refreshes the todos that it has just
// read for the screen, so that they are not read twice; a move opens a ledger without the hook queue and upkeep.
var composing = []string{"store.Open(", "store.Create(", "model.RefreshPlan{", "model.SavePlan{", "model.RefreshTodos{", "model.OfferReport{"}

func TestNoFrontendComposesWhatSurroundsACommand(t *testing.T) {
	read := 0
	err := filepath.WalkDir("../../ui", func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if read++; strings.HasSuffix(path, "console/files.go") || strings.HasSuffix(path, "cli/verb_move.go") {
			return nil
		}
		raw, err := os.ReadFile(path)
		if i := slices.IndexFunc(composing, func(s string) bool { return strings.Contains(string(raw), s) }); i >= 0 {
			t.Errorf("%s has %s…: store/home does that", path, composing[i])
		}
		return err
	})
	if err != nil || read < 100 {
		t.Fatalf("%d files were read: %v", read, err)
	}
}
