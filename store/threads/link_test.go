package threads

import (
	"os"
	"path/filepath"
	"testing"

	"vise/model"
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
