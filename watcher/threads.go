package watcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"vise/store/threads"
)

// repository is the location of a repository's thread files and of its HEAD.
type repository struct {
	root  string
	tasks []string
	git   string // empty without a repository
}

// Threads watches the thread files and HEAD of a repository, whichever program changes them:
// another console, AICTX, an editor, git. It does not watch the files of the work tree, because
// there are too many of them. The state at the start is no news.
func Threads(ctx context.Context, repo threads.Repo) *Changes {
	r := repository{root: repo.Root(), tasks: repo.Dirs(), git: threads.GitDir(repo.Root())}
	return watchPrint(ctx, r.dirs, r.print)
}

// dirs are the directories whose events matter. A commit, a merge and a switch all write the log
// of HEAD.
func (r repository) dirs() []string {
	out := append([]string{r.root, filepath.Dir(r.tasks[0])}, r.tasks...)
	if r.git != "" {
		out = append(out, r.git, filepath.Join(r.git, "logs"))
	}
	return out
}

// print is a fingerprint of the thread files, HEAD and the index. Equal fingerprints mean no
// news.
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
