package threads

import (
	"os"
	"path/filepath"

	"vise/model"
	"vise/model/thread"
)

// Linked sorts a work item's links: the ids of the threads in this repository, and the
// links that lead elsewhere.
func (r Repo) Linked(links []model.ThreadLink) (here []thread.ID, elsewhere []model.ThreadLink) {
	for _, l := range links {
		if sameDir(l.Repo.Raw(), r.root) {
			here = append(here, thread.Slug(l.TaskID.Raw()))
		} else {
			elsewhere = append(elsewhere, l)
		}
	}
	return here, elsewhere
}

// sameDir reports whether two paths are one directory, also when a link is in the way.
func sameDir(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// Of is the Work State of the repository around a directory that a record names.
func Of(dir model.Text) Repo { return At(FindRoot(dir.Raw())) }

// Exists reports whether the repository has Work State at all.
func (r Repo) Exists() bool {
	_, err := os.Lstat(r.Dirs()[0])
	return err == nil
}
