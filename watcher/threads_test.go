package watcher

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"vise/store/storetest"
	"vise/store/threads"
)

func TestThreadsAndTheHeadAreNotified(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	e := Threads(t.Context(), threads.At(r.Dir))
	defer e.Close()
	for _, do := range []func(){
		func() { r.Write(".aictx/tasks/threads/a.json", "{}") },
		func() { r.Write(".aictx/tasks/active.json", "{}") },
		func() { r.Write(".aictx/tasks/threads/a.json", `{"goal":"x"}`) },
		func() { r.Git("checkout", "-q", "-b", "other") },
		func() { r.Commit("here") },
		func() { _ = os.Remove(filepath.Join(r.Dir, ".aictx/tasks/threads/a.json")) },
	} {
		do()
		notified(t, e, "it")
	}
}

func TestAWorktreeHasItsOwnHead(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	side := filepath.Join(t.TempDir(), "side")
	r.Git("worktree", "add", "-q", "-b", "side", side)
	e := Threads(t.Context(), threads.At(side))
	defer e.Close()
	r.At(side).Commit("in the worktree")
	notified(t, e, "it")
}

func TestWhatIsThereAlreadyIsNoNews(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Write(".aictx/tasks/active.json", "{}")
	e := Threads(t.Context(), threads.At(r.Dir))
	r.Write("tracked.txt", "another\n")
	ctx, cancel := context.WithTimeout(t.Context(), 3*quiet)
	defer cancel()
	if err := e.Next(ctx); err == nil {
		t.Error("the work tree's own files are news")
	}
	e.Close()
	if err := e.Next(t.Context()); err != ErrClosed {
		t.Errorf("got %v", err)
	}
}
