package action

import (
	"fmt"
	"strings"
)

// Page is docs/keys.md: the table for people, as it is without anybody's wishes.
func Page() string {
	var b strings.Builder
	b.WriteString(`# Keys

<!-- Made from the table in ui/action; go test ./ui/action -update writes it anew. -->

Every action of the console, from the one table that keys, hints, help (?) and palette (:) are read from. In
config.yaml, keys: {ID: [KEY, …]} gives an action other keys; two actions of one context cannot share one.
ctrl+c, ctrl+z and ctrl+l are heard everywhere. A key of another keyboard layout counts as the one at its place.
`)
	group := Group("")
	t := Standard()
	for _, a := range t {
		if a.Group != group {
			group = a.Group
			fmt.Fprintf(&b, "\n## %s\n\n| keys | action | id | on the command line |\n|---|---|---|---|\n", sentenceCase(string(group)))
		}
		verb := ""
		if a.Verb != "" {
			verb = "`vise " + a.Verb + "`"
		}
		fmt.Fprintf(&b, "| %s | %s: %s | `%s` | %s |\n", keyCells(t, a), escaped(strings.TrimSuffix(a.Title, "…")), escaped(a.Does), a.ID, escaped(verb))
	}
	return b.String()
}

// keyCells are an action's keys as they are written; those behind the copy key with it.
func keyCells(t Catalogue, a Action) string {
	var keys []string
	for _, k := range a.Keys {
		if strings.HasPrefix(k, "alt+") {
			continue // what terminals make of esc and shift+tab, not for people
		}
		k = "`" + k + "`"
		if a.In == Copy {
			k = "`" + t.KeyOf(CopyOf) + "` " + k
		}
		keys = append(keys, k)
	}
	return escaped(strings.Join(keys, " "))
}

func escaped(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func sentenceCase(s string) string { return s[:1] + strings.ToLower(s[1:]) }
