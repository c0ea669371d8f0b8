package agents

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"vise/store/home"
)

// restHours is how long a session that rests is waited for.
var restHours = fmt.Sprint(int(RestLimit.Hours()))

// routes say how an answer or a message reaches a program, and where nothing can wake it; for
// Claude Code and Codex the version decides that.
var routes = map[string]string{
	"claude": "reach a session between two tools, at the end of its turn and with the next prompt or session; ",
	"codex": "reach a session with vise's own answers and, once its hooks are trusted, between two tools, at the end of its turn and " +
		"with the next prompt; ",
	"opencode": "reach a session with vise's own answers, with those of any other tool and with its next prompt; one that comes to rest, or rests, is prompted, for " + restHours + " hours after its turn",
	"crush":    "reach a session with vise's own answers and with those of any other tool; one that rests is not woken: it hears at its next tool",
}

func (o Options) route() string {
	if _, ok := wakesFrom[o.Program]; ok {
		return routes[o.Program] + o.wakesTold()
	}
	return routes[o.Program]
}

// Check is one thing that Doctor looked at.
type Check struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// expected are the events that a program in use has sent at some time.
var expected = map[string][]string{
	"claude":   {"SessionStart", "PostToolUse", "Stop"},
	"codex":    {"SessionStart", "PostToolUse", "Stop"},
	"crush":    {"PreToolUse"},
	"opencode": {"chat.message", "session.idle"},
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
	out = append(out, o.trusted()...)
	out = append(out, seen(o, now)...)
	out = append(out, Check{Name: "answers", OK: true, Message: o.route()})
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

func seen(o Options, now time.Time) []Check {
	var out []Check
	have := map[string]Sighting{}
	for _, s := range Seen(o.Home, o.Program) {
		have[s.Event] = s
	}
	for _, e := range expected[o.Program] {
		s, ok := have[e]
		c := Check{Name: "hook " + e, OK: ok, Message: fmt.Sprintf("%s was never seen", e), Hint: hintFor(o.Program)}
		if ok {
			c.Message, c.Hint = fmt.Sprintf("%s seen %d times, last %s ago", e, s.Count, now.Sub(s.Last).Round(time.Second)), ""
		}
		out = append(out, c)
		delete(have, e)
	}
	for _, s := range Seen(o.Home, o.Program) {
		if _, rest := have[s.Event]; rest {
			out = append(out, Check{Name: "hook " + s.Event, OK: true, Message: fmt.Sprintf("%s seen %d times, last %s ago", s.Event, s.Count, now.Sub(s.Last).Round(time.Second))})
		}
	}
	return out
}

func hintFor(program string) string {
	if program == "codex" {
		return "Codex asks at its next start: review the hooks and trust all, or open /hooks and press t; hooks that are not trusted are skipped without a word"
	}
	if program == "crush" {
		return "have crush use a tool once; then look again"
	}
	return "run " + program + " once and end a turn; then look again"
}
