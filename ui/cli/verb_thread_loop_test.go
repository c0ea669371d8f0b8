package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/store/storetest"
)

// status runs vise thread status and returns its JSON data.
func (c *threadCLI) judged() (active bool, reason string) {
	c.t.Helper()
	data := c.data("status")
	judged, _ := data["work_state_git_status"].(map[string]any)
	reason, _ = judged["reason"].(string)
	return data["active"] == true, reason
}

// onFeature starts a thread on feature/login after a commit there, and returns to main.
func onFeature(t *testing.T) (storetest.Repo, *threadCLI) {
	t.Helper()
	r := storetest.RepoWithCommit(t)
	c := newThreadCLI(t, r.Dir)
	r.Git("checkout", "-q", "-b", "feature/login")
	r.Write("login.txt", "feature\n")
	r.Commit("feature")
	c.data("start", "Fix login token refresh")
	r.Git("checkout", "-q", "main")
	return r, c
}

func TestAThreadFollowsTheHistoryOfItsBranch(t *testing.T) {
	storetest.Slow(t)
	for _, s := range []struct {
		name   string
		do     func(r storetest.Repo)
		active bool
		reason string
	}{
		{"not merged", func(storetest.Repo) {}, false, "branch_mismatch_unmerged"},
		{"merged", func(r storetest.Repo) { r.Git("merge", "-q", "--no-ff", "-m", "m", "feature/login") }, true, "branch_changed_but_merged"},
		{"squash merged", func(r storetest.Repo) {
			r.Write("other.txt", "x\n")
			r.Commit("main moves")
			r.Git("merge", "-q", "--squash", "feature/login")
			r.Commit("squashed")
		}, true, "branch_changed_but_squashed"},
		{"back on the branch", func(r storetest.Repo) { r.Git("checkout", "-q", "feature/login") }, true, "same_branch"},
		{"amended", func(r storetest.Repo) {
			r.Git("checkout", "-q", "feature/login")
			r.Git("commit", "-q", "--amend", "-m", "another message")
		}, true, "same_branch_history_rewritten"},
		{"detached at the saved commit", func(r storetest.Repo) { r.Git("checkout", "-q", "--detach", "feature/login") }, true, "branch_changed_but_merged"},
		{"detached elsewhere", func(r storetest.Repo) { r.Git("checkout", "-q", "--detach", "main") }, false, "branch_mismatch_unmerged"},
		{"repository removed", func(r storetest.Repo) { _ = os.RemoveAll(filepath.Join(r.Dir, ".git")) }, true, "git_unavailable"},
	} {
		t.Run(s.name, func(t *testing.T) {
			r, c := onFeature(t)
			s.do(r)
			if active, reason := c.judged(); active != s.active || reason != s.reason {
				t.Errorf("got active=%v %s", active, reason)
			}
		})
	}
}

func TestTwoDetachedHeadsAreNotOneBranch(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	c := newThreadCLI(t, r.Dir)
	r.Git("checkout", "-q", "--detach")
	r.Commit("on no branch")
	c.data("start", "detached")
	if active, reason := c.judged(); !active || reason != "same_branch" {
		t.Errorf("where it was saved: active=%v %s", active, reason)
	}
	r.Git("checkout", "-q", "--detach", "main")
	if active, reason := c.judged(); active || reason != "branch_mismatch_unmerged" {
		t.Errorf("elsewhere: active=%v %s", active, reason)
	}
}

func TestItsOwnFilesNeverMakeAThreadDirty(t *testing.T) {
	r := storetest.RepoWithCommit(t) // .aictx is not ignored here
	c := newThreadCLI(t, r.Dir)
	r.Git("checkout", "-q", "-b", "feature/login")
	c.data("start", "g")
	c.data("update", "--json-patch", `{"next_action":"second save"}`)
	r.Git("checkout", "-q", "main")
	if active, reason := c.judged(); !active || reason != "branch_changed_but_merged" {
		t.Errorf("got active=%v %s", active, reason)
	}
}

func TestAWorktreeHasItsOwnThreads(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	newThreadCLI(t, r.Dir).data("start", "in the first")
	side := filepath.Join(t.TempDir(), "side")
	r.Git("worktree", "add", "-q", "-b", "side", side)
	c := newThreadCLI(t, side)
	if data := c.data("status"); data["active"] != false {
		t.Errorf("got %v", data)
	}
	c.data("start", "in the second")
	if active, reason := newThreadCLI(t, r.Dir).judged(); !active || reason != "same_branch" {
		t.Errorf("the first: active=%v %s", active, reason)
	}
}

func TestASubdirectoryFindsTheRepositorysThreads(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	newThreadCLI(t, r.Dir).data("start", "g")
	r.Write("a/b/c.txt", "")
	if active, _ := newThreadCLI(t, filepath.Join(r.Dir, "a/b")).judged(); !active {
		t.Error("not found from a subdirectory")
	}
	if data := newThreadCLI(t, r.Dir).data("status", "--repo", filepath.Join(r.Dir, "a")); data["active"] != false {
		t.Error("--repo is not taken as it is")
	}
}

// The whole loop of work: start, work on a branch, crash, switch, merge, resume.
func TestTheLoop(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Write(".gitignore", ".aictx/\n")
	r.Commit("ignore")
	c := newThreadCLI(t, r.Dir)
	r.Git("checkout", "-q", "-b", "feature/login")
	c.data("start", "Fix login", "--initial-json", `{"current_hypothesis":"token is stale","unverified":["make test"]}`)
	r.Write("login.txt", "x\n")
	r.Commit("work")
	done := c.data("finalize", "--facts-json", `{"execution_id":"e1","success":true,"files_edited":["login.txt"],"commands_executed":[{"command":"make test","exit_status":0}]}`)
	if done["work_state_updated"] == nil {
		t.Fatalf("nothing was written: %v", done)
	}
	// A crash leaves nothing to clean up: the next process reads the files as they are.
	out, _, _ := c.run("prepare")
	shows(t, out, "Fix login. Hypothesis: token is stale.", "● verified at HEAD: Command succeeded: make test", "file       login.txt", "git        feature/login")
	r.Git("checkout", "-q", "main")
	out, _, _ = c.run("prepare")
	shows(t, out, "No active thread.", "Parked: fix-login (Fix login) wakes when feature/login is checked out or merged")
	c.refused(6, "update", "--json-patch", `{"next_action":"x"}`)
	r.Git("merge", "-q", "--no-ff", "-m", "m", "feature/login")
	out, complaints, _ := c.run("resume", "fix-login")
	shows(t, out, "Fix login. Hypothesis: token is stale.")
	shows(t, complaints, "branch changed but saved commit is reachable from current HEAD", "thread fix-login belongs to main from here on")
	out, _, _ = c.run("show", "fix-login")
	shows(t, out, "◐ observed: Command succeeded: make test", "git        main")
	c.data("close")
	if data := c.data("status"); data["active"] != false {
		t.Errorf("got %v", data)
	}
}

func TestAParkedThreadSaysThatItsBranchIsGone(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Git("checkout", "-q", "-b", "feature/login")
	r.Write("login.txt", "x\n")
	saved := r.Commit("work")
	c := newThreadCLI(t, r.Dir)
	c.data("start", "Fix login")
	r.Git("checkout", "-q", "main")
	r.Git("branch", "-q", "-D", "feature/login")
	out, _, _ := c.run("status")
	shows(t, out, "wakes when feature/login is made again (the branch is gone) or merged", "switch     git switch -c feature/login "+saved)
	r.Git("switch", "-q", "-c", "feature/login", saved)
	if active, _ := c.judged(); !active {
		t.Error("the way out does not wake it")
	}
}

func TestShowTellsEverythingThatAThreadHolds(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	c := newThreadCLI(t, r.Dir)
	c.data("start", "Fix login", "--initial-json", `{"discarded_hypotheses":[{"hypothesis":"the cache","reason":"it is off"}],
		"uncertainties":[{"claim":"clocks differ","needs_validation":"read both"}],"discarded_paths":["old/auth.go"],"source_execution_ids":["e1"]}`)
	for _, verb := range [][]string{{"show", "fix-login"}, {"status"}, {"prepare"}} {
		out, _, _ := c.run(verb...)
		shows(t, out, "dead end   the cache; because: it is off", "uncertain  clocks differ; needs: read both", "dead end   old/auth.go",
			"execution  e1")
	}
}

func shows(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("got\n%s\nwithout %q", out, w)
		}
	}
}
