package agents

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Every program asks a person before it runs an unknown tool, and Codex before it runs a hook. The code in this file answers in the
// program's own settings, if a person agreed to that.

// notes are the notes for a person after an installation.
func (o Options) notes() (out []string) {
	p := programOf(o.Program)
	note := p.note
	if o.Project != "" {
		note = p.inProject
	}
	if note != "" && !o.Uninstall {
		out = append(out, note)
	}
	if p.asks != "" && !o.permitted && !o.Uninstall {
		out = append(out, p.asks+"; "+o.permitHint())
	}
	return out
}

func (o Options) permitHint() string {
	words := "vise install " + o.Program + " --permit"
	if o.Project != "" {
		words += " --project"
	}
	return words + " permits that"
}

// Asks says what a program will ask a person in its current setup; empty if it will ask nothing.
func Asks(o Options) string {
	if slices.ContainsFunc(permissions(o), func(c Check) bool { return !c.OK }) {
		return programOf(o.Program).asks
	}
	return ""
}

// element is a word in a list of settings. It is present only if vise's tools are permitted.
func (o Options) element(list, below, word string) entry {
	e := entry{at: []string{list, below}, value: word, when: toRemove, ours: func(v hujson.Value) bool {
		var s string
		return decode(v, &s) == nil && s == word
	}}
	if o.permitted {
		e.when = toAdd
	}
	return e
}

// says returns a function that finds a text in settings.
func says(word string) func([]byte) bool {
	return func(raw []byte) bool { return bytes.Contains(raw, []byte(word)) }
}

// setting reads the value at a path in settings.
func setting[T any](raw []byte, path ...string) (out T) {
	if d, err := parseJSON(raw); err == nil {
		if v := d.root.Find(pointer(path)); v != nil {
			_ = decode(*v, &out) // a value of another shape counts as missing
		}
	}
	return out
}

// lists returns a function that finds a word in a list of settings.
func lists(word string, path ...string) func([]byte) bool {
	return func(raw []byte) bool { return slices.Contains(setting[[]string](raw, path...), word) }
}

// geminiTrusts reports whether Gemini CLI runs vise's tools without asking.
func geminiTrusts(raw []byte) bool { return setting[bool](raw, "mcpServers", "vise", "trust") }

// codexApproves reports whether Codex runs vise's tools without asking.
func codexApproves(raw []byte) bool {
	m, err := readTOML(raw)
	return err == nil && valueAt(m, []string{"mcp_servers", "vise", "default_tools_approval_mode"}) == "approve"
}

// trust returns the tables of Codex's settings with which Codex trusts hooks at their places in a file. If the state is kept as it is, it
// keeps what a person set in Codex.
func (o Options) trust(path string, hooks []entry) (tables []tomlTable) {
	_, raw, _ := readSettings(path) // planning its change reports the error
	d, err := parseJSON(raw)
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && o.Getenv("CODEX_HOME") != "" {
		path = filepath.Join(real, filepath.Base(path)) // Codex names the file by this path
	}
	for _, h := range hooks {
		i, n, _ := d.placeOf(h)
		t := tomlTable{when: toKeep}
		switch {
		case i < 0 && o.Uninstall:
			continue
		case i < 0:
			i = n
		}
		switch {
		case o.Permit != nil && *o.Permit:
			t.when = toAdd
		case o.Permit != nil:
			t.when = toRemove
		}
		event := snake(h.at[len(h.at)-1])
		t.path = []string{"hooks", "state", fmt.Sprintf("%s:%s:%d:0", path, event, i)}
		t.lines = fmt.Sprintf("trusted_hash = %q\n", codexHash(event, h.value.(group)))
		tables = append(tables, t)
	}
	return tables
}

// codexHash returns the hash by which Codex recognises a trusted hook, as of version 0.169.0: the hash of the hook's settings with all
// defaults, in JSON with sorted names.
func codexHash(event string, g group) string {
	c := g.Hooks[0]
	return fmt.Sprintf("sha256:%x", sha256.Sum256(spell(map[string]any{"event_name": event, "hooks": []any{
		map[string]any{"async": c.Async, "command": c.Command, "timeout": c.Timeout, "type": c.Type}}}, "", "")))
}

// permissions checks what a program would ask a person about: vise's tools, and in Codex its hooks.
func permissions(o Options) []Check {
	p := programOf(o.Program)
	o.nameAgent()
	list, err := o.settings()
	if err != nil || p.permitted == nil {
		return nil
	}
	o.asItIs(list)
	out := []Check{fine("permission", "%s runs vise's tools without asking", p.name)}
	if !o.permitted {
		out[0] = Check{Name: "permission", Message: p.asks, Hint: o.permitHint(), NotYet: true}
	}
	if o.Program == "codex" && o.Project == "" {
		out = append(out, o.trusted())
	}
	return out
}

// trusted reports which of vise's hooks a person has trusted in Codex, which runs no other hooks. Codex stores a hash under each hook's
// place; it must match the current hook.
func (o Options) trusted() Check {
	o.Permit = new(true)
	raw, _ := os.ReadFile(o.codexFile("config.toml"))
	m, err := readTOML(raw)
	if err != nil {
		return Check{Name: "trust", Message: err.Error(), Hint: "repair " + o.codexFile("config.toml")}
	}
	var missing, other []string
	for _, t := range o.trust(o.codexFile("hooks.json"), o.codexHooks()) {
		wanted, _ := readTOML([]byte(t.lines)) // our own lines always parse
		is, _ := valueAt(m, t.path).(map[string]any)
		event, _, _ := strings.Cut(t.path[2][strings.LastIndex(t.path[2], ".json:")+len(".json:"):], ":")
		switch {
		case is["trusted_hash"] == nil:
			missing = append(missing, event)
		case is["trusted_hash"] != wanted["trusted_hash"]:
			other = append(other, event)
		}
	}
	switch {
	case len(missing) > 0:
		return Check{Name: "trust", Message: "Codex was not told to trust " + strings.Join(missing, ", "), Hint: programOf(o.Program).hint,
			NotYet: len(seenEvents(o.Home, o.Program)) == 0}
	case len(other) > 0:
		return Check{Name: "trust", Message: "Codex trusts an older form of " + strings.Join(other, ", "), Hint: programOf(o.Program).hint}
	}
	return fine("trust", "Codex was told to trust vise's hooks as they are")
}

// snake spells an event's name as Codex's settings do.
func snake(event string) string {
	return strings.ToLower(regexp.MustCompile(`\B[A-Z]`).ReplaceAllString(event, "_$0"))
}
