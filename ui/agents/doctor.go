package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"vise/store/home"
)

// Check is one thing that Doctor looked at.
type Check struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Doctor says whether vise is in a program's settings, and which of its hooks were seen.
func Doctor(o Options, now time.Time) ([]Check, error) {
	o.DryRun, o.Uninstall = true, false
	found, err := Install(o)
	if err != nil {
		return nil, err
	}
	out := []Check{onPath(o)}
	for _, f := range found.Files {
		c := Check{Name: "settings", OK: !f.Changed, Message: f.Path + " has vise's entries"}
		if f.Changed {
			c.Message = f.Path + " does not have vise's entries as they should be"
			c.Hint = "vise install " + o.Program + " --dry-run shows what is missing"
		}
		out = append(out, c)
	}
	out = append(out, trusted(o)...)
	out = append(out, seen(o, now)...)
	out = append(out, Check{Name: "answers", OK: true, Message: programOf(o.Program).route(o.Version)})
	if waiting, refused := home.Queued(o.Home); waiting+refused > 0 {
		out = append(out, Check{Name: "spool", OK: refused == 0, Message: fmt.Sprintf("%d hooks wait in the spool, %d were refused", waiting, refused),
			Hint: "the next vise that opens the ledger takes them in; refused ones lie in " + filepath.Join(o.Home, "spool", "refused")})
	}
	return out, nil
}

func onPath(o Options) Check {
	if _, err := exec.LookPath(o.Vise); err != nil {
		return Check{Name: "program", Message: o.Vise + " is not found by other programs", Hint: "put vise on the PATH, then vise install " + o.Program}
	}
	return Check{Name: "program", OK: true, Message: o.Vise + " is found"}
}

// seen tells of the events that the program is expected to send, and of those that it sent.
func seen(o Options, now time.Time) []Check {
	p, all := programOf(o.Program), seenEvents(o.Home, o.Program)
	var out []Check
	for _, e := range p.expected {
		if !slices.ContainsFunc(all, func(s sighting) bool { return s.Event == e }) {
			out = append(out, Check{Name: "hook " + e, Message: e + " was never seen", Hint: p.hint})
		}
	}
	for _, s := range all {
		out = append(out, Check{Name: "hook " + s.Event, OK: true, Message: fmt.Sprintf("%s seen %d times, last %s ago", s.Event, s.Count, now.Sub(s.Last).Round(time.Second))})
	}
	return out
}

// trusted says which of vise's hooks a person has trusted in Codex, which runs no others. One
// that was seen needs no proof. Codex keeps a hash of each beside the hook's place; whether
// it is still right it alone knows, and asks again when it is not.
func trusted(o Options) []Check {
	if o.Program != "codex" {
		return nil
	}
	hooks, _ := os.ReadFile(o.dir("CODEX_HOME", ".codex", "hooks.json"))
	settings, _ := os.ReadFile(o.dir("CODEX_HOME", ".codex", "config.toml"))
	d, err := parseJSON(hooks)
	var missing []string
	for _, event := range codexEvents {
		if slices.ContainsFunc(seenEvents(o.Home, o.Program), func(s sighting) bool { return s.Event == event }) || err != nil {
			continue
		}
		i, _, _ := d.placeOf(o.hook(event, event, group{}))
		if i >= 0 && !strings.Contains(string(settings), fmt.Sprintf("hooks.json:%s:%d:0\"]", snake(event), i)) {
			missing = append(missing, event)
		}
	}
	if len(missing) == 0 {
		return []Check{{Name: "trust", OK: true, Message: "Codex was told to trust vise's hooks, or has run them"}}
	}
	return []Check{{Name: "trust", Message: "Codex was not told to trust " + strings.Join(missing, ", "), Hint: programOf(o.Program).hint}}
}

// snake is an event's name as Codex's settings spell it.
func snake(event string) string {
	return strings.ToLower(regexp.MustCompile(`\B[A-Z]`).ReplaceAllString(event, "_$0"))
}
