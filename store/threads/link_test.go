package threads

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vise/model"
	"vise/model/thread"
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

// TestNoWorkStateIsKeptWhereEveryProcessWouldAdoptIt covers the home directory, the root
// of the file system, and a directory that is gone.
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
