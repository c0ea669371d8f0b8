package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/storetest"
)

// After any power cut, everything that verbs reported as done is there as they showed it, with plans and reports. The
// last command, repeated under its key, is reported as done (P1, P3).
func TestAPowerCutTakesNothingThatAVerbSaidIsDone(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	dir := filepath.Join(storetest.MemoryDir(t), "home")
	mustAsk(t, dir, "init", "--agent", "default")
	p := storetest.NewPower(dir)
	b := onMachine(t, dir, p.Machine())
	p.Begin()
	given := [][]string{}
	states := map[string]int{shownBy(b): 0}
	for i := range storetest.Amount(12, 30) {
		args := append(b.nextVerb(i), "--key", fmt.Sprint("k", i), "--json")
		x := b.run(args...)
		if x.code != 0 {
			t.Fatalf("vise %q: exit %d %s%s", args, x.code, x.stdout, x.stderr)
		}
		p.Acknowledged()
		if args[0] == "new" {
			b.ids["$last"] = idOf(t, x)
		}
		given = append(given, b.named(args))
		states[shownBy(b)] = len(given)
	}
	b.home.Close()
	wrong := func(dir string, acknowledged int) string {
		b := onMachine(t, dir, nil)
		defer b.home.Close()
		shown := shownBy(b)
		at, known := states[shown]
		switch {
		case !known:
			return "what is shown never was: " + shown
		case at < acknowledged:
			return fmt.Sprintf("%d of %d changes that were said to be done are there", at, acknowledged)
		case acknowledged == 0:
			return ""
		}
		if x := b.run(given[acknowledged-1]...); x.code != 0 || !strings.Contains(x.stdout, `"replayed"`) || shownBy(b) != shown {
			return fmt.Sprintf("again: exit %d %s%s", x.code, x.stdout, x.stderr)
		}
		return ""
	}
	p.Cuts(t, storetest.Amount(40, 10_000), false, wrong)
}

// onMachine is a home on a simulated machine on which verbs run.
func onMachine(t *testing.T, dir string, m *files.Machine) *savedBench {
	t.Helper()
	plans, err := files.NewHome(dir)
	if err != nil {
		t.Fatal(err)
	}
	plans = plans.On(m)
	l, err := store.Open(dir, store.Options{Machine: m, Plans: plans})
	if err != nil {
		t.Fatal(err)
	}
	return &savedBench{t: t, dir: filepath.Dir(dir), home: home.On(l, plans, home.Options{Dir: filepath.Dir(dir)}), ids: map[string]string{}}
}

// nextVerb returns the i-th of some verbs, which change the item that was made last.
func (b *savedBench) nextVerb(i int) []string {
	switch i % 6 {
	case 0:
		return []string{"new", fmt.Sprint("Item ", i), "--plan", strings.Repeat("plan ", 3000)}
	case 1:
		return []string{"update", "$last", "--objective", fmt.Sprint("Reworded ", i), "--todos", "- [ ] one"}
	case 2:
		return []string{"block", "$last", "ops"}
	case 3:
		return []string{"say", "default", "hello"}
	case 4:
		return []string{"unblock", "$last"}
	}
	report := filepath.Join(b.t.TempDir(), "report.txt")
	if err := os.WriteFile(report, []byte(strings.Repeat("report ", 12_000)), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return []string{"complete", "$last", "--report-file", report}
}

// named returns the arguments with the names of the items filled in.
func (b *savedBench) named(args []string) (out []string) {
	for _, w := range args {
		if id, ok := b.ids[w]; ok {
			w = id
		}
		out = append(out, w)
	}
	return out
}

// shownBy returns what verbs show of a home.
func shownBy(b *savedBench) string {
	list := b.run("list", "--limit", "100", "--todos", "--json")
	out := list.stdout + list.stderr + b.run("events", "--limit", "1000", "--json").stdout + b.run("inbox", "--json").stdout
	for _, m := range completedIn.FindAllStringSubmatch(list.stdout, -1) {
		x := b.run("report", m[1], "--json")
		out += x.stdout + x.stderr
	}
	out = strings.ReplaceAll(out, b.home.Dir(), "HOME")
	return varies.ReplaceAllString(out, "")
}

var (
	completedIn = regexp.MustCompile(`"id":"([^"]+)"[^{}]*"state":"completed"`)
	// varies matches what differs between two reads: the time of a plan's file.
	varies = regexp.MustCompile(`"updated_at":"[^"]*","preview"`)
)
