package todos

import (
	"os"
	"path/filepath"
	"testing"
)

func TestASessionIsFoundAgainByTheDirectoryThatLinksKeep(t *testing.T) {
	repo := t.TempDir()
	for _, rel := range []string{"tmp/reviews/a/todos", "tmp/b/todos", "todos"} {
		s, err := OpenNew(repo, rel)
		if err != nil {
			t.Fatal(err)
		}
		again, err := OpenAt(s.Path())
		if err != nil {
			t.Fatalf("%s: %v", rel, err)
		}
		if again.Path() != s.Path() {
			t.Errorf("got %s, want %s", again.Path(), s.Path())
		}
		s.Close()
		again.Close()
	}
	for _, bad := range []string{"", "todos", repo, repo + "/tmp/x/y", "/nowhere/tmp/a/b/todos"} {
		if s, err := OpenAt(bad); err == nil {
			s.Close()
			t.Errorf("%q was opened", bad)
		}
	}
}

func TestCodeIsReadInTheRepositoryAndNowhereElse(t *testing.T) {
	repo := t.TempDir()
	s, err := OpenNew(repo, "tmp/r/a/todos")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	outside := filepath.Join(t.TempDir(), "secret")
	for path, text := range map[string]string{filepath.Join(repo, "a.go"): "package a\n", outside: "no"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(repo, "link.go")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.go", "./a.go", filepath.Join(repo, "a.go")} {
		if got, err := s.Code(name); err != nil || got != "package a\n" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"link.go", "../" + filepath.Base(outside), outside, "tmp", "missing.go", ""} {
		if got, err := s.Code(name); err == nil {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
