package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// codexEvents are the events that vise asks every Codex for.
var codexEvents = []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"}

// trusted says which of vise's hooks a person has trusted in Codex, which runs no others. One
// that was seen needs no proof. Codex keeps a hash of each beside the hook's place; whether
// it is still right it alone knows, and asks again when it is not.
func (o Options) trusted() []Check {
	if o.Program != "codex" {
		return nil
	}
	dir := o.dir("CODEX_HOME", ".codex")
	hooks, _ := os.ReadFile(filepath.Join(dir, "hooks.json"))
	settings, _ := os.ReadFile(filepath.Join(dir, "config.toml"))
	seen := Seen(o.Home, o.Program)
	var missing []string
	for _, event := range codexEvents {
		i := o.placeOf(hooks, event)
		known := i < 0 || slices.ContainsFunc(seen, func(s Sighting) bool { return s.Event == event })
		if !known && !strings.Contains(string(settings), fmt.Sprintf("hooks.json:%s:%d:0\"]", snake(event), i)) {
			missing = append(missing, event)
		}
	}
	if len(missing) == 0 {
		return []Check{{Name: "trust", OK: true, Message: "Codex was told to trust vise's hooks, or has run them"}}
	}
	return []Check{{Name: "trust", Message: "Codex was not told to trust " + strings.Join(missing, ", "), Hint: hintFor(o.Program)}}
}

// placeOf is which of an event's groups is ours; -1: none is.
func (o Options) placeOf(raw []byte, event string) int {
	d, err := parseJSON(raw)
	if err != nil {
		return -1
	}
	hooks := d.find("hooks")
	if hooks == nil {
		return -1
	}
	list := member(hooks, event)
	if list == nil {
		return -1
	}
	a, ok := list.Value.(*hujson.Array)
	if !ok {
		return -1
	}
	return slices.IndexFunc(a.Elements, func(v hujson.Value) bool { return o.ours(groupOf(v)) })
}

// snake is an event's name as Codex's settings spell it.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}
