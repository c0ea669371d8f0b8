package watcher

import (
	"testing"

	"vise/store/storetest"
)

func TestTheFilesOfAWorkTreeAreNotified(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	r.Write("sub/a.go", "a\n")
	r.Commit("a file below")
	e := Tree(t.Context(), r.Dir)
	defer e.Close()
	for _, do := range []func(){
		func() { r.Write("sub/a.go", "b\n") },
		func() { r.Write("sub/a.go", "c\n") },
		func() { r.Write("sub/new.go", "n\n") },
		func() { r.Commit("both") },
	} {
		do()
		notified(t, e, "it")
	}
}
