package threads

import (
	"os"
	"path/filepath"

	"vise/model"
	"vise/model/workstate"
)

// Linked sorts a work item's links: the ids of the threads in this repository, and the
// links that lead elsewhere.
func (r Repo) Linked(links []model.ThreadLink) (here []workstate.ID, elsewhere []model.ThreadLink) {
	for _, l := range links {
		if sameDir(l.Repo.Raw(), r.root) {
			here = append(here, workstate.Slug(l.TaskID.Raw()))
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
