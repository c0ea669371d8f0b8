package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPartIsReadStrictlyAndTheRestIsLeftToOthers(t *testing.T) {
	type stale struct {
		Blocked string `yaml:"blocked"`
	}
	for _, c := range []struct{ text, want, wrong string }{
		{"todos: {blocked: 3h}\nother: {any: thing}", "3h", ""},
		{"other: 1", "kept", ""},
		{"", "kept", ""},
		{"todos: {}", "kept", ""},
		{"todos: {bloked: 3h}", "kept", "bloked"},
		{"todos: [", "kept", "yaml"},
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		into := stale{Blocked: "kept"}
		err := ReadPart(path, "todos", &into)
		if into.Blocked != c.want || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: got %q and %v", c.text, into.Blocked, err)
		}
	}
	into := stale{Blocked: "kept"}
	if err := ReadPart(filepath.Join(t.TempDir(), "none"), "todos", &into); err != nil || into.Blocked != "kept" {
		t.Errorf("without a file: %v, %v", into, err)
	}
	if err := ReadPart(t.TempDir(), "todos", &into); err == nil {
		t.Error("a directory is read")
	}
}
