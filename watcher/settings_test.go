package watcher

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vise/store/storetest"
)

func notified(t *testing.T, c *Changes, what string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := c.Next(ctx); err != nil {
		t.Fatalf("%s is no news: %v", what, err)
	}
}

func TestEveryWayToChangeTheSettingsIsNotified(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "vise")
	file, themes := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "themes")
	e := Settings(t.Context(), file, themes)
	defer e.Close()
	write := func(path, text string) func() error {
		return func() error {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(text), 0o600)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "dotfiles.yaml")
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"the first file", write(file, "theme: light\n")},
		{"a save", write(file, "theme: dark\n")},
		{"a save by rename", func() error {
			if err := write(file+"~", "theme: mono\n")(); err != nil {
				return err
			}
			return os.Rename(file+"~", file)
		}},
		{"the first theme", write(filepath.Join(themes, "mine.yaml"), "extends: dark\n")},
		{"a theme's save", write(filepath.Join(themes, "mine.yaml"), "extends: light\n")},
		{"a theme that is gone", func() error { return os.Remove(filepath.Join(themes, "mine.yaml")) }},
		{"a link", func() error {
			if err := write(elsewhere, "mouse: false\n")(); err != nil {
				return err
			}
			if err := os.Remove(file); err != nil {
				return err
			}
			return os.Symlink(elsewhere, file)
		}},
		{"a change of what is linked", write(elsewhere, "mouse: true\n# longer\n")},
		{"all of it gone", func() error { return os.RemoveAll(dir) }},
		{"a new directory", write(file, "theme: light\n")},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		notified(t, e, step.what)
		for { // a change in several steps may be notified several times
			ctx, cancel := context.WithTimeout(t.Context(), 2*quiet)
			err := e.Next(ctx)
			cancel()
			if err != nil {
				break
			}
		}
	}
}

func TestChangesThatAreClosedSaySo(t *testing.T) {
	e := Settings(t.Context(), filepath.Join(t.TempDir(), "config.yaml"), t.TempDir())
	e.Close()
	if err := e.Next(t.Context()); err != ErrClosed {
		t.Errorf("got %v", err)
	}
}
