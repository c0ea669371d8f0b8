package threads_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model/thread"
	"vise/store/storetest"
	"vise/store/threads"
)

// planted makes a repository whose configuration names a program for everything that reading it could start. It returns
// the file that the program would write.
func planted(t *testing.T) (storetest.Repo, string) {
	t.Helper()
	r := storetest.RepoWithCommit(t)
	dir := t.TempDir()
	ran, evil := filepath.Join(dir, "ran"), filepath.Join(dir, "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $@\" >>"+ran+"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.Write(".gitattributes", "*.txt filter=evil diff=evil\n*.md filter=a=b.c\n")
	r.Write("notes.md", "x\n")
	r.Commit("attributes")
	hooks := filepath.Join(dir, "hooks")
	if err := os.Mkdir(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction"} {
		if err := os.Symlink(evil, filepath.Join(hooks, hook)); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range map[string]string{
		"core.fsmonitor": evil, "core.hooksPath": hooks, "core.pager": evil, "core.sshCommand": evil,
		"filter.evil.clean": evil, "filter.evil.smudge": evil, "filter.evil.required": "true",
		"filter.a=b.c.process": evil, "filter.a=b.c.clean": evil,
		"diff.external": evil, "diff.evil.textconv": evil, "diff.evil.command": evil,
		"remote.origin.url": "ext::" + evil, "remote.origin.promisor": "true", "core.repositoryformatversion": "1",
		"extensions.partialClone": "origin", "protocol.ext.allow": "always", "status.submoduleSummary": "true",
	} {
		r.Git("config", key, value)
	}
	// Content that must be hashed, through its filter: the size equals the index's, the time does not.
	r.Write("tracked.txt", "bass\n")
	r.Write("notes.md", "y\n")
	later := time.Now().Add(time.Hour)
	for _, name := range []string{"tracked.txt", "notes.md"} {
		if err := os.Chtimes(filepath.Join(r.Dir, name), later, later); err != nil {
			t.Fatal(err)
		}
	}
	return r, ran
}

func TestNothingThatTheRepositoryNamesIsEverRun(t *testing.T) {
	r, ran := planted(t)
	now := threads.Reader{}.Capture(context.Background(), r.Dir)
	if now.State != thread.GitOK || !now.Dirty {
		t.Errorf("got %+v", now)
	}
	for _, head := range []string{r.Git("rev-parse", "HEAD~1"), "0123456789012345678901234567890123456789"} {
		threads.Reader{}.Lineage(context.Background(), r.Dir, head, "HEAD")
	}
	if raw, err := os.ReadFile(ran); err == nil {
		t.Errorf("these ran:\n%s", raw)
	}
}

func TestTheSquashSearchRunsNoDiffDriver(t *testing.T) {
	r, ran := planted(t)
	r.Git("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "filter.evil.clean=", "-c", "filter.evil.smudge=",
		"-c", "filter.evil.required=false", "stash", "-q")
	r.Git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "checkout", "-q", "--orphan", "away")
	_ = os.Remove(ran)
	if got := (threads.Reader{}).Lineage(context.Background(), r.Dir, r.Git("rev-parse", "main"), "HEAD"); got == thread.Reachable {
		t.Errorf("got %s", got)
	}
	if raw, err := os.ReadFile(ran); err == nil {
		t.Errorf("these ran:\n%s", raw)
	}
}

// An ordinary git status in the planted repository runs the programs: the test above can fail.
func TestAnOrdinaryStatusRunsThePlantedPrograms(t *testing.T) {
	r, ran := planted(t)
	c := exec.Command("git", "status")
	c.Dir = r.Dir
	_ = c.Run()
	raw, err := os.ReadFile(ran)
	if err != nil {
		t.Fatal("git status ran none of the planted programs: the test above proves nothing")
	}
	if strings.Count(string(raw), "evil") < 2 || !strings.Contains(string(raw), "evil\x20\n") {
		t.Errorf("git status ran only\n%s", raw)
	}
}

func TestReadingWritesNothing(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Write("tracked.txt", "changed\n")
	index := filepath.Join(r.Dir, ".git", "index")
	before, err := os.Stat(index)
	if err != nil {
		t.Fatal(err)
	}
	threads.Reader{}.Capture(context.Background(), r.Dir)
	after, err := os.Stat(index)
	if err != nil || !os.SameFile(before, after) || before.ModTime() != after.ModTime() {
		t.Errorf("the index was written: %v", err)
	}
}
