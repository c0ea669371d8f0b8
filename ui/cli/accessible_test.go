package cli

import (
	"slices"
	"strings"
	"testing"

	"vise/ui/accessible"
)

// A session of the console of lines changes the ledger as the verbs do that it runs: a text that looks like a flag, one of several lines,
// a report, and a todo of the checklist.
func TestASessionOfLinesRunsTheVerbs(t *testing.T) {
	t.Parallel()
	home, open, _ := newHome(t)
	other := idOf(t, mustAsk(t, home, "new", "Other"))
	mustAsk(t, home, "wait", open, "--operator", "LRU or LFU?", "--choice", "LRU", "--choice", "LFU")
	c := program(t, home, "--accessible", "--agent", "default")
	c.Stdin = strings.NewReader(strings.Join([]string{
		"1", "1", "answer", "2", "", "edit todos", "1 completed", "b", // what needs the operator
		"desk", "other", "block", "--ops have it", "", "edit objective", "Another", "complete", "report-file", "All of it.\nIt works.", ".", "", "yes",
		"b", "b", "message", "Thanks.", ".", "priority", "interject", "", "q",
	}, "\n") + "\n")
	x := run(t, c)
	for _, want := range []string{"which asked: LRU or LFU?", "blocked wi-", "--ops have it", "completed wi-", "queued for default", "Bye."} {
		if !strings.Contains(x.stdout, want) {
			t.Errorf("%q is not said; exit %d\n%s%s", want, x.code, x.stdout, x.stderr)
		}
	}
	shown := mustAsk(t, home, "show", open).stdout + mustAsk(t, home, "show", other).stdout
	for _, want := range []string{`"text":"LFU"`, `"state":"completed"`, `"objective":"Another"`, `All of it.\nIt works.`} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s is not in the ledger:\n%s", want, shown)
		}
	}
}

// What the console of lines asks for follows from the usage and the flags of a verb.
func TestTheFormOfAVerbIsItsUsage(t *testing.T) {
	t.Parallel()
	e := &Env{Context: t.Context(), getenv: func(string) string { return "" }, dir: t.TempDir()}
	field := func(verb, name string) (x accessible.Field) {
		t.Helper()
		f := e.form(verb).Fields
		i := slices.IndexFunc(f, func(x accessible.Field) bool { return x.Name == name })
		if i < 0 {
			t.Fatalf("%s has no %s: %v", verb, name, f)
		}
		return f[i]
	}
	if x := field("block", "TEXT"); x.Flag || !x.Needed || x.Text || x.Many {
		t.Errorf("got %+v", x)
	}
	if x := field("answer", "TEXT"); !x.Needed || !x.Text || x.Many {
		t.Errorf("got %+v", x)
	}
	if x := field("todo triage", "ID"); x.Needed || x.Text || !x.Many {
		t.Errorf("got %+v", x)
	}
	if x := field("wait", "choice"); !x.Flag || x.Switch || !x.Many {
		t.Errorf("got %+v", x)
	}
	if x := field("complete", "report-file"); !x.Flag || !x.Text || x.Help != "the completion report" {
		t.Errorf("got %+v", x)
	}
	if x := field("thread resume", "rebind"); !x.Flag || !x.Switch {
		t.Errorf("got %+v", x)
	}
	field("thread resume", "repo") // of all verbs of its group
	if got := field("permit", "once|always|deny").Values(); !slices.Equal(got, []string{"once", "always", "deny"}) {
		t.Errorf("got %q", got)
	}
	if got := field("update", "plan-status").Values(); !slices.Equal(got, []string{"draft", "ready", "needs_input"}) {
		t.Errorf("got %q", got)
	}
	for _, x := range e.form("new").Fields {
		if slices.Contains([]string{"key", "help", "home", "json", "agent"}, x.Name) {
			t.Errorf("new asks for %s", x.Name)
		}
	}
	if f := e.form("complete"); !f.Revision || f.Verbs != nil || !slices.Contains(e.form("todo").Verbs, "triage") {
		t.Errorf("got %+v", f)
	}
}
