package action

import (
	"flag"
	"fmt"
	"os"
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
		if a.Hint != "" && (len(a.Hint) > 12 || a.In != Desk && a.In != Files && a.In != Diff) {
			t.Errorf("%s has the hint %q", a.ID, a.Hint)
		}
	}
}

// page is docs/keys.md: the table for people, with the standard keys.
func page() string {
	var b strings.Builder
	b.WriteString(`# Keys

<!-- Made from the table in ui/action; go test ./ui/action -update writes it anew. -->

Every action of the console, from the one table that keys, hints, help (?) and palette (:) are read from. What has no key
stands behind :, where typing finds it. In config.yaml, keys: {ID: [KEY, …]} gives an action other keys; two actions of one
context cannot share one.
ctrl+c, ctrl+z and ctrl+l are heard everywhere. A key of another keyboard layout counts as the one at its place.
`)
	t := Standard()
	b.WriteString("\n## Those that everybody learns\n\n| keys | action |\n|---|---|\n")
	for _, ids := range Everyday {
		var keys, does []string
		for _, id := range ids {
			a := t.ByID(id)
			keys, does = append(keys, keyCells(t, a)), append(does, strings.TrimSuffix(a.Title, "…")+": "+t.Keyed(a.Does))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(keys, " "), escaped(strings.Join(does, "; ")))
	}
	group := group("")
	for _, a := range t {
		if a.Group != group {
			group = a.Group
			fmt.Fprintf(&b, "\n## %s\n\n| keys | action | id | on the command line |\n|---|---|---|---|\n", sentenceCase(string(group)))
		}
		verb := ""
		if a.Verb != "" {
			verb = "`vise " + a.Verb + "`"
		}
		fmt.Fprintf(&b, "| %s | %s: %s | `%s` | %s |\n", keyCells(t, a), escaped(strings.TrimSuffix(a.Title, "…")), escaped(t.Keyed(a.Does)), a.ID, escaped(verb))
	}
	return b.String()
}

// keyCells returns an action's keys as they are written; those of a copy also with the copy key.
func keyCells(t Catalogue, a Action) string {
	var keys []string
	for _, k := range a.Keys {
		if strings.HasPrefix(k, "alt+") {
			continue // what terminals send for esc and shift+tab, not for people
		}
		k = "`" + k + "`"
		if leader := t.Leader(a.In); leader != "" {
			k = "`" + leader + "` " + k
		}
		keys = append(keys, k)
	}
	return escaped(strings.Join(keys, " "))
}

func escaped(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func sentenceCase(s string) string { return s[:1] + strings.ToLower(s[1:]) }
