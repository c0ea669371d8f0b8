package threads_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/store/storetest"
	"vise/store/threads"
)

// The result depends on the content of the files, not on git's state of them.
func TestContentsDifferWhenFilesDo(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	at := func() string {
		t.Helper()
		s, git := threads.Reader{}.Contents(t.Context(), r.Dir)
		if s == "" || git.Head != strings.TrimSpace(r.Git("rev-parse", "HEAD")) {
			t.Fatalf("not told: %q, %+v", s, git)
		}
		return s
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r.Write(".gitignore", "*.log\n")
	seen := map[string]string{}
	last := at()
	seen[last] = "the beginning"
	for _, step := range []struct {
		name    string
		do      func()
		differs bool
	}{
		{"an edit", func() { r.Write("tracked.txt", "other\n") }, true},
		{"an edit of the same length", func() { r.Write("tracked.txt", "0ther\n") }, true},
		{"a touch", func() { must(os.Chtimes(filepath.Join(r.Dir, "tracked.txt"), time.Unix(1e9, 0), time.Unix(1e9, 0))) }, false},
		{"a new file", func() { r.Write("new\nname.go", "package x\n") }, true},
		{"a link", func() { must(os.Symlink("tracked.txt", filepath.Join(r.Dir, "link"))) }, true},
		{"staged", func() { r.Git("add", "-A") }, false},
		{"committed", func() { r.Git("commit", "-qm", "all") }, false},
		{"another branch of the same files", func() { r.Git("switch", "-qc", "feature") }, false},
		{"an ignored file", func() { r.Write("a.log", "x") }, false},
		{"work state", func() { r.Write(".aictx/tasks/threads/x.json", "{}") }, false},
		{"a script", func() { must(os.Chmod(filepath.Join(r.Dir, "tracked.txt"), 0o755)) }, true},
		{"gone", func() { must(os.Remove(filepath.Join(r.Dir, "link"))) }, true},
		{"gone for git too", func() { r.Git("commit", "-qam", "less") }, false},
		{"below it", func() { r.Write("sub/deep.go", strings.Repeat("x", 1000)) }, true},
	} {
		step.do()
		now := at()
		if now != last != step.differs {
			t.Errorf("%s: differs is %t", step.name, now != last)
		}
		if was, again := seen[now]; again && step.differs {
			t.Errorf("%s is as %s", step.name, was)
		}
		seen[now], last = step.name, now
	}
	if got, _ := (threads.Reader{}).Contents(t.Context(), filepath.Join(r.Dir, "sub")); got != last {
		t.Errorf("from below it is %s, not %s", got, last)
	}
	if got, _ := (threads.Reader{}).Contents(t.Context(), t.TempDir()); got != "" {
		t.Errorf("without a repository it is %s", got)
	}
}
