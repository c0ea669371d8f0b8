package agents

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model"
)

// recording is what a program really sent (Claude Code 2.1.197, Codex 0.169.0, OpenCode 1.18.33, Crush at 37f36e9,
// Gemini CLI 0.61.0, Copilot CLI 1.0.102). Each was asked to do its current item, with a scripted model. Paths, ids and
// unused parts were removed.
type recording struct{ program, script string }

// The scripts: words in the reply that completes; none there, but at the end; two completions in one reply; the
// completion of another agent's item.
const (
	scriptWords   = "words"
	scriptSilent  = "silent"
	scriptTwo     = "two"
	scriptRefused = "refused"
)

// TestRecordedSessions feeds the recorded input of programs through the hooks.
func TestRecordedSessions(t *testing.T) {
	const short = "Split the limiter into limit/; the proxy uses it."
	for _, program := range Programs {
		same := model.ReportSameRound
		if program == "codex" {
			same = model.ReportNearRound
		}
		long := short + " Checked with the unit tests."
		if program == "crush" {
			long = short
		}
		for script, check := range map[string]func(*hookBench, *replay){
			scriptWords: func(b *hookBench, r *replay) {
				if program != "codex" {
					b.reported(r.item, long, same)
					return
				}
				b.offered(r.item, long, same)
				b.operates(model.ReportWorkItem{WorkItemID: r.item, Text: b.view(r.item).Offered[0].Text})
				b.reported(r.item, long, model.ReportOperator)
			},
			scriptSilent: func(b *hookBench, r *replay) { b.offered(r.item, short, model.ReportTurnFinal) },
			scriptTwo: func(b *hookBench, r *replay) {
				b.offered(r.item, short, same)
				b.offered(r.second, short, same)
			},
			scriptRefused: func(b *hookBench, r *replay) {
				for _, id := range []model.ItemID{r.item, r.second, r.foreign} {
					if b.offered(id, "", ""); b.view(id).State != model.Open {
						t.Errorf("%s is not open", id)
					}
				}
			},
		} {
			t.Run(program+" "+script, func(t *testing.T) {
				b := newHookBench(t)
				r := b.replays(recording{program, script})
				r.run()
				check(b, r)
			})
		}
	}
}

// replay is a recording on a bench, with items of its own.
type replay struct {
	*hookBench
	recording
	item, second, foreign model.ItemID
}

func (b *hookBench) replays(x recording) *replay {
	r := &replay{hookBench: b, recording: x}
	agent := model.AgentID(x.program)
	r.item = b.apply(agent, model.CreateWorkItem{Objective: "Split the limiter"}).WorkItemID
	r.second = b.apply(agent, model.CreateWorkItem{Objective: "Test the limiter"}).WorkItemID
	r.foreign = b.apply("other", model.CreateWorkItem{Objective: "Not yours"}).WorkItemID
	b.apply(agent, model.PickWorkItem{WorkItemID: r.item})
	return r
}

func (r *replay) run() {
	r.t.Helper()
	session := r.read("-session.json")
	for _, line := range strings.Split(strings.TrimSpace(r.read(".jsonl")), "\n") {
		e := eventOf(r.t, line)
		if e.ends() { // in the recorded order: the items were completed, and the transcript written
			r.completes()
			e.write(r.t, r.read("-transcript.jsonl"))
		}
		r.must(line, r.program, e.name())
		if e.Name == "SessionStart" && !strings.Contains(r.stdout, "Split the limiter") {
			r.t.Errorf("%s told %q", e.Name, r.stdout)
		}
	}
	if r.program == "crush" {
		r.completes()
		r.session = session
		if err := r.settle(); err != nil {
			r.t.Error(err)
		}
	}
}

// completes does what the program's tools did.
func (r *replay) completes() {
	agent := model.AgentID(r.program)
	if r.script != scriptRefused {
		r.apply(agent, model.CompleteWorkItem{WorkItemID: r.item})
	}
	if r.script == scriptTwo {
		r.apply(agent, model.CompleteWorkItem{WorkItemID: r.second})
	}
}

// read reads a file of the recording, with the paths and items of this run; it returns nothing for a file that was not
// written.
func (r *replay) read(suffix string) string {
	r.t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", r.program+"-"+r.script+suffix))
	if err != nil && (suffix == ".jsonl" || !errors.Is(err, fs.ErrNotExist)) {
		r.t.Fatal(err)
	}
	return strings.NewReplacer("DIR", r.transcripts(r.program), "ITEM", string(r.item), "SECOND", string(r.second), "FOREIGN", string(r.foreign)).Replace(string(raw))
}

// event is the event's name in the input of a recorded hook.
type event struct {
	Name       string `json:"hook_event_name"`
	Crush      string `json:"event"`
	Transcript string `json:"transcript_path"`
}

func eventOf(t *testing.T, line string) (e event) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// name is the name of OpenCode's event; its payload does not have it.
func (e event) name() string { return cmp.Or(e.Name, e.Crush, "session.idle") }

func (e event) ends() bool {
	return slices.Contains([]string{"Stop", "session.idle", "AfterAgent"}, e.name())
}

func (e event) write(t *testing.T, transcript string) {
	t.Helper()
	if e.Transcript == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(e.Transcript), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.Transcript, []byte(transcript), 0o600); err != nil {
		t.Fatal(err)
	}
}
