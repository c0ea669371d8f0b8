package threads

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxTreeDirs bounds the directories of a work tree that are watched.
const maxTreeDirs = 1000

// TreeDirs returns the directories of the work tree at dir in which git tracks files, and those that a commit or a checkout changes.
func (r Reader) TreeDirs(ctx context.Context, dir string) []string {
	out := []string{dir}
	if of := GitDir(dir); of != "" {
		out = append(out, of, filepath.Join(of, "logs"))
	}
	g, ended := r.at(ctx, dir, limit)
	defer g.cancel()
	if ended != nil {
		return out
	}
	seen := map[string]bool{".": true}
	for name := range strings.SplitSeq(string(g.run("ls-files", "-z").out), "\x00") {
		for at := filepath.Dir(name); !seen[at] && len(seen) < maxTreeDirs; at = filepath.Dir(at) {
			seen[at] = true
			out = append(out, filepath.Join(dir, at))
		}
	}
	return out
}

// TreePrint returns a fingerprint that changes when HEAD changes, or a file of the work tree at dir that differs from it.
func (r Reader) TreePrint(ctx context.Context, dir string) string {
	g, ended := r.quiet(ctx, dir, limit)
	defer g.cancel()
	if ended != nil {
		return string(ended.State)
	}
	status := g.files()
	var b strings.Builder
	b.Write(status.out)
	for record := range strings.SplitSeq(string(status.out), "\x00") {
		if name, _ := changedFile(record); name != "" {
			if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				fmt.Fprint(&b, " ", info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}
