package threads_test

import (
	"context"
	"testing"

	"vise/model/thread"
	"vise/store/storetest"
	"vise/store/threads"
)

// feature makes two commits on feature/login and returns the second.
func feature(r storetest.Repo) string {
	r.Git("checkout", "-q", "-b", "feature/login")
	r.Write("login.txt", "one\n")
	r.Commit("one")
	r.Write("login.txt", "one\ntwo\n")
	saved := r.Commit("two")
	r.Git("checkout", "-q", "main")
	return saved
}

func mainMoves(r storetest.Repo) {
	r.Write("main.txt", "main\n")
	r.Commit("main moves")
}

func TestLineage(t *testing.T) {
	storetest.Slow(t)
	for _, c := range []struct {
		name string
		do   func(r storetest.Repo, saved string)
		want thread.Lineage
	}{
		{"unmerged", func(r storetest.Repo, _ string) { mainMoves(r) }, thread.Unrelated},
		{"merged", func(r storetest.Repo, _ string) { r.Git("merge", "-q", "--no-ff", "-m", "m", "feature/login") }, thread.Reachable},
		{"squash merged", func(r storetest.Repo, _ string) {
			mainMoves(r)
			r.Git("merge", "-q", "--squash", "feature/login")
			r.Commit("squashed")
			r.Write("later.txt", "later\n")
			r.Commit("later")
		}, thread.Squashed},
		{"rebase merged", func(r storetest.Repo, saved string) {
			mainMoves(r)
			r.Git("cherry-pick", saved+"~1", saved)
		}, thread.Rebased},
		{"half of it picked", func(r storetest.Repo, saved string) {
			mainMoves(r)
			r.Git("cherry-pick", saved+"~1")
		}, thread.Unrelated},
		{"squashed with something else", func(r storetest.Repo, _ string) {
			r.Git("merge", "-q", "--squash", "feature/login")
			r.Write("login.txt", "one\ntwo\nthree\n")
			r.Commit("squashed and more")
		}, thread.Unrelated},
		{"squashed with another file", func(r storetest.Repo, _ string) {
			r.Git("merge", "-q", "--squash", "feature/login")
			r.Write("release.txt", "1.0\n")
			r.Commit("squashed and released")
		}, thread.Squashed},
		{"squashed with the branch's later commits", func(r storetest.Repo, _ string) {
			mainMoves(r)
			r.Git("checkout", "-q", "feature/login")
			r.Write("login.txt", "one\ntwo\nthree\n")
			r.Commit("three")
			r.Git("checkout", "-q", "main")
			r.Git("merge", "-q", "--squash", "feature/login")
			r.Commit("squashed")
		}, thread.Squashed},
		{"squashed with later commits of other files, the branch gone", func(r storetest.Repo, _ string) {
			r.Git("checkout", "-q", "feature/login")
			r.Write("more.txt", "more\n")
			r.Commit("more")
			r.Git("checkout", "-q", "main")
			r.Git("merge", "-q", "--squash", "feature/login")
			r.Commit("squashed")
			r.Git("branch", "-D", "feature/login")
		}, thread.Squashed},
		{"squashed and reverted", func(r storetest.Repo, _ string) {
			mainMoves(r)
			r.Git("merge", "-q", "--squash", "feature/login")
			r.Commit("squashed")
			r.Git("revert", "--no-edit", "HEAD")
		}, thread.Unrelated},
		{"squashed, reverted and brought back", func(r storetest.Repo, _ string) {
			r.Git("merge", "-q", "--squash", "feature/login")
			r.Commit("squashed")
			r.Git("revert", "--no-edit", "HEAD")
			r.Git("revert", "--no-edit", "HEAD")
		}, thread.Squashed},
		{"copies, one of them reverted", func(r storetest.Repo, saved string) {
			mainMoves(r)
			r.Git("cherry-pick", saved+"~1", saved)
			r.Git("revert", "--no-edit", "HEAD")
		}, thread.Unrelated},
		{"another history", func(r storetest.Repo, _ string) {
			r.Git("checkout", "-q", "--orphan", "island")
			r.Commit("island")
		}, thread.Unrelated},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := storetest.RepoWithCommit(t)
			saved := feature(r)
			c.do(r, saved)
			if got := (threads.Reader{}).Lineage(context.Background(), r.Dir, saved, "HEAD"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestABinarySquashIsComparedByContent(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Git("checkout", "-q", "-b", "feature/login")
	r.Write("logo.bin", "a\x00b")
	saved := r.Commit("logo")
	r.Git("checkout", "-q", "main")
	r.Write("logo.bin", "c\x00d")
	r.Commit("another logo")
	if got := (threads.Reader{}).Lineage(context.Background(), r.Dir, saved, "HEAD"); got != thread.Unrelated {
		t.Errorf("different binary files: got %s", got)
	}
}

func TestACommitThatIsNotThereIsGone(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	for _, head := range []string{"0123456789012345678901234567890123456789", "--help", "", "main", "-1234567"} {
		if got := (threads.Reader{}).Lineage(context.Background(), r.Dir, head, "HEAD"); got != thread.Gone {
			t.Errorf("%q: got %s", head, got)
		}
	}
}

func TestABranchIsThereUnderItsWholeName(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Git("branch", "feature/login")
	r.Git("branch", "old/part")
	r.Git("update-ref", "refs/remotes/origin/far", "HEAD")
	for name, want := range map[string]thread.Lineage{
		"main": thread.Reachable, "feature/login": thread.Reachable, "far": thread.Reachable,
		"feature": thread.Gone, "old": thread.Gone, "login": thread.Gone, "m*": thread.Gone, "": thread.Gone, "a\x00b": thread.Undecided,
	} {
		if got := (threads.Reader{}).Lineage(t.Context(), r.Dir, thread.BranchRef+name, "HEAD"); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestLineageIsThatOfTheCapturedCommit(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	saved := feature(r)
	captured := r.Git("rev-parse", "feature/login")
	mainMoves(r) // HEAD has moved by now
	if got := (threads.Reader{}).Lineage(t.Context(), r.Dir, saved, captured); got != thread.Reachable {
		t.Errorf("got %s", got)
	}
}
