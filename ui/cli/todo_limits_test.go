package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	file "vise/model/todo"
)

func TestThresholdsOfStaleTodosComeFromTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "vise", "config.yaml")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	a := &Env{getenv: func(name string) string {
		if name == "XDG_CONFIG_HOME" {
			return dir
		}
		return ""
	}}
	usual := file.Thresholds{InProgress: 24 * time.Hour, Blocked: 72 * time.Hour, Interrupted: 24 * time.Hour}
	if got, err := todoLimits(a); err != nil || got != usual {
		t.Errorf("without a file: got %v, %v", got, err)
	}
	short := usual
	short.InProgress = 2 * time.Hour
	for text, want := range map[string]file.Thresholds{
		"": usual, "agents: {}": usual, "todos: {}": usual, "todos: {stale: {in_progress: 2h}}": short,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := todoLimits(a); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"todos: {stale: {in_progres: 2h}}", "todos: {stale: {blocked: soon}}", "todos: {stale: {blocked: 0s}}", "todos: [", "todos: {old: 1}"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := todoLimits(a); err == nil {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
