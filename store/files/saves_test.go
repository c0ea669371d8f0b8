package files

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func savesPath(h Home) string { return filepath.Join(h.PlanDir(agent, item), "saves") }

func keep(t testing.TB, h Home, text string) (hash string) {
	t.Helper()
	hash = sha([]byte(text))
	must(t, h.KeepSave(agent, item, hash, []byte(text)))
	return hash
}

func TestASaveIsReadAsItWasKept(t *testing.T) {
	h := newHome(t)
	for _, text := range []string{"", "one\n", strings.Repeat("a line of a plan\n", 5<<20/17)} {
		hash := keep(t, h, text)
		if got := h.ReadSave(agent, item, hash); got == nil || string(got) != text {
			t.Errorf("%d bytes are read as %d", len(text), len(got))
		}
		if got := h.ReadSave(agent, other, hash); got != nil {
			t.Errorf("another item has it too: %d bytes", len(got))
		}
	}
	keep(t, h, "one\n")
	if sizes := h.Saves(agent, item); len(sizes) != 3 {
		t.Errorf("kept are %v", sizes)
	}
	if got := h.Plan(agent, item); string(got.Raw) != "plan of wi-1" {
		t.Errorf("the plan is %q", got.Raw)
	}
	info, err := os.Stat(savesPath(h))
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %o", info.Mode().Perm())
	}
}

func TestOnlyNamedSavesAreDropped(t *testing.T) {
	h := newHome(t)
	one, two := keep(t, h, "one"), keep(t, h, "two")
	old := filepath.Join(savesPath(h), ".vise-0123456789abcdef.tmp")
	for _, name := range []string{old, filepath.Join(savesPath(h), ".vise-fedcba9876543210.tmp"), filepath.Join(savesPath(h), "notes")} {
		must(t, os.WriteFile(name, []byte("x"), 0o600))
	}
	long := time.Now().Add(-2 * saveAge)
	must(t, os.Chtimes(old, long, long))
	h.DropSaves(agent, item, []string{one, "sha256:none", ""})
	list, err := os.ReadDir(savesPath(h))
	must(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if want := ".vise-fedcba9876543210.tmp " + saveName(two) + " notes"; strings.Join(names, " ") != want {
		t.Errorf("left are %v", names)
	}
}

// A save that somebody damaged, replaced or let grow is not kept. vise never follows it, waits for it, or reads it
// without bound.
func TestWhateverLiesAmongTheSavesReadingItIsQuickAndStaysInside(t *testing.T) {
	var bomb bytes.Buffer
	for name, put := range map[string]func(t *testing.T, h Home, path string){
		"another text": func(t *testing.T, h Home, path string) {
			from := keep(t, h, "another")
			must(t, os.Rename(filepath.Join(savesPath(h), saveName(from)), path))
		},
		"no text": func(t *testing.T, _ Home, path string) { must(t, os.WriteFile(path, nil, 0o600)) },
		"a part":  func(t *testing.T, _ Home, path string) { must(t, os.Truncate(path, 20)) },
		"a link to a secret": func(t *testing.T, h Home, path string) {
			must(t, os.Rename(path, filepath.Join(h.Dir(), "secret")))
			must(t, os.Symlink(filepath.Join(h.Dir(), "secret"), path))
		},
		"a hard link": func(t *testing.T, h Home, path string) { must(t, os.Link(path, filepath.Join(h.Dir(), "secret"))) },
		"a pipe": func(t *testing.T, _ Home, path string) {
			must(t, os.Remove(path))
			pipe(t, path)
		},
		"a directory": func(t *testing.T, _ Home, path string) {
			must(t, os.Remove(path))
			must(t, os.Mkdir(path, 0o700))
		},
		"a bomb": func(t *testing.T, _ Home, path string) { must(t, os.WriteFile(path, bomb.Bytes(), 0o600)) },
		"a directory that links outside": func(t *testing.T, h Home, _ string) {
			must(t, os.Rename(savesPath(h), filepath.Join(h.Dir(), "elsewhere")))
			must(t, os.Symlink(filepath.Join(h.Dir(), "elsewhere"), savesPath(h)))
		},
		"a directory that is a pipe": func(t *testing.T, h Home, _ string) {
			must(t, os.RemoveAll(savesPath(h)))
			pipe(t, savesPath(h))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			if name == "a bomb" {
				hash := sha(make([]byte, 64<<20))
				must(t, h.KeepSave(agent, item, hash, make([]byte, 64<<20)))
				raw, err := os.ReadFile(filepath.Join(savesPath(h), saveName(hash)))
				must(t, err)
				bomb.Write(raw)
			}
			hash := keep(t, h, "what is kept")
			put(t, h, filepath.Join(savesPath(h), saveName(hash)))
			if got := within(t, 5*time.Second, func() []byte { return h.ReadSave(agent, item, hash) }); got != nil {
				t.Errorf("%q is read", got)
			}
			within(t, 5*time.Second, func() map[string]int64 { return h.Saves(agent, item) })
			within(t, 5*time.Second, func() error { h.DropSaves(agent, item, []string{hash}); return nil })
			if raw, err := os.ReadFile(filepath.Join(h.Dir(), "secret")); err == nil && len(raw) == 0 {
				t.Error("the secret is gone")
			}
		})
	}
}

// A machine stops at any operation while a save is kept: the existing saves do not change, and the new one is whole or
// missing. The next try keeps it.
func TestASaveIsKeptWholeOrNotAtAll(t *testing.T) {
	text := strings.Repeat("a plan\n", 1000)
	hash, stopped := sha([]byte(text)), errors.New("the machine stops")
	for stop, done := 0, false; !done; stop++ {
		h := newHome(t)
		first := keep(t, h, "the first")
		n := 0
		gated := h.On(&Machine{Gate: func(op Op) error {
			if n++; n <= stop {
				return nil
			}
			if op.Kind == Write && rand.IntN(2) == 0 {
				return &Short{Bytes: len(op.Data) / 2, Err: stopped}
			}
			return stopped
		}})
		err := gated.KeepSave(agent, item, hash, []byte(text))
		done = err == nil
		if got := h.ReadSave(agent, item, hash); done != (got != nil) || got != nil && string(got) != text {
			t.Errorf("stopped at operation %d: %v, %d bytes", stop, err, len(got))
		}
		if got := h.ReadSave(agent, item, first); string(got) != "the first" {
			t.Errorf("stopped at operation %d: the first is %q", stop, got)
		}
		keep(t, h, text)
		if got := h.ReadSave(agent, item, hash); string(got) != text {
			t.Errorf("stopped at operation %d: kept again it has %d bytes", stop, len(got))
		}
	}
}

func BenchmarkKeepSave(b *testing.B) {
	for name, size := range map[string]int{"10KB": 10 << 10, "5MB": 5 << 20} {
		b.Run(name, func(b *testing.B) {
			h := newHome(b)
			text := planOf(size)
			for i := 0; b.Loop(); i++ {
				keep(b, h, fmt.Sprint(i)+text)
			}
		})
	}
}

// planOf returns a plan of so many bytes, with words that repeat as in prose.
func planOf(size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "- [ ] step %d: word%d word%d word%d\n", b.Len(), r.IntN(3000), r.IntN(3000), r.IntN(3000))
	}
	return b.String()[:size]
}
