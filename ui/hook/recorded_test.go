package hook_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
)

// TestRecordedSessions feeds what the programs really sent (Claude Code 2.1.197, Codex
// 0.169.0, OpenCode 1.18.33, each asked to do its current item) through the hooks. Paths,
// ids and what nobody reads were taken out.
func TestRecordedSessions(t *testing.T) {
	const words = "Split the limiter into limit/; the proxy uses it. Checked with the unit tests."
	for program, check := range map[string]func(*bench, model.ItemID){
		"claude":   func(b *bench, id model.ItemID) { b.reported(id, words, model.ReportSameRound) },
		"codex":    func(b *bench, id model.ItemID) { b.offered(id, words, model.ReportNearRound) },
		"opencode": func(b *bench, id model.ItemID) { b.reported(id, words, model.ReportSameRound) },
	} {
		t.Run(program, func(t *testing.T) {
			b := newBench(t)
			id := b.apply(model.AgentID(program), model.CreateWorkItem{Objective: "Split the limiter"}).WorkItemID
			b.apply(model.AgentID(program), model.PickWorkItem{WorkItemID: id})
			transcript, _ := os.ReadFile(filepath.Join("testdata", program+"-transcript.jsonl")) // OpenCode has none
			for _, line := range recorded(t, program) {
				e := event{Dir: b.claude, Item: id}
				line = e.fill(t, line)
				if e.ends() { // as it was: the item was completed, and the transcript written
					b.apply(model.AgentID(program), model.CompleteWorkItem{WorkItemID: id})
					e.write(t, bytes.ReplaceAll(transcript, []byte("ITEM"), []byte(id)))
				}
				b.must(line, program, e.Name)
				if e.Name == "SessionStart" && !strings.Contains(b.told, "Split the limiter") {
					t.Errorf("%s told %q", e.Name, b.told)
				}
			}
			check(b, id)
		})
	}
}

func recorded(t *testing.T, program string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", program+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// event is a recorded hook's input, with a place and an item of this run.
type event struct {
	Dir        string       `json:"-"`
	Item       model.ItemID `json:"-"`
	Name       string       `json:"hook_event_name"`
	Transcript string       `json:"transcript_path"`
}

func (e *event) fill(t *testing.T, line string) string {
	t.Helper()
	line = strings.NewReplacer("DIR", e.Dir, "ITEM", string(e.Item)).Replace(line)
	if err := json.Unmarshal([]byte(line), e); err != nil {
		t.Fatal(err)
	}
	if e.Name == "" {
		e.Name = "session.idle" // OpenCode's payloads do not name their event
	}
	return line
}

func (e *event) ends() bool { return e.Name == "Stop" || e.Name == "session.idle" }

func (e *event) write(t *testing.T, transcript []byte) {
	t.Helper()
	if e.Transcript == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(e.Transcript), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.Transcript, transcript, 0o600); err != nil {
		t.Fatal(err)
	}
}
