package storetest

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Amount is how much of something a test does: short for everyday, long with -tags soak.
func Amount[N any](short, long N) N {
	if Long {
		return long
	}
	return short
}

// Artefacts is the directory where a failing test leaves what it was about: under
// VISE_ARTEFACTS, or vise-artefacts in the system's place for temporary files.
func Artefacts(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("VISE_ARTEFACTS")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "vise-artefacts")
	}
	dir = filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(t.Name()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// KeepOnFailure copies a home, ledger, journal and all, to the artefacts if the test fails.
func KeepOnFailure(t testing.TB, home string) {
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		to := filepath.Join(Artefacts(t), filepath.Base(home))
		if err := copyFiles(home, to); err != nil {
			t.Logf("the home was not kept whole: %v", err)
		}
		t.Logf("kept in %s", to)
	})
}

// copyFiles copies the regular files below a directory.
func copyFiles(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), raw, 0o600)
	})
}

// Seed is a fresh seed, which the test prints so that the life can be lived again.
func Seed(t testing.TB) uint64 {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return seed
}
