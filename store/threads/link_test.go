package threads

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
	"vise/model/thread"
	"vise/store/storetest"
)

func TestALinkIsHereByWhateverPathTheRepositoryIsReached(t *testing.T) {
	root := t.TempDir()
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(root, alias); err != nil {
		t.Fatal(err)
	}
	links := []model.ThreadLink{
		{Repo: model.Text(root + "/."), TaskID: "a"}, {Repo: model.Text(alias), TaskID: "../B"},
		{Repo: model.Text(filepath.Dir(root)), TaskID: "c"}, {Repo: "", TaskID: "d"},
	}
	here, elsewhere := At(root).Linked(links)
	if len(here) != 2 || here[0] != "a" || here[1] != "b" {
		t.Errorf("here %q, want a and b", here)
	}
	if len(elsewhere) != 2 || elsewhere[0].TaskID != "c" || elsewhere[1].TaskID != "d" {
		t.Errorf("elsewhere %v", elsewhere)
	}
}

// TestNoWorkStateIsKeptWhereEveryProcessWouldAdoptIt: in the home directory, the root of the file system, and a
// directory that is gone.
func TestNoWorkStateIsKeptWhereEveryProcessWouldAdoptIt(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	below := filepath.Join(home, "below")
	for _, dir := range []string{below, filepath.Join(home, tasksDir)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := FindRoot(below); got != below {
		t.Errorf("below a home directory with Work State and no repository: %s", got)
	}
	for _, dir := range []string{"/", "/.", home} {
		if err := At(dir).allowed(); !errors.Is(err, &model.Error{Code: model.CodeRefused}) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	_, err := At(home).Apply(t.Context(), thread.Start{Goal: "g"}, thread.Stamp{})
	if !errors.Is(err, &model.Error{Code: model.CodeRefused}) {
		t.Errorf("a thread in the home directory: %v", err)
	}
	if err := os.Mkdir(filepath.Join(home, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := FindRoot(below); got != home || At(home).allowed() != nil {
		t.Errorf("below a home directory that is a repository: %s, %v", got, At(home).allowed())
	}
	gone := filepath.Join(below, "gone")
	if got := FindRoot(gone); got != gone {
		t.Errorf("a directory that is not there was taken for %s", got)
	}
	_, err = At(FindRoot(gone)).Apply(t.Context(), thread.Start{Goal: "g"}, thread.Stamp{})
	if !errors.Is(err, &model.Error{Code: model.CodeNotFound}) {
		t.Errorf("a thread in a directory that is not there: %v", err)
	}
}

// A linked work tree whose .aictx is a link to that of the main one has the main one's threads, and writes them there.
func TestAWorkTreeSharesTheThreadsOfTheMainOne(t *testing.T) {
	main := storetest.RepoWithCommit(t)
	main.Write(".gitignore", ".aictx/\n")
	main.Commit("ignore")
	side := beside(t, main)
	start := func(in storetest.Repo, goal model.Text) error {
		_, err := At(in.Dir).Apply(t.Context(), thread.Start{Goal: goal}, thread.Stamp{Git: Reader{}.Capture(t.Context(), in.Dir)})
		return err
	}
	if err := start(main, "of main"); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(main.Dir, ".aictx"), filepath.Join(side.Dir, ".aictx"))
	if err := start(side, "of side"); err != nil {
		t.Fatal(err)
	}
	for _, in := range []storetest.Repo{main, side} {
		snap, err := At(in.Dir).Read()
		if err != nil {
			t.Fatal(err)
		}
		if all, err := snap.Threads(); err != nil || len(all) != 2 || all[1].Git.Branch != "side" || snap.Pointer().ID != "of-side" {
			t.Errorf("%s: %+v, %v", in.Dir, all, err)
		}
		snap.Close()
	}
	if now := (Reader{}).Capture(t.Context(), side.Dir); now.Dirty {
		t.Errorf("the link is dirt: %+v", now)
	}
	here, elsewhere := At(side.Dir).Linked([]model.ThreadLink{{Repo: model.Text(main.Dir), TaskID: "of-main"}})
	if len(here) != 1 || len(elsewhere) > 0 || At(side.Dir).Dirs()[0] != At(main.Dir).Dirs()[0] {
		t.Errorf("here %v, elsewhere %v, watched %v", here, elsewhere, At(side.Dir).Dirs())
	}
}

// No other link is followed: none to another repository, none in the main work tree, none to a repository that does not
// know the work tree, and none without a target.
func TestNoOtherLinkToThreadsIsFollowed(t *testing.T) {
	main, other := storetest.RepoWithCommit(t), storetest.RepoWithCommit(t)
	side := beside(t, main)
	claims := main.At(t.TempDir())
	raw, err := os.ReadFile(filepath.Join(side.Dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	claims.Write(".git", string(raw))
	aside := filepath.Join(main.Dir, "aside")
	for _, dir := range []string{filepath.Join(main.Dir, ".aictx"), filepath.Join(other.Dir, ".aictx"), aside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]struct {
		in storetest.Repo
		to string
	}{
		"another repository": {side, filepath.Join(other.Dir, ".aictx")}, "another directory": {side, aside},
		"nothing": {side, filepath.Join(side.Dir, "gone")}, "not known there": {claims, filepath.Join(main.Dir, ".aictx")},
		"no repository": {main.At(t.TempDir()), filepath.Join(main.Dir, ".aictx")},
		"no work tree":  {storetest.RepoWithCommit(t), filepath.Join(main.Dir, ".aictx")},
	} {
		link(t, x.to, filepath.Join(x.in.Dir, ".aictx"))
		_, err := At(x.in.Dir).Apply(t.Context(), thread.Start{Goal: "g"}, thread.Stamp{})
		if !errors.Is(err, &model.Error{Code: model.CodeRefused}) || !strings.Contains(err.Error(), "main work tree") {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(x.to); len(left) > 0 {
			t.Errorf("%s: written: %v, %v", name, left, err)
		}
		_ = os.Remove(filepath.Join(x.in.Dir, ".aictx"))
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// beside makes a linked work tree on a branch of its own.
func beside(t *testing.T, main storetest.Repo) storetest.Repo {
	t.Helper()
	side := main.At(filepath.Join(t.TempDir(), "side"))
	main.Git("worktree", "add", "-q", "-b", "side", side.Dir)
	return side
}
