package threads

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vise/store/threads"
)

// place is where a repository's Work State and head lie.
type place struct {
	root  string
	tasks []string
	git   string // empty without a repository
}

func placeOf(repo threads.Repo) place {
	return place{root: repo.Root(), tasks: repo.Dirs(), git: gitDir(repo.Root())}
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

// Dirs are the directories whose events matter. A commit, a merge and a switch all write
// HEAD's log.
func (p place) Dirs() []string {
	out := append([]string{p.root, filepath.Join(p.root, ".aictx")}, p.tasks...)
	if p.git != "" {
		out = append(out, p.git, filepath.Join(p.git, "logs"))
	}
	return out
}

// Print is a fingerprint of the pointer, the threads, the head and the index: equal prints,
// no news.
func (p place) Print() string {
	var b strings.Builder
	for _, dir := range p.tasks {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".json" {
				stamp(&b, filepath.Join(dir, e.Name()))
			}
		}
	}
	if p.git == "" {
		return b.String()
	}
	head := filepath.Join(p.git, "HEAD")
	stamp(&b, head)
	stamp(&b, filepath.Join(p.git, "index"))
	stamp(&b, filepath.Join(p.git, "logs", "HEAD"))
	if raw, err := os.ReadFile(head); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "ref: refs/"); ok && filepath.IsLocal(ref) {
			stamp(&b, filepath.Join(p.git, "refs", ref))
		}
	}
	return b.String()
}

func stamp(b *strings.Builder, path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	fmt.Fprintf(b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
}
