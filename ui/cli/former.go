package cli

import (
	"fmt"
	"slices"
	"strings"

	"vise/model"
)

// former are the commands that have another name since 0.1, by their former name. They run until 0.2. What people and programs have
// written down holds them: scripts, hooks, cron tables, keys of ssh, settings.
var former = map[string]string{
	"ack": "hide", "snooze": "hide", "comment": "review comment", "redo": "undo --redo", "unlink": "link --remove",
	"next": "why", "attach": "run", "notes": "context", "prime": "context prime", "resume": "thread where", "worktrees": "worktree list",
	"init": "admin init", "import": "admin import", "config": "admin config", "demo": "admin demo", "hosts": "admin hosts",
	"fleet": "admin fleet", "move": "admin move", "compact": "admin compact",
	"notify": "admin notify", "completion": "admin completion", "man": "admin man", "version": "admin version",
}

// unhinted are the former commands whose output a program usually reads: a shell, cron, an agent's hook, ssh.
var unhinted = []string{"completion", "notify", "prime", "version"}

// rename puts the present name of a command into the arguments. hint says so, if a person should know.
func (e *Env) rename() (hint string) {
	at, about := wordAt(e.args, 0), ""
	if at < len(e.args) && slices.Contains([]string{"help", "__complete", "__completeNoDesc"}, e.args[at]) {
		about = e.args[at]
		at = wordAt(e.args, at+1)
	}
	if at >= len(e.args) || former[e.args[at]] == "" {
		return ""
	}
	e.former = e.args[at]
	now := former[e.former]
	words := strings.Fields(now)
	if about == "help" { // a flag has no help of its own
		words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	}
	e.args = slices.Concat(e.args[:at], words, e.args[at+1:])
	isServer := e.former == "hosts" && slices.Contains(e.args, "serve")
	if asksJSON(e.args) || strings.HasPrefix(about, "__") || slices.Contains(unhinted, e.former) || isServer {
		return ""
	}
	return fmt.Sprintf("vise: %q is now %q; the old name goes with 0.2\n", model.Text(e.former), model.Text(now))
}

// wordAt returns the index of the first argument, from one on, that is neither a global flag nor a global flag's value.
func wordAt(args []string, from int) int {
	for ; from < len(args); from++ {
		if slices.Contains([]string{"--home", "--agent", "--actor"}, args[from]) {
			from++
		} else if !strings.HasPrefix(args[from], "-") {
			break
		}
	}
	return from
}
