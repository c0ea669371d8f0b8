package threads

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vise/model"
	"vise/model/thread"
)

// Linked sorts a work item's links: the ids of the threads in this repository, and the
// links that lead elsewhere.
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

// sameDir reports whether two paths are one directory, also when a link is in the way.
func sameDir(a, b string) bool {
	return filepath.Clean(a) == filepath.Clean(b) || sameFile(a, b)
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// place is the directory whose Work State this is: the repository's own, or that of its main
// work tree, when .aictx is a link to the one there. No other link leads anywhere.
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

// mainTree is the main work tree of a linked one, if the repository there names the linked one, too.
func mainTree(root string) string {
	own := GitDir(root)
	common := namedIn(own, "commondir", "")
	if common == "" || filepath.Base(common) != ".git" || !sameFile(namedIn(own, "gitdir", ""), filepath.Join(root, ".git")) {
		return ""
	}
	return filepath.Dir(common)
}

// GitDir is the directory that holds a work tree's HEAD; empty without a repository. In a linked
// work tree and in a submodule .git is a file that names it.
func GitDir(root string) string {
	if info, err := os.Stat(filepath.Join(root, ".git")); err == nil && info.IsDir() {
		return filepath.Join(root, ".git")
	}
	return namedIn(root, ".git", "gitdir: ")
}

// namedIn is the path that a file of git's own in dir holds after a prefix; empty when there is none.
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

// Of is the Work State of the repository around a directory that a record names.
func Of(dir model.Text) Repo { return At(FindRoot(dir.Raw())) }

// Exists reports whether the repository has Work State at all.
func (r Repo) Exists() bool {
	_, err := os.Lstat(r.Dirs()[0])
	return err == nil
}
