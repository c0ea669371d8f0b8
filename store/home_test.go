package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

func TestOpeningNoHomeWritesNothing(t *testing.T) {
	parent := t.TempDir()
	_, err := store.Open(filepath.Join(parent, "a", "home"), store.Options{})
	if !errors.Is(err, store.ErrNoHome) || !errors.Is(err, &model.Error{Code: model.CodeNoHome}) {
		t.Errorf("got %v", err)
	}
	if _, err := store.Open(parent, store.Options{}); !errors.Is(err, store.ErrNoHome) {
		t.Errorf("an empty directory: %v", err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("there is %v, %v", entries, err)
	}
}

func TestAHomeIsPrivate(t *testing.T) {
	dir, l := newHome(t)
	must(applied(l, objective("k")))
	check := func() {
		t.Helper()
		for name, want := range map[string]fs.FileMode{".": 0o700, "home.json": 0o600, "ledger.db": 0o600, "ledger.lock": 0o600, "agents": 0o700, "spool": 0o700} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	}
	check()
	must(os.Chmod(filepath.Join(dir, "ledger.db"), 0o644))
	must(os.Chmod(dir, 0o755))
	again, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	check()
	for _, name := range []string{".", "home.json", "ledger.db", "ledger.lock"} {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		must(err)
		must(os.Chmod(path, info.Mode()|0o020))
		if _, err := store.Open(dir, store.Options{}); !isCode(err, model.CodeRefused) {
			t.Errorf("others can write to %s: %v", name, err)
		}
		must(os.Chmod(path, info.Mode()))
	}
}

func TestAHomeIsCreatedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	var wg sync.WaitGroup
	var mu sync.Mutex
	created := 0
	for range 6 {
		wg.Go(func() {
			l, err := store.Create(dir, store.Options{})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				created++
				l.Close()
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if created != 1 {
		t.Errorf("created %d times", created)
	}
	l, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := applied(l, objective("k")); err != nil {
		t.Error(err)
	}
}

func TestACreationThatWasCutShortIsFinished(t *testing.T) {
	dir, l := newHome(t)
	id := l.Home().ID
	must(os.Remove(filepath.Join(dir, "ledger.db")))
	if _, err := store.Open(dir, store.Options{}); !errors.Is(err, store.ErrNoHome) {
		t.Errorf("got %v", err)
	}
	again, err := store.Create(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Home().ID == id {
		t.Error("the same home came back")
	}
}

// spoil makes something of a used home wrong; vise must not change anything else.
func TestAWrongLedgerIsRefusedAndLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		want  model.Code
	}{
		{"missing", func(t *testing.T, path string) { must(os.Remove(path)) }, model.CodeRefused},
		{"of no bytes", func(t *testing.T, path string) { must(os.WriteFile(path, nil, 0o600)) }, model.CodeRefused},
		{"cut short", func(t *testing.T, path string) { must(os.Truncate(path, 9000)) }, model.CodeDamaged},
		{"a text file", func(t *testing.T, path string) {
			must(os.WriteFile(path, []byte(strings.Repeat("no ledger\n", 5000)), 0o600))
		}, model.CodeDamaged},
		{"a directory", func(t *testing.T, path string) { must(os.Remove(path)); must(os.Mkdir(path, 0o700)) }, ""},
		{"a link", func(t *testing.T, path string) {
			must(os.Rename(path, path+".real"))
			must(os.Symlink(path+".real", path))
		}, ""},
		{"of another home", func(t *testing.T, path string) {
			other, l := newHome(t)
			must(applied(l, objective("other")))
			must(os.Rename(filepath.Join(other, "ledger.db"), path))
		}, model.CodeRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, l := newHome(t)
			must(applied(l, objective("k")))
			path := filepath.Join(dir, "ledger.db")
			c.spoil(t, path)
			before, _ := os.ReadFile(path)
			for _, open := range []func() (*store.Ledger, error){
				func() (*store.Ledger, error) { return l, nil },
				func() (*store.Ledger, error) { return store.Open(dir, store.Options{}) },
			} {
				now, err := open()
				if err == nil {
					err = applied(now, objective("k2"))
				}
				var e *model.Error
				if err == nil || c.want != "" && (!errors.As(err, &e) || e.Code != c.want || e.Hint == "") {
					t.Errorf("got %v", err)
				}
				if c.name == "of another home" && !strings.Contains(fmt.Sprint(err), "another home") {
					t.Errorf("not said to be another home's: %v", err)
				}
				t.Log(err)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

// A home with nothing but plan files may have lost its fleet.json.
func TestAHomeThatLostItsClusterSaysHowToJoinAgain(t *testing.T) {
	dir := t.TempDir()
	must(os.MkdirAll(filepath.Join(dir, "agents", "ann"), 0o700))
	var e *model.Error
	if _, err := store.Open(dir, store.Options{}); !errors.As(err, &e) || !strings.Contains(e.Error(), "fleet.json") ||
		!strings.Contains(e.Hint, "vise admin fleet join") {
		t.Errorf("got %v", err)
	}
	must(os.MkdirAll(filepath.Join(dir, "snapshots", "one"), 0o700))
	if _, err := store.Open(dir, store.Options{}); !errors.As(err, &e) || strings.Contains(e.Error()+e.Hint, "fleet") {
		t.Errorf("a home with snapshots: %v", err)
	}
}

// An older copy in place of the ledger is neither read nor written to: the copy of the history shows it, and home.json
// does if that copy is missing. A process that had the ledger open, with the same file, is told when it changes
// something.
func TestAnOlderLedgerIsRefused(t *testing.T) {
	storetest.Slow(t)
	read := func(l *store.Ledger) error { return l.View(ctx, func(model.Reader) error { return nil }) }
	write := func(l *store.Ledger) error { return applied(l, objective("new")) }
	for _, c := range []struct {
		name    string
		since   int // changes since the older copy
		journal bool
		hadOpen bool
		do      func(*store.Ledger) error
	}{
		{"read, known by the copy of the history", 1, true, false, read},
		{"changed, known by the copy of the history", 1, true, false, write},
		{"read, known by home.json", 256, false, false, read},
		{"changed, known by home.json", 256, false, false, write},
		{"changed by a process that had it open", 1, true, true, write},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, l := newHome(t)
			path := filepath.Join(dir, "ledger.db")
			must(applied(l, objective("first")))
			old, err := os.ReadFile(path)
			must(err)
			for i := range c.since {
				must(applied(l, objective(fmt.Sprint("k", i))))
			}
			must(os.WriteFile(path, old, 0o600))
			if !c.journal {
				must(os.RemoveAll(filepath.Join(dir, "journal")))
			}
			if !c.hadOpen {
				l, err = store.Open(dir, store.Options{})
				must(err)
				defer l.Close()
			}
			if err := c.do(l); !isCode(err, model.CodeRefused) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAFullLedgerSaysSoAndKeepsWhatItHas(t *testing.T) {
	dir, l := newHome(t)
	must(applied(l, objective("first")))
	small, err := store.Open(dir, store.Options{MaxSize: 256 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	n := 1
	for ; ; n++ {
		e := objective("k" + strings.Repeat("x", n%50) + string(rune('a'+n)))
		e.Command = model.CreateWorkItem{Objective: "x", Plan: model.Text(strings.Repeat("plan ", 2000))}
		if err = applied(small, e); err != nil {
			break
		}
	}
	if !errors.Is(err, &model.Error{Code: model.CodeFull}) {
		t.Errorf("got %v", err)
	}
	if h := healthy(t, l); int(h.Revision) != n {
		t.Errorf("revision %d after %d commands", h.Revision, n)
	}
	if err := applied(l, objective("there is space again")); err != nil {
		t.Error(err)
	}
}

func TestDefaultHome(t *testing.T) {
	env := map[string]string{}
	home, err := os.UserHomeDir()
	must(err)
	for _, c := range []struct{ vise, xdg, want string }{
		{"", "", filepath.Join(home, ".local/share/vise")},
		{"", "relative", filepath.Join(home, ".local/share/vise")},
		{"", "/data", "/data/vise"},
		{"/my/home", "/data", "/my/home"},
	} {
		env["VISE_HOME"], env["XDG_DATA_HOME"] = c.vise, c.xdg
		if got, err := store.DefaultHome(func(k string) string { return env[k] }); got != c.want || err != nil {
			t.Errorf("%+v: got %s, %v", c, got, err)
		}
	}
}
