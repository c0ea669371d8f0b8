package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
)

// program returns this test's binary as the command vise.
func program(t *testing.T, home string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Args[0] = "vise"
	c.Env = append(os.Environ(), "VISE_HOME="+home, "VISE_ACTOR=operator", "VISE_AGENT=", "EDITOR=true", "VISUAL=", "TZ=UTC")
	return c
}

// While list asks tmux about sessions, others can use the ledger.
func TestAListAsksTmuxBeforeItReadsTheLedger(t *testing.T) {
	t.Parallel()
	dir, _, _ := newHome(t)
	bin := t.TempDir()
	c := program(t, dir, "list")
	if err := os.Symlink(c.Path, filepath.Join(bin, "vise")); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n[ -n \"$NESTED\" ] || NESTED=1 vise events --limit 1 >\"$0.out\" && echo sh\n"
	if err := os.WriteFile(filepath.Join(bin, "tmux"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	home.SessionsIn(dir, time.Now).NoteSession(home.Session{Program: "gemini", ID: "s1", Agent: "ann", At: time.Now(), State: home.SessionWorks,
		Tmux: "sock", Pane: "%1", Runs: "sh"})
	c.Env = append(c.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if told, err := os.ReadFile(filepath.Join(bin, "tmux.out")); err != nil || len(told) == 0 {
		t.Errorf("the ledger did not answer while tmux was asked: %q %v", told, err)
	}
}

// result is the answer of a verb.
type result struct {
	code   int
	stdout string
	stderr string
	Schema string          `json:"schema"`
	Data   json.RawMessage `json:"data"`
	Error  *model.Error    `json:"error"`
}

// ask runs vise with --json.
func ask(t *testing.T, home string, args ...string) result {
	t.Helper()
	return run(t, program(t, home, append(args, "--json")...))
}

func run(t *testing.T, c *exec.Cmd) result {
	t.Helper()
	var out, err bytes.Buffer
	c.Stdout, c.Stderr = &out, &err
	x := result{code: codeOf(c.Run()), stdout: out.String(), stderr: err.String()}
	_ = json.Unmarshal(out.Bytes(), &x)
	return x
}

// mustAsk is ask for a verb that must succeed.
func mustAsk(t *testing.T, home string, args ...string) result {
	t.Helper()
	x := ask(t, home, args...)
	if x.code != 0 {
		t.Fatalf("vise %q: exit %d\n%s%s", args, x.code, x.stdout, x.stderr)
	}
	return x
}

// newHome returns a home with one open and one completed item.
func newHome(t *testing.T) (home string, open, done string) {
	t.Helper()
	home = filepath.Join(t.TempDir(), "home")
	open = idOf(t, mustAsk(t, home, "new", "Open", "--todo", "A todo", "--plan", "# Plan"))
	done = idOf(t, mustAsk(t, home, "new", "Done"))
	mustAsk(t, home, "complete", done)
	return home, open, done
}

// idOf returns the item in a verb's answer.
func idOf(t *testing.T, x result) string {
	t.Helper()
	var d struct {
		WorkItem struct{ ID string } `json:"work_item"`
	}
	if err := json.Unmarshal(x.Data, &d); err != nil {
		t.Fatal(err)
	}
	return d.WorkItem.ID
}

// reads returns verbs that only read, one for each way of reading.
func reads(open, done string) [][]string {
	return [][]string{
		{"list"}, {"show", open}, {"next"}, {"why", open}, {"events"}, {"plan", "path", open}, {"plan", "show", open},
		{"plan", "status", open}, {"agents"}, {"status"}, {"report", done}, {},
	}
}

func writes(t *testing.T, open, done string) [][]string {
	report := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(report, []byte("a report"), 0o600); err != nil {
		t.Fatal(err)
	}
	ledger := filepath.Join(t.TempDir(), "holon", "ledger")
	if err := os.MkdirAll(ledger, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(ledger, "work_items.jsonl"), []byte(`{"id":"work_1","objective":"o","state":"open"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return [][]string{
		{"new", "Another"}, {"pick", open}, {"update", open, "--objective", "x"}, {"block", open, "ops"}, {"unblock", open},
		{"wait", open, "--operator", "q"}, {"trigger", open}, {"complete", open}, {"report", done, "--file", report},
		{"plan", "status", open, "ready"}, {"agents", "add", "other"}, {"agents", "set", "default", "--auto-pick"}, {"init"},
		{"import", "holon", filepath.Dir(ledger)},
	}
}
