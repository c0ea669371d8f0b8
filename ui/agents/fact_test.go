package agents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model/thread"
	"vise/store/home"
	"vise/store/storetest"
	"vise/store/threads"
)

// threadText is a repository's thread in words: how far each entry is verified, the unverified ones, the risks and the
// recommended commands.
func threadText(t *testing.T, at home.Threads) string {
	t.Helper()
	card := at.Card(t.Context(), nil)
	if card.Thread == nil {
		t.Fatalf("no thread: %+v", card)
	}
	now := threads.Reader{}.Capture(t.Context(), at.Dir)
	var out []string
	for _, v := range card.Thread.Verified {
		out = append(out, fmt.Sprintf("%s %s", card.Thread.GradeOf(v, now), v))
	}
	for _, u := range card.Thread.Unverified {
		out = append(out, "unverified "+u.String())
	}
	for _, r := range card.Thread.Risks {
		out = append(out, "risk "+r.String())
	}
	for _, c := range card.Thread.Commands {
		out = append(out, "recommended "+c.String())
	}
	return strings.Join(out, "; ")
}

func ran(dir, command, end string) string {
	return fmt.Sprintf(`{"session_id":"s1","cwd":%q,"tool_name":"Bash","tool_input":{"command":%q},%s}`, dir, command, end)
}

const wentWell = `"tool_response":{"stdout":"ok","stderr":"","interrupted":false}`

func repository(t *testing.T) (home.Threads, *home.Repository) {
	t.Helper()
	r := storetest.RepoWithCommit(t)
	at := home.Threads{Dir: r.Dir, Now: time.Now, Actor: "operator"}
	repo, done := at.At(t.Context(), "", "test")
	t.Cleanup(done)
	return at, repo
}

func apply(t *testing.T, d *home.Repository, c thread.Command) {
	t.Helper()
	if _, err := d.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// TestWhatAnAgentsShellCameToIsAFactOfTheThread shows one thread after each call.
func TestWhatAnAgentsShellCameToIsAFactOfTheThread(t *testing.T) {
	b := newHookBench(t)
	b.factTimeout = 4 * time.Second
	at, repo := repository(t)
	below := filepath.Join(at.Dir, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := thread.ParsePatch([]byte(`{"unverified":["./smoke.sh"]}`))
	if err != nil {
		t.Fatal(err)
	}
	apply(t, repo, thread.Start{Goal: "Fix login", Initial: p})
	const tested = "verified_at_head Command succeeded: go test ./..."
	for _, step := range []struct{ name, program, event, input, want string }{
		{"a test that passes", "claude", "PostToolUse", ran(below, "go test ./...", wentWell),
			tested + "; unverified ./smoke.sh; recommended go test ./..."},
		{"what validates nothing", "claude", "PostToolUse", ran(at.Dir, "ls -la", wentWell),
			tested + "; unverified ./smoke.sh; recommended go test ./..."},
		{"what the thread waits for", "claude", "PostToolUse", ran(at.Dir, "./smoke.sh", wentWell),
			tested + "; verified_at_head Command succeeded: ./smoke.sh; recommended go test ./..."},
		{"an output alone", "codex", "PostToolUse", ran(at.Dir, "make lint", `"tool_response":"fine"`),
			tested + "; verified_at_head Command succeeded: ./smoke.sh; recommended go test ./...; recommended make lint"},
		{"a success that no status tells", "claude", "PostToolUse", ran(at.Dir, "make build", `"tool_response":"fine"`),
			tested + "; verified_at_head Command succeeded: ./smoke.sh; claimed Command succeeded: make build; recommended go test ./...; recommended make lint; recommended make build"},
		{"a failure takes it back", "claude", "PostToolUseFailure", ran(at.Dir, "go test ./...", `"error":"Exit code 1\nFAIL"`),
			"verified_at_head Command succeeded: ./smoke.sh; claimed Command succeeded: make build; unverified go test ./...; risk Command failed (exit 1): go test ./...; recommended go test ./...; recommended make lint; recommended make build"},
	} {
		b.must(step.input, step.program, step.event)
		if got := threadText(t, at); got != step.want {
			t.Errorf("%s:\n got %s\nwant %s", step.name, got, step.want)
		}
	}
}

// TestAHookMakesNoThread: without an active thread there is none afterwards.
func TestAHookMakesNoThread(t *testing.T) {
	b := newHookBench(t)
	b.factTimeout = 4 * time.Second
	at, _ := repository(t)
	state := filepath.Join(at.Dir, ".aictx")
	for _, dir := range []string{at.Dir, "", "relative", filepath.Join(at.Dir, "gone")} {
		b.must(ran(dir, "go test", wentWell), "claude", "PostToolUse")
	}
	if _, err := os.Lstat(state); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s: %v", state, err)
	}
}

// TestAThreadThatIsNotWorkedOnHereLearnsNothing: a paused thread, or one of another branch.
func TestAThreadThatIsNotWorkedOnHereLearnsNothing(t *testing.T) {
	for name, leave := range map[string]func(storetest.Repo, *home.Repository){
		"paused": func(_ storetest.Repo, d *home.Repository) { apply(t, d, thread.Close{Status: thread.Paused}) },
		"parked": func(r storetest.Repo, _ *home.Repository) { r.Git("switch", "-q", "main") },
	} {
		b := newHookBench(t)
		b.factTimeout = 4 * time.Second
		r := storetest.RepoWithCommit(t)
		r.Git("switch", "-q", "-c", "feature")
		r.Write("begun.go", "package login\n")
		at := home.Threads{Dir: r.Dir, Now: time.Now, Actor: "operator"}
		repo, done := at.At(t.Context(), "", "test")
		apply(t, repo, thread.Start{Goal: "Fix login"})
		leave(r, repo)
		done()
		file := filepath.Join(r.Dir, ".aictx", "tasks", "threads", "fix-login.json")
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.must(ran(r.Dir, "go test", wentWell), "claude", "PostToolUse")
		if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
			t.Errorf("%s: the thread is now %s, %v", name, after, err)
		}
	}
}

// TestASlowGitCostsTheFactAndNotTheHook: the fact is left out, because the command's branch is not known.
func TestASlowGitCostsTheFactAndNotTheHook(t *testing.T) {
	b := newHookBench(t)
	b.factTimeout = time.Nanosecond
	at, repo := repository(t)
	apply(t, repo, thread.Start{Goal: "Fix login"})
	err := b.run(ran(at.Dir, "go test", wentWell), "claude", "PostToolUse")
	if !errors.Is(err, home.ErrSlowGit) {
		t.Errorf("the log says %v", err)
	}
	if got := threadText(t, at); got != "" || b.stdout != "" {
		t.Errorf("the thread learned %q, the agent was told %q", got, b.stdout)
	}
}
