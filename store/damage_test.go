package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/recovery"
	"vise/store/storetest"
)

// No damage of the file crashes a process, and everything that is read without an error is what was written. A child
// process reads, because it must not crash.
func TestDamagedLedgerNeverEndsAProcess(t *testing.T) {
	storetest.Slow(t)
	seeds := storetest.Amount(120, 2000)
	dir, l := newHome(t)
	x := NewLife(1)
	x.Attach(l)
	x.Live(t, l, 250)
	first := storetest.Seed(t) % 1e9
	outcomes := map[string]int{}
	var c *storetest.Child
	for i := 0; i < seeds; i++ {
		if c == nil {
			c = storetest.Start(t, "damage", dir, fmt.Sprint(first+uint64(i)), fmt.Sprint(seeds-i))
		}
		lines := make(chan string, 1)
		go func(c *storetest.Child) { lines <- c.Line() }(c)
		select {
		case line := <-lines:
			seed, outcome, _ := strings.Cut(line, " ")
			if seed != fmt.Sprint(first+uint64(i)) {
				t.Fatalf("the child died at seed %d, saying %q", first+uint64(i), line)
			}
			outcomes[outcome]++
			if outcome == "wrong" {
				t.Logf("seed %s reads wrong data", seed)
			}
		case <-time.After(storetest.Amount(30*time.Second, 5*time.Second)):
			t.Logf("seed %d runs for ever", first+uint64(i))
			outcomes["hangs"]++
			c.Process.Kill()
			<-lines
			c = nil
		}
	}
	t.Log(outcomes)
	if outcomes["wrong"] > 0 || outcomes["hangs"] > 0 {
		t.Errorf("%d read wrong data, %d hang", outcomes["wrong"], outcomes["hangs"])
	}
	if n := outcomes["not named, found by check"]; n*50 > seeds {
		t.Errorf("%d of %d were read without a word", n, seeds)
	}
	if outcomes["damaged"] == 0 || outcomes["unharmed"] == 0 {
		t.Error("the damages are all of one kind: the test shows nothing")
	}
}

// Pages that form a circle, as after a power cut, are damage: vise does not follow them. In a file that was inspected
// since the machine started, the path to the first key is checked.
func TestPagesInACircleAreDamage(t *testing.T) {
	dir, l := newHome(t)
	x := NewLife(1)
	x.Attach(l)
	x.Live(t, l, 250)
	at := revision(t, l)
	must(l.Close())
	path := filepath.Join(dir, "ledger.db")
	sound, err := os.ReadFile(path)
	must(err)
	first := func(int) int { return 0 }
	last := func(children int) int { return children - 1 }
	for _, c := range []struct {
		name   string
		which  func(int) int
		opened *files.Machine
	}{
		{"the first child", first, nil},
		{"the last child after a start of the machine", last, started("again")},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := bytes.Clone(sound)
			if n := storetest.Circle(raw, c.which); n < 2 {
				t.Fatalf("only %d pages have children", n)
			}
			must(os.WriteFile(path, sound, 0o600))
			l, err := store.Open(dir, store.Options{Machine: c.opened})
			must(err)
			defer l.Close()
			must(os.WriteFile(path, raw, 0o600))
			_, check := l.Check(ctx)
			for what, err := range map[string]error{
				"read": l.View(ctx, func(model.Reader) error { return nil }), "change": applied(l, objective("x")), "check": check,
			} {
				var e *model.Error
				if !errors.As(err, &e) || e.Code != model.CodeDamaged {
					t.Errorf("%s: %v", what, err)
				}
			}
			if r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{}); err != nil || r.Lost.AtLeast > 0 || r.Revision != at {
				t.Errorf("restore: %+v, %v", r, err)
			} else {
				must(r.Discard())
			}
		})
	}
}

// A restore brings back everything that damage made unreadable: the journal is beside the ledger.
func TestADamagedLedgerIsRestoredWhole(t *testing.T) {
	dir, l := newHome(t)
	x := NewLife(2)
	x.Attach(l)
	x.Live(t, l, 150)
	must(l.Close())
	truth, err := everything(dir)
	must(err)
	files := storetest.Contents(dir)
	seed, restored := storetest.Seed(t)%1e9, 0
	for i := range uint64(storetest.Amount(6, 400)) {
		broken := filepath.Join(storetest.MemoryDir(t), "home")
		for name, raw := range files {
			if name == "ledger.db" {
				raw = storetest.Damage(raw, seed+i)
			}
			must(os.MkdirAll(filepath.Dir(filepath.Join(broken, name)), 0o700))
			must(os.WriteFile(filepath.Join(broken, name), raw, 0o600))
		}
		if got, err := everything(broken); err == nil && got == truth {
			continue // it hit a page that nobody needs
		}
		r, err := recovery.PlanRestore(ctx, broken, recovery.RestoreOptions{})
		if err == nil {
			err = r.Apply(ctx, recovery.RestoreOptions{})
		}
		got, readErr := everything(broken)
		if err != nil || readErr != nil || got != truth {
			t.Errorf("seed %d: restore %v, read %v, as it was %v", seed+i, err, readErr, got == truth)
		}
		restored++
		os.RemoveAll(broken)
	}
	t.Logf("%d restored", restored)
	if restored == 0 {
		t.Error("no damage was one")
	}
}

// readDamaged damages the ledger by each of some seeds, reads it, and returns the result of each.
func readDamaged(args []string) {
	first, err := strconv.ParseUint(args[1], 10, 64)
	must(err)
	n, err := strconv.ParseUint(args[2], 10, 64)
	must(err)
	path := filepath.Join(args[0], "ledger.db")
	sound, err := os.ReadFile(path)
	must(err)
	truth, err := everything(args[0])
	must(err)
	dir, err := os.MkdirTemp(filepath.Dir(args[0]), "damaged-*")
	must(err)
	home, err := os.ReadFile(filepath.Join(args[0], "home.json"))
	must(err)
	must(os.WriteFile(filepath.Join(dir, "home.json"), home, 0o600))
	for seed := first; seed < first+n; seed++ {
		must(os.WriteFile(filepath.Join(dir, "ledger.db"), storetest.Damage(sound, seed), 0o600))
		fmt.Println(seed, outcome(dir, truth))
	}
}

func outcome(dir string, truth string) string {
	got, err := everything(dir)
	switch {
	case err != nil:
		return "damaged"
	case got == truth:
		return "unharmed"
	}
	l, err := store.Open(dir, store.Options{})
	if err != nil {
		return "damaged"
	}
	if h, err := l.Check(ctx); err != nil || !h.Healthy() {
		return "not named, found by check"
	}
	return "wrong"
}

// everything returns all that a reader returns of a ledger.
func everything(dir string) (string, error) {
	l, err := store.Open(dir, store.Options{})
	if err != nil {
		return "", err
	}
	defer l.Close()
	var b strings.Builder
	err = l.View(ctx, func(r model.Reader) error {
		for _, a := range r.Agents("", 100) {
			fmt.Fprintln(&b, a, r.Waits(a.ID, "", 100))
			for _, c := range model.Classes {
				for _, row := range r.Rows(a.ID, c, nil, 1000) {
					w, _ := r.Item(row.ID)
					fmt.Fprintln(&b, row, w, r.Waits(a.ID, row.ID, 100), len(r.Entries(row.ID, 1000)))
				}
			}
		}
		fmt.Fprintln(&b, r.History("", model.Position{}, 10000))
		return nil
	})
	if found := l.Damage(); err == nil && len(found) > 0 {
		err = fmt.Errorf("damaged: %q", found)
	}
	return b.String(), err
}
