package watcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"vise/store/threads"
)

// repository is where a repository's Work State and head lie.
type repository struct {
	root  string
	tasks []string
	git   string // empty without a repository
}

// Threads watches the Work State and the head of a repository, whoever changes them: another
// console, AICTX, an editor, git. Changes of the work tree's own files are not watched: there are
// too many of them. What is there already is no news.
func Threads(ctx context.Context, repo threads.Repo) *Changes {
	r := repository{root: repo.Root(), tasks: repo.Dirs(), git: gitDir(repo.Root())}
	return watchPrint(ctx, r.dirs, r.print)
}

// gitDir is the directory that holds HEAD. In a linked worktree and in a submodule .git is
// a file that names it.
func gitDir(root string) string {
	path := filepath.Join(root, ".git")
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if info.IsDir() {
		return path
	}
	raw, err := os.ReadFile(path)
	named, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(root, named)
	}
	return named
}

// dirs are the directories whose events matter. A commit, a merge and a switch all write
// HEAD's log.
func (r repository) dirs() []string {
	out := append([]string{r.root, filepath.Join(r.root, ".aictx")}, r.tasks...)
	if r.git != "" {
		out = append(out, r.git, filepath.Join(r.git, "logs"))
	}
	return out
}

// print is a fingerprint of the pointer, the threads, the head and the index: equal prints,
// no news.
func (r repository) print() string {
	var b strings.Builder
	for _, dir := range r.tasks {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".json" {
				b.WriteString(printOf(filepath.Join(dir, e.Name())))
			}
		}
	}
	if r.git == "" {
		return b.String()
	}
	head := filepath.Join(r.git, "HEAD")
	b.WriteString(printOf(head) + printOf(filepath.Join(r.git, "index")) + printOf(filepath.Join(r.git, "logs", "HEAD")))
	if raw, err := os.ReadFile(head); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "ref: refs/"); ok && filepath.IsLocal(ref) {
			b.WriteString(printOf(filepath.Join(r.git, "refs", ref)))
		}
	}
	return b.String()
}
