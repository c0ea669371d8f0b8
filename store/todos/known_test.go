package todos

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"vise/model"
	"vise/model/todo"
)

// knownSession is a session whose files have been unchanged for a while, and a directory for the cache.
func knownSession(t *testing.T, n int) (s *Session, dir string, path func(i int) string) {
	t.Helper()
	s, dir = newSession(t, review), filepath.Join(t.TempDir(), "todos")
	old := noon.AddDate(-1, 0, 0)
	source := filepath.Join(s.Path(), "review")
	must(t, os.MkdirAll(source, 0o755))
	var names []string
	for i := 1; i <= n; i++ {
		d := draft(fmt.Sprintf("finding %d in the code", i), todo.Ready)
		d.FindingID, d.Files = model.Text(fmt.Sprintf("SEC-%d", i)), []model.Text{"src/f.go:1"}
		x, err := todo.New(d, fmt.Sprintf("%03d", i), operator())
		must(t, err)
		names = append(names, x.File)
		must(t, os.WriteFile(filepath.Join(source, x.File), Render(x, d, todo.Note{At: noon, Phase: "Initial Discovery"}), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(source, "900-pending-p1-damaged.md"), []byte("no head"), 0o644))
	path = func(i int) string { return filepath.Join(source, names[i-1]) }
	for _, name := range append(names, "900-pending-p1-damaged.md") {
		must(t, os.Chtimes(filepath.Join(source, name), old, old))
	}
	return s, dir, path
}

// sameAsRead compares the cache with a read of everything.
func sameAsRead(t *testing.T, s *Session, dir, after string) Snapshot {
	t.Helper()
	got, err := s.LoadKnown(dir)
	must(t, err)
	want := mustLoad(t, s)
	if !reflect.DeepEqual(got.Todos, want.Todos) || !reflect.DeepEqual(got.Damaged, want.Damaged) || !reflect.DeepEqual(got.Sources, want.Sources) {
		t.Errorf("after %s: %d todos and %d damaged are known, read %d and %d", after, len(got.Todos), len(got.Damaged),
			len(want.Todos), len(want.Damaged))
	}
	return got
}

func TestWhatIsKnownIsWhatAReadingFinds(t *testing.T) {
	s, dir, path := knownSession(t, 150)
	if got := sameAsRead(t, s, dir, "the first look"); got.fresh != 151 {
		t.Errorf("the first look read %d files", got.fresh)
	}
	if got := sameAsRead(t, s, dir, "nothing"); got.fresh != 0 {
		t.Errorf("the second look read %d files", got.fresh)
	}
	raw, err := os.ReadFile(path(7))
	must(t, err)
	old := noon.AddDate(-1, 0, 0)
	must(t, os.WriteFile(path(7), bytes.Replace(raw, []byte("SEC-7"), []byte("SEC-8"), 1), 0o644))
	must(t, os.Chtimes(path(7), old, old)) // its size and time are as before
	sameAsRead(t, s, dir, "an edit that hides its time")
	must(t, os.Remove(path(8)))
	sameAsRead(t, s, dir, "a removal")
	kept := knownIn(dir, s.Path())
	raw, err = os.ReadFile(kept)
	must(t, err)
	raw[len(raw)/2] ^= 1
	must(t, os.WriteFile(kept, raw, 0o600))
	sameAsRead(t, s, dir, "damage to what is kept")
	must(t, os.WriteFile(kept, nil, 0o600))
	sameAsRead(t, s, dir, "what is kept is empty")
}
