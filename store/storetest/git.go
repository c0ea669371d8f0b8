package storetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a repository in a temporary directory, on branch main.
type Repo struct {
	t   testing.TB
	Dir string
}

// NewRepo makes an empty repository without a commit. A machine without git skips the test.
func NewRepo(t testing.TB) Repo {
	t.Helper()
	r := PlainDir(t)
	r.Git("init", "-q", "-b", "main", ".")
	return r
}

// RepoWithCommit makes a repository with one commit of tracked.txt.
func RepoWithCommit(t testing.TB) Repo {
	t.Helper()
	r := NewRepo(t)
	r.Write("tracked.txt", "base\n")
	r.Commit("initial")
	return r
}

// PlainDir makes a directory that is no repository yet.
func PlainDir(t testing.TB) Repo {
	t.Helper()
	Needs(t, "git")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Repo{t, dir}
}

// At is another directory, a worktree or a submodule, of the same test.
func (r Repo) At(dir string) Repo { return Repo{r.t, dir} }

// Submodule adds another repository as a submodule. git submodule is a script that needs sed.
func (r Repo) Submodule(of Repo, name string) {
	r.t.Helper()
	Needs(r.t, "sed")
	r.Git("-c", "protocol.file.allow=always", "submodule", "add", "-q", of.Dir, name)
}

// Git runs git and returns what it printed.
func (r Repo) Git(args ...string) string {
	r.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = r.Dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_ALLOW_PROTOCOL=file")
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Write writes a file of the work tree.
func (r Repo) Write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Commit commits everything and returns the commit.
func (r Repo) Commit(message string) string {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Git("rev-parse", "HEAD")
}
