package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vise/store/storetest"
)

// The answers of status, prepare and resume about a thread of feature/login, saved on a clean tree, for several states
// of the repository.
func TestWhatIsSaidInEachGitSituation(t *testing.T) {
	storetest.Slow(t)
	git := func(args ...string) func(storetest.Repo) { return func(r storetest.Repo) { r.Git(args...) } }
	for _, s := range []struct {
		name   string
		do     []func(storetest.Repo)
		active bool
		reason string
	}{
		{"other branch", nil, false, "branch_mismatch_unmerged"},
		{"its branch", do(git("checkout", "-q", "feature/login")), true, "same_branch"},
		{"dirty", do(git("checkout", "-q", "feature/login"), dirt), true, "same_branch"},
		{"new commit", do(git("checkout", "-q", "feature/login"), moves), true, "same_branch"},
		{"detached there", do(git("checkout", "-q", "--detach", "feature/login")), true, "branch_changed_but_merged"},
		{"detached elsewhere", do(git("checkout", "-q", "--detach", "main")), false, "branch_mismatch_unmerged"},
		{"tag there", do(git("tag", "v1", "feature/login"), git("checkout", "-q", "v1")), true, "branch_changed_but_merged"},
		{"tag elsewhere", do(git("tag", "v0", "main"), git("checkout", "-q", "v0")), false, "branch_mismatch_unmerged"},
		{"merged", do(git("merge", "-q", "--no-ff", "-m", "m", "feature/login")), true, "branch_changed_but_merged"},
		{"fast-forward", do(git("merge", "-q", "--ff-only", "feature/login")), true, "branch_changed_but_merged"},
		{"squashed", do(moves, git("merge", "-q", "--squash", "feature/login"), moves2), true, "branch_changed_but_squashed"},
		{"cherry-picked", do(moves, git("cherry-pick", "feature/login")), true, "branch_changed_but_squashed"},
		{"merge conflict", do(clash, fails("merge", "feature/login")), false, "branch_mismatch_unmerged"},
		{"cherry-pick conflict", do(clash, fails("cherry-pick", "feature/login")), false, "branch_mismatch_unmerged"},
		{"rebase conflict", do(clash, git("checkout", "-q", "feature/login"), fails("rebase", "main")), false, "branch_mismatch_unmerged"},
		{"rebased", do(moves, git("checkout", "-q", "feature/login"), git("rebase", "-q", "main")), true, "same_branch_history_rewritten"},
		{"amended", do(git("checkout", "-q", "feature/login"), git("commit", "-q", "--amend", "-m", "x")), true, "same_branch_history_rewritten"},
		{"reset", do(git("checkout", "-q", "feature/login"), git("reset", "-q", "--hard", "HEAD~1")), true, "same_branch_history_rewritten"},
		{"stashed", do(git("checkout", "-q", "feature/login"), dirt, git("stash", "-q")), true, "same_branch"},
		{"bisect", do(git("bisect", "start", "feature/login", "main")), false, "branch_mismatch_unmerged"},
		{"reverted", do(git("merge", "-q", "feature/login"), git("revert", "--no-edit", "HEAD")), true, "branch_changed_but_merged"},
		{"orphan with a commit", do(git("checkout", "-q", "--orphan", "island"), moves), false, "branch_mismatch_unmerged"},
		{"unborn branch", do(git("checkout", "-q", "--orphan", "island")), true, "git_unavailable"},
		{"branch renamed", do(git("branch", "-m", "feature/login", "f2")), false, "branch_mismatch_unmerged"},
		{"on the renamed branch", do(git("branch", "-m", "feature/login", "f2"), git("checkout", "-q", "f2")), true, "branch_changed_but_merged"},
		{"branch gone", do(git("branch", "-D", "feature/login")), false, "branch_mismatch_unmerged"},
		{"branch and commit gone", do(git("branch", "-D", "feature/login"), git("reflog", "expire", "--expire=now", "--all"),
			git("gc", "-q", "--prune=now")), false, "branch_mismatch_unmerged"},
		{"sparse", do(git("checkout", "-q", "feature/login"), git("sparse-checkout", "set", "none")), true, "same_branch"},
		{"shallow", do(func(r storetest.Repo) { r.Write(".git/shallow", r.Git("rev-parse", "main")+"\n") }), false, "branch_mismatch_unmerged"},
		{"bare", do(git("config", "core.bare", "true")), true, "git_unavailable"},
		{"branch in a worktree", do(git("worktree", "add", "-q", "../side", "feature/login")), false, "branch_mismatch_unmerged"},
		{"submodule added", do(git("checkout", "-q", "feature/login"), func(r storetest.Repo) {
			r.Submodule(storetest.RepoWithCommit(t), "sub")
		}), true, "same_branch"},
		{"index damaged", do(func(r storetest.Repo) { r.Write(".git/index", "no index") }), true, "git_unavailable"},
		{"no repository", do(func(r storetest.Repo) { _ = os.RemoveAll(filepath.Join(r.Dir, ".git")) }), true, "git_unavailable"},
	} {
		t.Run(s.name, func(t *testing.T) {
			r := storetest.RepoWithCommit(t)
			r.Write(".gitignore", ".aictx/\n")
			r.Commit("ignore")
			c := newThreadCLI(t, r.Dir)
			r.Git("checkout", "-q", "-b", "feature/login")
			r.Write("login.txt", "feature\n")
			r.Commit("feature")
			c.data("start", "Fix login")
			r.Git("checkout", "-q", "main")
			for _, do := range s.do {
				do(r)
			}
			if active, reason := c.judged(); active != s.active || reason != s.reason {
				t.Errorf("status: active=%v %s", active, reason)
			}
			out, _, _ := c.run("prepare")
			if parked := strings.Contains(out, "Parked: fix-login (Fix login) wakes when"); parked == s.active {
				t.Errorf("prepare says\n%s", out)
			}
			out, _, _ = runIn(c.dir, c.at, "", "resume")
			if parked := strings.Contains(out, "parked      fix-login: Fix login"); parked == s.active || !parked && !strings.Contains(out, "fix-login, in progress") {
				t.Errorf("resume says\n%s", out)
			}
		})
	}
}

func do(steps ...func(storetest.Repo)) []func(storetest.Repo) { return steps }

func dirt(r storetest.Repo)   { r.Write("tracked.txt", "dirty\n") }
func moves(r storetest.Repo)  { r.Write("other.txt", "x\n"); r.Commit("moves") }
func moves2(r storetest.Repo) { r.Commit("squashed") }
func clash(r storetest.Repo)  { r.Write("login.txt", "main\n"); r.Commit("clash") }

// fails runs a git command that stops at a conflict.
func fails(args ...string) func(storetest.Repo) {
	return func(r storetest.Repo) {
		c := exec.Command("git", append([]string{"-C", r.Dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		_ = c.Run()
	}
}
