package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

var peerSizes = flag.String("peer-sizes", "1k", "how many tasks other trackers get; at 100k they take minutes an act")

// peers measures the acts of other installed trackers, on their own stores with as many tasks: half are open, and an
// earlier task blocks one open task in five.
func (b *bench) peers() []*act {
	var out []*act
	for _, s := range strings.Split(*peerSizes, ",") {
		n, err := count(s)
		b.must(err)
		for _, peer := range []struct {
			name string
			make func(path, dir string, n int) ([]*act, error)
		}{{"task", b.taskwarrior}, {"dstask", b.dstask}, {"bd", b.beads}} {
			path, err := exec.LookPath(peer.name)
			if err != nil {
				b.Logf("%s is not installed", peer.name)
				continue
			}
			dir := filepath.Join(b.dir, peer.name+"-"+s)
			b.must(os.MkdirAll(dir, 0o700))
			acts, err := peer.make(path, dir, n)
			if err != nil {
				b.Logf("%s with %s tasks is left out: %v", peer.name, s, err)
				continue
			}
			for _, a := range acts {
				a.program, a.size, a.dir, a.unsure = peer.name, s, dir, true
			}
			out = append(out, acts...)
		}
	}
	return out
}

// do runs a command of the preparation.
func do(dir string, env []string, argv ...string) error {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.300s", strings.Join(argv[:min(3, len(argv))], " "), err, out)
	}
	return nil
}

// task returns one of n tasks in the format of taskwarrior.
func task(i int) map[string]any {
	at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format("20060102T150405Z")
	t := map[string]any{"uuid": uuid(i), "status": "pending", "entry": at, "modified": at,
		"description": fmt.Sprintf("Split part %d of the gateway into a service of its own: %s", i, strings.Repeat("with its tests, ", 6))}
	if i%2 == 0 {
		t["status"], t["end"] = "completed", at
	} else if i%10 == 1 && i > 10 {
		t["depends"] = []string{uuid(i - 2)}
	}
	return t
}

func uuid(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

// tasks writes n tasks as a file for taskwarrior's import.
func tasks(dir string, n int) (string, error) {
	all := make([]map[string]any, n)
	for i := range all {
		all[i] = task(i)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "tasks.json")
	return path, os.WriteFile(path, raw, 0o600)
}

func (b *bench) taskwarrior(path, dir string, n int) ([]*act, error) {
	rc := filepath.Join(dir, "taskrc")
	env := []string{"TASKRC=" + rc, "TASKDATA=" + dir}
	if err := os.WriteFile(rc, []byte("confirmation=off\nhooks=off\nverbose=nothing\n"), 0o600); err != nil {
		return nil, err
	}
	file, err := tasks(dir, n)
	if err != nil {
		return nil, err
	}
	if err := do(dir, env, path, "import", file); err != nil {
		return nil, err
	}
	acts := []*act{
		{name: "create", argv: func(i int) []string { return []string{path, "add", fmt.Sprintf("Measured task %d", i)} }},
		{name: "complete", argv: func(i int) []string { return []string{path, uuid(2*i + 1), "done"} }},
		{name: "list", argv: fixed(path, "limit:20", "list")},
		{name: "next", argv: fixed(path, "limit:5", "next")},
		{name: "show", argv: func(i int) []string { return []string{path, uuid(n/2 + i), "info"} }},
	}
	for _, a := range acts {
		a.env = env
	}
	return acts, nil
}

func (b *bench) dstask(path, dir string, n int) ([]*act, error) {
	repo := filepath.Join(dir, "repo")
	env := []string{"DSTASK_GIT_REPO=" + repo, "HOME=" + dir, "GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@localhost", "GIT_COMMITTER_NAME=b", "GIT_COMMITTER_EMAIL=b@localhost"}
	if err := do(dir, env, "git", "init", "-q", repo); err != nil {
		return nil, err
	}
	// dstask has no import; its store has one file for each task.
	for i := range n {
		if err := dstaskFile(repo, i); err != nil {
			return nil, err
		}
	}
	if err := do(repo, env, "git", "add", "-A"); err != nil {
		return nil, err
	}
	if err := do(repo, env, "git", "commit", "-q", "-m", "filled"); err != nil {
		return nil, err
	}
	acts := []*act{
		{name: "create", argv: func(i int) []string { return []string{path, "add", fmt.Sprintf("Measured task %d", i)} }},
		{name: "complete", argv: func(i int) []string { return []string{path, "done", fmt.Sprint(i + 1)} }},
		{name: "list", argv: fixed(path, "show-open")},
		{name: "next", argv: fixed(path, "next")},
	}
	for _, a := range acts {
		a.env = env
	}
	return acts, nil
}

// dstaskFile writes one of n tasks in dstask's format. The open ones have the numbers from 1 on.
func dstaskFile(repo string, i int) error {
	at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339)
	state, resolved, needs := "pending", "0001-01-01T00:00:00Z", "[]"
	if i%2 == 0 {
		state, resolved = "resolved", at
	} else if i%10 == 1 && i > 10 {
		needs = "[" + uuid(i-2) + "]"
	}
	text := fmt.Sprintf("summary: %q\nnotes: %q\ntags: []\nproject: \"\"\npriority: P2\ndelegatedto: \"\"\nsubtasks: []\ndependencies: %s\ncreated: %s\nresolved: %s\ndue: 0001-01-01T00:00:00Z\n",
		fmt.Sprintf("Split part %d of the gateway into a service of its own", i), strings.Repeat("with its tests, ", 6), needs, at, resolved)
	dir := filepath.Join(repo, state)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, uuid(i)+".yml"), []byte(text), 0o600)
}

func (b *bench) beads(path, dir string, n int) ([]*act, error) {
	env := []string{"HOME=" + dir, "BEADS_NO_DAEMON=1", "BD_NO_DAEMON=1", "GIT_CONFIG_GLOBAL=/dev/null"}
	if err := do(dir, env, "git", "init", "-q", "."); err != nil {
		return nil, err
	}
	if err := do(dir, env, path, "init", "--prefix", "b", "--quiet"); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "issues.jsonl")
	var lines strings.Builder
	for i := range n {
		at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339)
		issue := map[string]any{"id": fmt.Sprintf("b-%d", i), "title": fmt.Sprintf("Split part %d of the gateway", i), "status": "open",
			"description": strings.Repeat("with its tests, ", 40), "priority": 2, "issue_type": "task", "created_at": at, "updated_at": at}
		if i%2 == 0 {
			issue["status"], issue["closed_at"] = "closed", at
		}
		raw, err := json.Marshal(issue)
		if err != nil {
			return nil, err
		}
		lines.Write(append(raw, '\n'))
	}
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		return nil, err
	}
	if err := do(dir, env, path, "import", "-i", file); err != nil {
		if err := do(dir, env, path, "import", file); err != nil {
			return nil, err
		}
	}
	acts := []*act{
		{name: "create", argv: func(i int) []string { return []string{path, "create", fmt.Sprintf("Measured issue %d", i)} }},
		{name: "complete", argv: func(i int) []string { return []string{path, "close", fmt.Sprintf("b-%d", 2*i+1)} }},
		{name: "list", argv: fixed(path, "list", "--limit", "20")},
		{name: "next", argv: fixed(path, "ready")},
		{name: "show", argv: func(i int) []string { return []string{path, "show", fmt.Sprintf("b-%d", n-1-i)} }},
	}
	for _, a := range acts {
		a.env = env
	}
	return acts, nil
}
