package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// TestTwoSessionsInTwoWorktrees lets two sessions of the real Claude Code complete at the same moment, each in its own
// work tree and as its own agent. Both reports are exact, and neither session changes the other's item.
func TestTwoSessionsInTwoWorktrees(t *testing.T) {
	storetest.Slow(t)
	path := filepath.Join(os.Getenv(programsVariable), "claude")
	if _, err := os.Stat(path); err != nil || os.Getenv(programsVariable) == "" {
		storetest.Lacks(t, "claude ("+programsVariable+" names its directory)")
	}
	r := newProgramRun(t, "claude", path)
	r.vise("install", "claude", "--uninstall") // only the settings of the work trees
	repo := storetest.PlainDir(t)
	repo.Git("init", "-q", "-b", "main", ".")
	repo.Commit("initial")
	in := func(dir string, args ...string) []byte {
		c := programCommand(r.user, filepath.Join(r.user, "bin", "vise"), args...)
		c.Args[0], c.Dir, c.Env = "vise", dir, append(c.Env, "VISE_ACTOR=operator")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("vise %v: %v\n%s", args, err, out)
		}
		return out
	}
	// The answer of a person who first works in the repository: it is trusted, with all its work trees.
	raw, err := json.Marshal(map[string]any{"projects": map[string]any{
		repo.Dir: map[string]any{"hasTrustDialogAccepted": true, "enabledMcpjsonServers": []string{"vise"}}}})
	if err == nil {
		err = os.WriteFile(filepath.Join(r.user, ".claude.json"), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var both, ready sync.WaitGroup
	ready.Add(2)
	for _, name := range []string{"one", "two"} {
		agent := "claude-" + name
		r.vise("agents", "add", agent)
		id := model.ItemID(regexp.MustCompile(`wi-[0-9a-z]{26}`).Find(r.vise("new", "Work "+name, "--agent", agent, "--json")))
		r.vise("pick", string(id))
		dir := filepath.Join(r.user, name)
		in(repo.Dir, "worktree", "new", string(id), "--dir", dir)
		in(dir, "install", "claude", "--project", "--agent", agent, "--permit")
		r.items = append(r.items, id)
		completion := completes(reportWords+ownWords(id), id)
		completion.Before = func(func()) { ready.Done(); ready.Wait() }
		m := &scriptedModel{Script: []scriptedReply{completion, said}}
		r.model.Script = append(r.model.Script, m.Script...)
		server := httptest.NewServer(m)
		defer server.Close()
		run := headlessOn("claude", server.URL, "Work.", false)
		ctx, cancel := context.WithTimeout(t.Context(), programLimit)
		defer cancel()
		cmd := programCommand(r.user, path, run.Args...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(cmd.Env, run.Env...), 5*time.Second
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		both.Go(func() {
			stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
			defer stop()
			if err := cmd.Run(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out.String())
			}
		})
	}
	both.Wait()
	for _, id := range r.items[len(r.items)-2:] {
		if got := r.report(id); got != "same reply, kept" {
			t.Errorf("%s: %s", id, got)
		}
	}
}
