package threads

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/model/thread"
)

// Reader reads repositories with one git program.
type Reader struct {
	// Program is the git program to run. If it is empty, git is found on the path.
	Program string
}

// maxFiles bounds the changed files that are kept.
const maxFiles = 64

// Capture reads the repository that contains dir.
func (r Reader) Capture(ctx context.Context, dir string) thread.Git {
	g, ended := r.quiet(ctx, dir, limit)
	defer g.cancel()
	if ended != nil {
		return *ended
	}
	return g.state()
}

// headTries bounds how often the state is read again because HEAD moved during the read.
const headTries = 8

// state reads branch, commit and changes of the same moment. git reads them one after the other, and a checkout can come between.
func (g git) state() thread.Git {
	for range headTries {
		status := g.run("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal",
			"--ignore-submodules=dirty", "--renames", "--no-ahead-behind")
		if !status.ok() {
			return g.explain(status)
		}
		now := parseStatus(status.out)
		if now.State == thread.GitUnborn || g.stillAt(&now) {
			return now
		}
	}
	return thread.Git{State: thread.GitFailed, Detail: "HEAD moved during each reading"}
}

// stillAt reports whether HEAD is still at the commit in the status, and the branch too: two checkouts could mix both reads in the same
// way. It also tells a detached HEAD from a branch called HEAD.
func (g git) stillAt(now *thread.Git) bool {
	head, ref, _ := strings.Cut(g.says("rev-parse", "HEAD", "--symbolic-full-name", "HEAD"), "\n")
	if head != now.Head {
		return false
	}
	if ref == "HEAD" {
		now.Detached = now.Branch == thread.DetachedBranch
		now.Branch = ""
		return now.Detached
	}
	return now.Branch == model.Text(strings.TrimPrefix(ref, thread.BranchRef)) && g.says("rev-parse", "--verify", ref) == now.Head
}

// Head returns the commit that is checked out in dir. It is empty without git or a repository.
func (r Reader) Head(ctx context.Context, dir string) string {
	g, ended := r.at(ctx, dir, limit)
	defer g.cancel()
	if ended != nil {
		return ""
	}
	return g.says("rev-parse", "--verify", "--quiet", "HEAD")
}

// Remote returns the branch that is checked out in dir, and the address of the remote that git would use for it.
func (r Reader) Remote(ctx context.Context, dir string) (branch, url string, err error) {
	g, ended := r.quiet(ctx, dir, limit)
	defer g.cancel()
	if ended != nil {
		return "", "", errors.New(ended.Words().Raw()) // raw: shown as a Text
	}
	branch, url = g.says("symbolic-ref", "--quiet", "--short", "HEAD"), g.says("ls-remote", "--get-url") // contacts no server
	switch {
	case branch == "":
		err = errors.New("no branch is checked out")
	case url == "":
		err = errors.New("the repository has no remote")
	}
	return branch, url, err
}

// at finds the git program. The runs of the git that it returns end within a time, together; the caller must cancel it.
func (r Reader) at(ctx context.Context, dir string, within time.Duration) (g git, ended *thread.Git) {
	g.dir = dir
	g.ctx, g.cancel = context.WithTimeout(ctx, within)
	found, err := exec.LookPath(cmp.Or(r.Program, "git"))
	if err != nil {
		return g, &thread.Git{State: thread.GitMissing, Detail: "no git program on the path"}
	}
	if g.program, err = filepath.Abs(found); err != nil {
		return g, &thread.Git{State: thread.GitMissing, Detail: model.Text(err.Error())}
	}
	return g, nil
}

// quiet is at for a git that runs no program that the repository names: its filters are switched off for every later run.
func (r Reader) quiet(ctx context.Context, dir string, within time.Duration) (git, *thread.Git) {
	g, ended := r.at(ctx, dir, within)
	if ended != nil {
		return g, ended
	}
	filters, listed := g.listFilters()
	if !listed.ok() {
		bad := g.explain(listed)
		return g, &bad
	}
	g.filters = filters
	return g, nil
}

// files returns git's status of each file of the work tree, also of each untracked one.
func (g git) files() result {
	return g.run("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--ignore-submodules=dirty",
		"--no-renames", "--no-ahead-behind")
}

// explain returns the state for a run of git that did not answer.
func (g git) explain(r result) thread.Git {
	now := thread.Git{State: thread.GitFailed, Detail: model.Text(r.problem)}
	switch {
	case r.timedOut:
		now.State, now.Detail = thread.GitSlow, "git took longer than its limit"
	case r.failed != nil:
		now.Detail = model.Text(r.failed.Error())
	case strings.Contains(r.problem, "dubious ownership"):
		now.Detail = model.Text("another user owns the repository; git config --global --add safe.directory " + g.dir + " trusts it")
	case strings.Contains(r.problem, "not a git repository"):
		now.State = thread.GitNoRepository
	}
	return now
}

// parseStatus reads git status --porcelain=v2 --branch -z.
func parseStatus(out []byte) thread.Git {
	now := thread.Git{State: thread.GitOK}
	records := strings.Split(string(out), "\x00")
	for i := 0; i < len(records); i++ {
		rec := records[i]
		if head, ok := strings.CutPrefix(rec, "# branch.oid "); ok {
			now.Head = head
			if head == "(initial)" {
				now.State, now.Head = thread.GitUnborn, ""
			}
			continue
		}
		if branch, ok := strings.CutPrefix(rec, "# branch.head "); ok {
			now.Branch = model.Text(branch)
			continue
		}
		name, renamed := changedFile(rec)
		if renamed && i+1 < len(records) {
			i++
			name = records[i] + " -> " + name
		}
		if name != "" && !thread.OwnState(name, rec[0] == '?') {
			if now.Dirty = true; len(now.ChangedFiles) < maxFiles {
				now.ChangedFiles = append(now.ChangedFiles, model.Text(name))
			}
		}
	}
	return now
}

// changedFile returns the file of one status record, and whether its old name follows as a record of its own. One space separates fields;
// the name is the last field.
func changedFile(rec string) (string, bool) {
	kind, _, _ := strings.Cut(rec, " ")
	fields := map[string]int{"1": 9, "2": 10, "u": 11, "?": 2}[kind]
	if fields == 0 {
		return "", false
	}
	parts := strings.SplitN(rec, " ", fields)
	if len(parts) < fields {
		return "", false
	}
	return parts[fields-1], kind == "2"
}
