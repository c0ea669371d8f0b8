package action

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/keys.md anew")

func TestThePageOfKeysIsTheTable(t *testing.T) {
	const path = "../../docs/keys.md"
	want := page()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/keys.md is not what the table says: go test ./ui/action -update")
	}
}

// The hint line has space for the most frequent acts, and each of its words is short.
func TestAHintIsAWordOfAnActionWithAKey(t *testing.T) {
	for _, a := range Standard() {
		if a.Hint != "" && (len(a.Hint) > 12 || a.In != Desk) {
			t.Errorf("%s has the hint %q", a.ID, a.Hint)
		}
	}
}

// mostRows is how many rows the page may have.
const mostRows = 90

func TestThePageOfKeysIsShort(t *testing.T) {
	rows := strings.Count(page(), "\n| `") + strings.Count(page(), "\n|  |")
	if want := len(Standard()); rows != want || rows > mostRows {
		t.Errorf("the page has %d rows for %d actions; at most %d", rows, want, mostRows)
	}
}

// page is docs/keys.md: the table for people, with the standard keys.
func page() string {
	var b strings.Builder
	b.WriteString(`# Keys

<!-- Made from the table in ui/action; go test ./ui/action -update writes it anew. -->

Every action of the console, from the one table that keys, hints, help (?) and palette (:) are read from. The core is what one
learns; everything else is found with :, by typing. What has no key stands there alone.

A letter means the same in every part of the console, or nothing: a dialog, triage, the checklist and the tab Changes use the
letters of this table, their last line names them, and a choice is made by its digit or its letter. Where text is typed, only
keys with names (enter, esc, tab, …) and ctrl+ keys are heard. ctrl+c, ctrl+z and ctrl+l are heard everywhere. A key of another
keyboard layout counts as the one at its place.

In config.yaml, keys: {ID: [KEY, …]} gives an action other keys; two actions cannot share one.
`)
	t := Standard()
	heading := func(name string) {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | action | id | on the command line |\n|---|---|---|---|\n", name)
	}
	row := func(a Action) {
		verb := ""
		if a.Verb != "" {
			verb = "`vise " + a.Verb + "`"
		}
		fmt.Fprintf(&b, "| %s | %s: %s | `%s` | %s |\n", keyCells(a), escaped(strings.TrimSuffix(a.Title, "…")), escaped(t.Keyed(a.Does)), a.ID, escaped(verb))
	}
	heading("The core")
	for _, id := range Core {
		row(t.ByID(id))
	}
	var groups []group
	for _, a := range t {
		if !slices.Contains(groups, a.Group) {
			groups = append(groups, a.Group)
		}
	}
	for _, g := range groups {
		heading(sentenceCase(string(g)))
		for _, a := range t {
			if a.Group == g && !slices.Contains(Core, a.ID) {
				row(a)
			}
		}
	}
	return b.String()
}

// keyCells returns an action's keys as they are written.
func keyCells(a Action) string {
	var keys []string
	for _, k := range a.Keys {
		if !strings.HasPrefix(k, "alt+") { // what terminals send for esc and shift+tab, not for people
			keys = append(keys, "`"+k+"`")
		}
	}
	return escaped(strings.Join(keys, " "))
}

func escaped(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func sentenceCase(s string) string { return s[:1] + strings.ToLower(s[1:]) }
