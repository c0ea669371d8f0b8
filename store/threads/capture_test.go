package threads_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/storetest"
	"vise/store/threads"
)

func capture(t *testing.T, dir string) thread.Git {
	t.Helper()
	return threads.Reader{}.Capture(context.Background(), dir)
}

func TestACleanRepositoryIsItsBranchAndItsCommit(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	now := capture(t, r.Dir)
	if now.State != thread.GitOK || now.Branch != "main" || now.Head != r.Git("rev-parse", "HEAD") || now.Dirty || now.Detached {
		t.Errorf("got %+v", now)
	}
}

func TestEveryKindOfChangeMakesDirtyAndIsNamed(t *testing.T) {
	storetest.Slow(t)
	for _, c := range []struct {
		name   string
		change func(r storetest.Repo)
		want   []model.Text
	}{
		{"modified", func(r storetest.Repo) { r.Write("tracked.txt", "other\n") }, []model.Text{"tracked.txt"}},
		{"untracked", func(r storetest.Repo) { r.Write("new.txt", "") }, []model.Text{"new.txt"}},
		{"untracked directory", func(r storetest.Repo) { r.Write("dir/new.txt", "") }, []model.Text{"dir/"}},
		{"staged", func(r storetest.Repo) { r.Write("new.txt", ""); r.Git("add", "-A") }, []model.Text{"new.txt"}},
		{"renamed", func(r storetest.Repo) { r.Git("mv", "tracked.txt", "moved.txt") }, []model.Text{"tracked.txt -> moved.txt"}},
		{"deleted", func(r storetest.Repo) { r.Git("rm", "-q", "tracked.txt") }, []model.Text{"tracked.txt"}},
		{"quoted name", func(r storetest.Repo) { r.Write("ü \"q\"\tand\nline.txt", "") }, []model.Text{"ü \"q\"\tand\nline.txt"}},
		{"name like a header", func(r storetest.Repo) { r.Write("# branch.head evil", "") }, []model.Text{"# branch.head evil"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := storetest.RepoWithCommit(t)
			c.change(r)
			now := capture(t, r.Dir)
			if !now.Dirty || !slices.Equal(now.ChangedFiles, c.want) {
				t.Errorf("got dirty=%v %q, want %q", now.Dirty, now.ChangedFiles, c.want)
			}
		})
	}
}

func TestAConflictIsOneChangedFile(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Git("checkout", "-q", "-b", "other")
	r.Write("tracked.txt", "theirs\n")
	r.Commit("theirs")
	r.Git("checkout", "-q", "main")
	r.Write("tracked.txt", "ours\n")
	r.Commit("ours")
	r.Git("merge", "-s", "recursive", "-X", "ours", "--no-commit", "other")
	r.Git("checkout", "-m", "--", "tracked.txt")
	if now := capture(t, r.Dir); !slices.Equal(now.ChangedFiles, []model.Text{"tracked.txt"}) {
		t.Errorf("got %q", now.ChangedFiles)
	}
}

func TestTheStateDirectoriesOfViseAreNotDirt(t *testing.T) {
	for _, name := range []string{".aictx/tasks/active.json", "tmp/review/1/todos/review/001.md"} {
		r := storetest.RepoWithCommit(t)
		r.Write(name, "x")
		if now := capture(t, r.Dir); now.Dirty {
			t.Errorf("untracked %s: got dirty %q", name, now.ChangedFiles)
		}
		r.Commit("track it")
		r.Write(name, "y")
		if now := capture(t, r.Dir); now.Dirty {
			t.Errorf("tracked %s: got dirty %q", name, now.ChangedFiles)
		}
	}
	r := storetest.RepoWithCommit(t)
	r.Write("tmp/keep.go", "x")
	r.Commit("a tracked file in tmp")
	r.Write("tmp/keep.go", "y")
	if !capture(t, r.Dir).Dirty {
		t.Error("a changed tracked file below tmp, no todo, does not count as dirt")
	}
}

func TestTheLockIsNotCommittedWithTrackedThreads(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	work := threads.At(r.Dir)
	apply(t, work, thread.Start{Goal: "Fix login"})
	r.Commit("track the threads")
	apply(t, work, thread.Update{Patch: patch(t, `{"next_action":"x"}`)})
	const want = ".aictx/tasks/active.json\n.aictx/tasks/threads/fix-login.events.jsonl\n.aictx/tasks/threads/fix-login.json"
	if got := r.Git("ls-files", ".aictx"); got != want {
		t.Errorf("committed:\n%s\nwant\n%s", got, want)
	}
	if got := r.Git("status", "--porcelain", "--untracked-files=all", ".aictx"); strings.Contains(got, "??") {
		t.Errorf("not ignored: %s", got)
	}
}

func TestAnIgnoreFileBesideTheLockIsLeftAlone(t *testing.T) {
	r := threads.At(t.TempDir())
	write(t, r, ".gitignore", "mine\n")
	apply(t, r, thread.Start{Goal: "Fix login"})
	if got := content(t, r, ".gitignore"); got != "mine\n" {
		t.Errorf("got %q", got)
	}
}

func TestStatesWithoutABranchAndACommitAreSaid(t *testing.T) {
	t.Run("unborn", func(t *testing.T) {
		if now := capture(t, storetest.NewRepo(t).Dir); now.State != thread.GitUnborn || now.Branch != "main" || now.Head != "" {
			t.Errorf("got %+v", now)
		}
	})
	t.Run("no repository", func(t *testing.T) {
		if now := capture(t, storetest.PlainDir(t).Dir); now.State != thread.GitNoRepository {
			t.Errorf("got %+v", now)
		}
	})
	t.Run("git missing", func(t *testing.T) {
		r := storetest.RepoWithCommit(t)
		now := threads.Reader{Program: "no-such-git"}.Capture(context.Background(), r.Dir)
		if now.State != thread.GitMissing {
			t.Errorf("got %+v", now)
		}
	})
	t.Run("damaged", func(t *testing.T) {
		r := storetest.RepoWithCommit(t)
		r.Write(".git/index", "this is no index")
		if now := capture(t, r.Dir); now.State != thread.GitFailed || now.Detail == "" {
			t.Errorf("got %+v", now)
		}
	})
}

func TestADetachedHeadIsToldFromABranchOfThatName(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Git("checkout", "-q", "--detach")
	if now := capture(t, r.Dir); !now.Detached || now.BranchName() != thread.DetachedBranch {
		t.Errorf("detached: got %+v", now)
	}
	r.Git("checkout", "-q", "-b", "(detached)")
	if now := capture(t, r.Dir); now.Detached {
		t.Errorf("a branch named (detached): got %+v", now)
	}
}

func TestWorktreesAndSubmodulesAreRepositoriesOfTheirOwn(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	side := filepath.Join(t.TempDir(), "side")
	r.Git("worktree", "add", "-q", "-b", "side", side)
	if now := capture(t, side); now.Branch != "side" {
		t.Errorf("worktree: got %+v", now)
	}
	r.Submodule(storetest.RepoWithCommit(t), "sub")
	r.Commit("add the submodule")
	if now := capture(t, filepath.Join(r.Dir, "sub")); now.Branch != "main" {
		t.Errorf("submodule: got %+v", now)
	}
	if now := capture(t, r.Dir); now.Dirty {
		t.Errorf("superproject: got %+v", now)
	}
}

// Every process of the slow git holds the pipe open; the end of file proves that none of them is left.
func TestASlowGitIsKilledWithItsChildrenAndSaid(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	dir := t.TempDir()
	pipe, slow := filepath.Join(dir, "pipe"), filepath.Join(dir, "slow-git")
	storetest.Pipe(t, pipe)
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nexec 9>"+pipe+"\nsleep 1000 &\nsleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(pipe)
		gone <- err
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if now := (threads.Reader{Program: slow}).Capture(ctx, r.Dir); now.State != thread.GitSlow {
		t.Errorf("got %+v", now)
	}
	select {
	case err := <-gone:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a child of the slow git is still alive")
	}
	if line := (threads.Reader{Program: slow}).Lineage(ctx, r.Dir, r.Git("rev-parse", "HEAD"), "HEAD"); line != thread.Undecided {
		t.Errorf("lineage: got %s", line)
	}
}

// A git whose status combines one branch with the commit of another, like a checkout between its reads: once, then
// always.
func TestACheckoutBetweenTheReadingsIsReadAgain(t *testing.T) {
	storetest.Needs(t, "sed")
	r := storetest.RepoWithCommit(t)
	other := feature(r)
	head := r.Git("rev-parse", "HEAD")
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mixed string // when the status is mixed, in shell
		want  thread.Git
	}{
		{"mkdir " + filepath.Join(t.TempDir(), "once") + " 2>/dev/null", thread.Git{State: thread.GitOK, Branch: "main", Head: head}},
		{"true", thread.Git{State: thread.GitFailed, Detail: "HEAD moved during each reading"}},
	} {
		mixing := filepath.Join(t.TempDir(), "git")
		script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *' status '*) if %s; then %s \"$@\" | sed s/%s/%s/; exit; fi;; esac\nexec %s \"$@\"\n",
			c.mixed, real, head, other, real)
		if err := os.WriteFile(mixing, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if now := (threads.Reader{Program: mixing}).Capture(t.Context(), r.Dir); !reflect.DeepEqual(now, c.want) {
			t.Errorf("got %+v, want %+v", now, c.want)
		}
	}
}

// Changes in a submodule are no changes of the repository around it; another commit of it is.
func TestDirtInsideASubmoduleDoesNotCount(t *testing.T) {
	r, inner := storetest.RepoWithCommit(t), storetest.RepoWithCommit(t)
	r.Submodule(inner, "sub")
	r.Commit("add the submodule")
	sub := r.At(filepath.Join(r.Dir, "sub"))
	sub.Write("tracked.txt", "changed\n")
	sub.Write("new.txt", "")
	if now := capture(t, r.Dir); now.Dirty || r.Git("status", "--porcelain") != "M sub" {
		t.Errorf("got %+v; git alone says %q", now, r.Git("status", "--porcelain"))
	}
	sub.Commit("move it")
	if now := capture(t, r.Dir); !now.Dirty {
		t.Errorf("another commit in the submodule: got %+v", now)
	}
}
