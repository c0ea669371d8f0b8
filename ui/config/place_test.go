package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
)

func TestAPartIsReadStrictlyAndTheRestIsLeftToOthers(t *testing.T) {
	for _, c := range []struct{ text, wrong string }{
		{"todos: {stale: {blocked: 3h}}\nother: {any: thing}", ""},
		{"keys: {pick: [p, f2", "not YAML"},
		{"theme: none", ""},
		{"", ""},
		{"todos: {}", ""},
		{"todos: {stale: {bloked: 3h}}", "bloked"},
		{"todos: [", "not YAML"},
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Load(Place{File: path}, nothing).Refusal(path, "todos", "the form")
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: got %v", c.text, err)
		}
	}
	for path, want := range map[string]bool{filepath.Join(t.TempDir(), "none"): false, t.TempDir(): true} {
		err := Load(Place{File: path}, nothing).Refusal(path, "todos", "the form")
		if errors.Is(err, &model.Error{Code: model.CodeInvalid}) != want {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
