package threads

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vise/model"
	"vise/model/thread"
)

// Linked splits a work item's links into the ids of the threads in this repository and the links to other repositories.
func (r Repo) Linked(links []model.ThreadLink) (here []thread.ID, elsewhere []model.ThreadLink) {
	at := r.place()
	for _, l := range links {
		if sameDir(At(l.Repo.Raw()).place(), at) {
			here = append(here, thread.Slug(l.TaskID.Raw()))
		} else {
			elsewhere = append(elsewhere, l)
		}
	}
	return here, elsewhere
}

// sameDir reports whether two paths are the same directory, also through symbolic links.
func sameDir(a, b string) bool {
	return filepath.Clean(a) == filepath.Clean(b) || sameFile(a, b)
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// place is the directory of this Work State: the repository's own, or that of its main work tree if .aictx is a link to it. No other link
// is followed.
func (r Repo) place() string {
	main := ""
	if link, err := os.Lstat(filepath.Join(r.root, stateDir)); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		main = mainTree(r.root)
	}
	if main == "" {
		return r.root
	}
	shared, err1 := os.Lstat(filepath.Join(main, stateDir))
	led, err2 := os.Stat(filepath.Join(r.root, stateDir))
	if err1 != nil || err2 != nil || !shared.IsDir() || !os.SameFile(shared, led) {
		return r.root
	}
	return main
}

// mainTree returns the main work tree of a linked one, if the main repository names the linked one too.
func mainTree(root string) string {
	own := GitDir(root)
	common := namedIn(own, "commondir", "")
	if common == "" || filepath.Base(common) != ".git" || !sameFile(namedIn(own, "gitdir", ""), filepath.Join(root, ".git")) {
		return ""
	}
	return filepath.Dir(common)
}

// GitDir returns the directory that holds a work tree's HEAD, or "" without a repository. In a linked work tree and in a submodule, .git is
// a file that names this directory.
func GitDir(root string) string {
	if info, err := os.Stat(filepath.Join(root, ".git")); err == nil && info.IsDir() {
		return filepath.Join(root, ".git")
	}
	return namedIn(root, ".git", "gitdir: ")
}

// namedIn returns the path after a prefix in one of git's files in dir, or "".
func namedIn(dir, name, prefix string) string {
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); dir == "" || err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return ""
	}
	raw, err := os.ReadFile(path)
	named, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), prefix)
	switch {
	case err != nil || !ok || named == "":
		return ""
	case filepath.IsAbs(named):
		return filepath.Clean(named)
	}
	return filepath.Join(dir, named)
}

// Of returns the Work State of the repository around a directory in a record.
func Of(dir model.Text) Repo { return At(FindRoot(dir.Raw())) }

// Exists reports whether the repository has a Work State.
func (r Repo) Exists() bool {
	_, err := os.Lstat(r.Dirs()[0])
	return err == nil
}
