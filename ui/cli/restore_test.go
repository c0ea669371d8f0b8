package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// grownHome returns a home with some changes, and the place in the live file of its journal where they begin.
func grownHome(t *testing.T, changes int) (home string, raw []byte, at []int) {
	t.Helper()
	home = filepath.Join(t.TempDir(), "home")
	l, err := store.Create(home, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	more(t, l, "", changes)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err = os.ReadFile(filepath.Join(home, "journal", "live.vj"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		if bytes.HasPrefix(raw[i:], []byte("vjfr")) {
			at = append(at, i)
		}
	}
	return home, raw, at
}

func more(t *testing.T, l *store.Ledger, prefix string, changes int) {
	t.Helper()
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i := range changes {
		l.Now = func() time.Time { return start.Add(time.Duration(i+1) * time.Minute) }
		e := model.Envelope{Key: fmt.Sprint(prefix, i), Actor: model.Operator, Agent: "ada",
			Command: model.CreateWorkItem{Objective: model.Text(fmt.Sprint(prefix, "item ", i+1))}}
		if _, err := l.Apply(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func put(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A restore reports an interval for what is lost. The true number is in it, and the report names its sources.
func TestARestoreCountsItsLossesTruthfully(t *testing.T) {
	t.Parallel()
	const changes = 121
	for _, c := range []struct {
		name    string
		spoil   func(home string, raw []byte, at []int) []byte
		reached uint64
		says    []string
	}{
		{"torn inside revision 31, and the rest gone", func(_ string, raw []byte, at []int) []byte { return raw[:at[30]+200] }, 30,
			[]string{"LOST: at least 1, at most 226 changes, from revision 31 on", "revision 31 is incomplete", "no revision after 256"}},
		{"torn inside revision 31, in the middle", func(_ string, raw []byte, at []int) []byte {
			clear(raw[at[30]+200 : at[31]])
			return raw
		}, 30, []string{"LOST: at least 91, at most 226 changes", "revision 31 is incomplete", "may be missing: revision 32, 2026-11-20T12:32:00Z"}},
		{"a hole of five, as a power cut leaves it", func(_ string, raw []byte, at []int) []byte {
			clear(raw[at[30]:at[35]])
			return raw
		}, 30, []string{"LOST: at least 91, at most 226 changes", "it goes to revision 121", "a part of it cannot be read"}},
		{"a hole, and the end torn", func(_ string, raw []byte, at []int) []byte {
			clear(raw[at[30]:at[35]])
			return raw[:at[100]+99]
		}, 30, []string{"LOST: at least 71, at most 226 changes", "revision 101 is incomplete"}},
		{"the tail deleted", func(_ string, raw []byte, at []int) []byte { return raw[:at[30]] }, 30,
			[]string{"lost: at least 0, at most 226 changes, from revision 31 on", "no revision after 256"}},
		{"the tail deleted, plan files left", func(home string, raw []byte, at []int) []byte {
			dir := filepath.Join(home, "agents", "ada", "work-items", "wi-01h00000000000000000000000")
			if os.MkdirAll(dir, 0o700) != nil || os.WriteFile(filepath.Join(dir, "plan.md"), []byte("# x"), 0o600) != nil {
				panic("no plan")
			}
			return raw[:at[30]]
		}, 30, []string{"at least 0, at most 226", "may be missing: a work item: agents/ada/work-items/wi-01h00000000000000000000000"}},
		{"the tail deleted, a report in the hook queue", func(home string, raw []byte, at []int) []byte {
			report := `{"key":"k","agent_id":"ada","work_items":["wi-zzzz"],"text":"done","at":"2026-11-20T13:00:00Z"}`
			if os.WriteFile(filepath.Join(home, "spool", "20261120T130000-aa.json"), []byte(report), 0o600) != nil {
				panic("no report")
			}
			return raw[:at[30]]
		}, 30, []string{"may be missing: work item wi-zzzz: spool/20261120T130000-aa.json waits to report on it"}},
		{"home.json gone too", func(home string, raw []byte, at []int) []byte {
			if os.Remove(filepath.Join(home, "home.json")) != nil {
				panic("no home.json")
			}
			return raw[:at[30]+200]
		}, 30, []string{"LOST: at least 1 changes; the most is not known"}},
		{"all of it there", func(_ string, raw []byte, at []int) []byte { return raw }, 121,
			[]string{"lost: at least 0, at most 135 changes, from revision 122 on"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home, raw, at := grownHome(t, changes)
			put(t, filepath.Join(home, "journal", "live.vj"), c.spoil(home, raw, at))
			if err := os.Remove(filepath.Join(home, "ledger.db")); err != nil {
				t.Fatal(err)
			}
			x := run(t, program(t, home, "restore", "--dry-run"))
			if x.code != 0 || strings.Contains(x.stdout, "nothing is lost") {
				t.Errorf("exit %d\n%s%s", x.code, x.stdout, x.stderr)
			}
			for _, want := range c.says {
				if !strings.Contains(x.stdout, want) {
					t.Errorf("it does not say %q:\n%s", want, x.stdout)
				}
			}
			var r restored
			if y := mustAsk(t, home, "restore", "--yes"); json.Unmarshal(y.Data, &r) != nil || !r.Done || r.Revision != c.reached {
				t.Errorf("got %s", y.stdout)
			}
			truth := changes - r.Revision
			if r.Lost.AtLeast > truth || r.Lost.AtMost != nil && *r.Lost.AtMost < truth {
				t.Errorf("%d were lost, and it says %+v", truth, r.Lost)
			}
			if x := run(t, program(t, home, "doctor")); strings.Contains(x.stdout, "PROBLEM  journal") || strings.Contains(x.stdout, "PROBLEM  ledger") {
				t.Errorf("afterwards:\n%s", x.stdout)
			}
			mustAsk(t, home, "new", "life goes on")
		})
	}
}

// A ledger that can be read gives its revision itself.
func TestARestoreOfADamagedLedgerSaysExactlyWhatIsLost(t *testing.T) {
	t.Parallel()
	home, raw, at := grownHome(t, 40)
	x := run(t, program(t, home, "restore", "--dry-run", "--to", "30"))
	if x.code != 0 || !strings.Contains(x.stdout, "LOST: 10 changes, revisions 31 to 40") {
		t.Errorf("exit %d\n%s%s", x.code, x.stdout, x.stderr)
	}
	put(t, filepath.Join(home, "journal", "live.vj"), raw[:at[20]])
	ledger, err := os.ReadFile(filepath.Join(home, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(ledger, []byte("item 7\""))
	ledger[i] ^= 1
	put(t, filepath.Join(home, "ledger.db"), ledger)
	x = run(t, program(t, home, "restore", "--dry-run"))
	if x.code != 0 || !strings.Contains(x.stdout, "LOST: 20 changes, revisions 21 to 40") {
		t.Errorf("exit %d\n%s%s", x.code, x.stdout, x.stderr)
	}
}

// home.json bounds the ledger's revision, whichever process is killed at whichever time: it is moved before a change
// that would pass it.
func TestTheBoundHoldsAtEveryRevision(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	l, err := store.Create(home, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range 600 {
		more(t, l, fmt.Sprint(i, " "), 1)
		var h struct{ Revision, Bound uint64 }
		raw, err := os.ReadFile(filepath.Join(home, "home.json"))
		if err != nil || json.Unmarshal(raw, &h) != nil {
			t.Fatal(err)
		}
		if now := uint64(i + 1); h.Revision > now || h.Bound < now || h.Bound > h.Revision+256 {
			t.Fatalf("revision %d: %+v", now, h)
		}
	}
}

// Any moment of the history can become a home of its own; the home itself stays as it is.
func TestARestoreAtAMomentMakesANewHome(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, _, _ := grownHome(t, 20)
	before := digest(home)
	for at, want := range map[string]int{"7": 7, "2026-11-20 12:09": 9, "2026-11-20T12:09:30Z": 9, "20": 20} {
		into := filepath.Join(t.TempDir(), "then")
		x := run(t, program(t, home, "restore", "--at", at, "--into", into))
		if x.code != 0 || !strings.Contains(x.stdout, fmt.Sprintf("as it was at revision %d, of 2026-11-20 12:%02d:00", want, want)) {
			t.Errorf("--at %s: exit %d\n%s%s", at, x.code, x.stdout, x.stderr)
			continue
		}
		if list := mustAsk(t, into, "list", "--limit", "100"); strings.Count(list.stdout, "\"objective\"") != want {
			t.Errorf("--at %s: %s", at, list.stdout)
		}
		if x := run(t, program(t, into, "doctor")); strings.Contains(x.stdout, "PROBLEM  ledger") || strings.Contains(x.stdout, "PROBLEM  journal") {
			t.Errorf("--at %s: %s", at, x.stdout)
		}
		mustAsk(t, into, "new", "another way")
		if x := ask(t, home, "restore", "--dry-run", filepath.Join(into, "ledger.db")); x.code == 0 {
			t.Errorf("--at %s: the new home is taken for the old one: %s", at, x.stdout)
		}
	}
	if x := run(t, program(t, home, "restore", "--at", "7")); x.code != 0 {
		t.Errorf("exit %d\n%s%s", x.code, x.stdout, x.stderr)
	}
	if x := mustAsk(t, home+"-at-7", "status"); !strings.Contains(x.stdout, `"revision":7`) {
		t.Errorf("got %s", x.stdout)
	}
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"--at", "21", "--into", home + "-21"}, 3, "does not lead to revision 21"},
		{[]string{"--at", "2026-11-20 12:00"}, 3, "has nothing from 2026-11-20 12:00:00 or before"},
		{[]string{"--at", "7", "--into", home}, 4, "is not empty"},
		{[]string{"--at", "whenever"}, 2, "is not a time"},
		{[]string{"--at", "2036-01-01 00:00"}, 2, "is not in the past"},
		{[]string{"--at", "7", "--to", "6"}, 2, "takes this one back"},
		{[]string{"--into", home + "-x"}, 2, "--into is for --at"},
	} {
		if x := run(t, program(t, home, append([]string{"restore"}, c.args...)...)); x.code != c.exit || !strings.Contains(x.stderr, c.says) {
			t.Errorf("%v: exit %d\n%s%s", c.args, x.code, x.stdout, x.stderr)
		}
	}
	if _, err := os.Lstat(home + "-21"); err == nil {
		t.Error("what was refused left a directory")
	}
	if after := digest(home); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Errorf("the home changed:\n%s\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// A backup becomes the home that is not there; another home, or no backup, is refused and says what to do.
func TestABackupIsRestoredWhereNoHomeIs(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, _, _ := grownHome(t, 5)
	dir := t.TempDir()
	backup, wrong, fresh := filepath.Join(dir, "one.bak"), filepath.Join(dir, "wrong.txt"), filepath.Join(dir, "fresh")
	mustAsk(t, home, "backup", backup)
	put(t, wrong, []byte("hello"))
	other, _, _ := grownHome(t, 1)
	for _, c := range []struct {
		home string
		args []string
		exit int
		says string
	}{
		{other, []string{backup, "--yes"}, 6, "name a home that is not there yet"},
		{other, []string{wrong, "--yes"}, 6, "name a file that vise backup made"},
		{fresh, []string{wrong}, 2, "name a file that vise backup made"},
		{fresh, nil, 5, "vise restore FILE"},
		{fresh, []string{backup, "--at", "5"}, 5, "without --at"},
		{fresh, []string{backup, "--to", "4"}, 6, "it is at revision 5 already"},
	} {
		if x := run(t, program(t, c.home, append([]string{"restore"}, c.args...)...)); x.code != c.exit || !strings.Contains(x.stderr, c.says) {
			t.Errorf("%v: exit %d\n%s%s", c.args, x.code, x.stdout, x.stderr)
		}
	}
	x := run(t, program(t, fresh, "restore", backup, "--dry-run"))
	if x.code != 0 || !strings.Contains(x.stdout, "the backup becomes one") || !strings.Contains(x.stdout, "the most is not known") {
		t.Errorf("exit %d\n%s%s", x.code, x.stdout, x.stderr)
	}
	if _, err := os.Lstat(fresh); err == nil {
		t.Error("what was refused, or only looked at, left a directory")
	}
	for range 2 { // the second time it is an empty directory
		if x := run(t, program(t, fresh, "restore", backup)); x.code != 0 || !strings.Contains(x.stdout, "done: the ledger is at revision 5") {
			t.Errorf("exit %d\n%s%s", x.code, x.stdout, x.stderr)
		}
		if had, has := mustAsk(t, home, "events"), mustAsk(t, fresh, "events"); had.stdout != has.stdout {
			t.Errorf("the history was\n%s and is\n%s", had.stdout, has.stdout)
		}
		mustAsk(t, fresh, "new", "it goes on")
		if x := run(t, program(t, fresh, "doctor")); strings.Contains(x.stdout, "PROBLEM  ledger") || strings.Contains(x.stdout, "PROBLEM  journal") {
			t.Errorf("got %s", x.stdout)
		}
		if err := os.RemoveAll(fresh); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(fresh, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// Two copies of one home both went on. When parts of one meet the other, vise says from which revision on they differ,
// and neither gets changes of the other.
func TestHomesThatWereCopiedAndBothUsedAreToldApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		here, there int
	}{{"the other went on further", 3, 8}, {"this one went on further", 8, 3}, {"both as far", 5, 5}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home, _, _ := grownHome(t, 30)
			other := filepath.Join(t.TempDir(), "other")
			if err := os.CopyFS(other, os.DirFS(home)); err != nil {
				t.Fatal(err)
			}
			if _, err := repairModes(other); err != nil {
				t.Fatal(err)
			}
			for dir, n := range map[string]int{home: c.here, other: c.there} {
				l, err := store.Open(dir, store.Options{})
				if err != nil {
					t.Fatal(err)
				}
				more(t, l, filepath.Base(dir), n)
				l.Close()
			}
			backup := filepath.Join(t.TempDir(), "backup.db")
			mustAsk(t, other, "backup", backup)
			ledger, err := os.ReadFile(filepath.Join(other, "ledger.db"))
			if err != nil {
				t.Fatal(err)
			}
			x := run(t, program(t, home, "restore", "--dry-run", backup))
			if x.code != 0 || !strings.Contains(x.stdout, "TWO HISTORIES") || !strings.Contains(x.stdout, "diverge at revision 31") {
				t.Errorf("a backup of the other: exit %d\n%s%s", x.code, x.stdout, x.stderr)
			}
			put(t, filepath.Join(home, "ledger.db"), ledger)
			for _, args := range [][]string{{"list"}, {"status"}, {"new", "x"}} {
				x := run(t, program(t, home, args...))
				if x.code != 5 || !strings.Contains(x.stderr, "diverge at revision 31") {
					t.Errorf("%v with the other's ledger: exit %d\n%s%s", args, x.code, x.stdout, x.stderr)
				}
			}
			for _, side := range []struct {
				args []string
				want string
				n    int
			}{{nil, "home", c.here}, {[]string{filepath.Join(home, "ledger.db")}, "other", c.there}} {
				both := filepath.Join(t.TempDir(), "both")
				if err := os.CopyFS(both, os.DirFS(home)); err != nil {
					t.Fatal(err)
				}
				if _, err := repairModes(both); err != nil {
					t.Fatal(err)
				}
				args := append([]string{"restore", "--yes"}, side.args...)
				x := run(t, program(t, both, args...))
				lost := fmt.Sprintf("LOST: %d changes, revisions 31 to %d", c.there, 30+c.there)
				if side.args != nil {
					lost = fmt.Sprintf("LOST: at least %d", c.here)
				}
				if x.code != 0 || !strings.Contains(x.stdout, "diverge at revision 31") || !strings.Contains(x.stdout, lost) {
					t.Errorf("%v: want %s: exit %d\n%s%s", args, lost, x.code, x.stdout, x.stderr)
				}
				list := mustAsk(t, both, "list", "--limit", "100").stdout
				if strings.Count(list, `"`+side.want+"item") != side.n || strings.Count(list, `"objective"`) != 30+side.n {
					t.Errorf("%v: %d of %s: %s", args, side.n, side.want, list)
				}
				mustAsk(t, both, "new", "life goes on")
				if x := run(t, program(t, both, "doctor")); strings.Contains(x.stdout, "PROBLEM  journal") {
					t.Errorf("%v: %s", args, x.stdout)
				}
			}
		})
	}
}

// vise status reports that the copy of the history is not complete, and doctor --repair completes it.
func TestStatusSaysThatTheCopyIsNotWhole(t *testing.T) {
	t.Parallel()
	home, raw, at := grownHome(t, 30)
	live := filepath.Join(home, "journal", "live.vj")
	put(t, live, raw[:at[20]])
	if x := run(t, program(t, home, "status")); x.code != 0 || !strings.Contains(x.stdout, "not whole: it lacks revisions 21 to 30") {
		t.Errorf("exit %d\n%s%s", x.code, x.stdout, x.stderr)
	}
	clear(raw[at[9]:at[12]])
	put(t, live, raw)
	if x := run(t, program(t, home, "doctor")); x.code != 1 || !strings.Contains(x.stdout, "it lacks revisions 10 to 12") {
		t.Errorf("doctor: exit %d\n%s%s", x.code, x.stdout, x.stderr)
	}
	if x := run(t, program(t, home, "doctor", "--repair")); strings.Contains(x.stdout, "PROBLEM  journal") {
		t.Errorf("doctor --repair: exit %d\n%s%s", x.code, x.stdout, x.stderr)
	}
	// After a restart of the machine vise notices it by itself.
	put(t, live, raw)
	put(t, filepath.Join(home, "journal", "checked"), []byte("another start\n"))
	mustAsk(t, home, "list")
	if x := run(t, program(t, home, "doctor")); strings.Contains(x.stdout, "PROBLEM  journal") {
		t.Errorf("after a start: exit %d\n%s%s", x.code, x.stdout, x.stderr)
	}
}
