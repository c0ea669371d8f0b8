package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
	"vise/ui/runner"
)

func TestOthersAreToldThatAConsolePollsAsLongAsItRuns(t *testing.T) {
	home := t.TempDir()
	if got := polling(home); got != nil {
		t.Fatalf("nobody polls, and got %v", got)
	}
	publishPolling(home, "watching by polling, every 2s (inotify limit reached)")
	dead := runner.Self()
	dead.Start += "1"
	raw, err := json.Marshal(pollingProcess{dead, "of another life"})
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(pollingDir(home), "1")
	if err := os.WriteFile(left, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	got := polling(home)
	if len(got) != 1 || got[0].Code != model.CodePolling || !strings.Contains(got[0].Message, "every 2s (inotify limit reached)") {
		t.Errorf("got %v", got)
	}
	if _, err := os.Stat(left); err == nil && dead.Start != "1" {
		t.Error("what a dead process left is still there")
	}
	publishPolling(home, "")
	if got := polling(home); got != nil {
		t.Errorf("it watches again, and got %v", got)
	}
}
