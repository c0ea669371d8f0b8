package runner

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/config"
)

// Program is how one agent is run.
type Program struct {
	// Command is started as it is; no shell reads it. A word that is exactly {context} is
	// replaced by the context, which goes to standard input otherwise.
	Command []string `yaml:"command"`
	// Shell is a line for /bin/sh, for those who ask for one. The context is never part of it.
	Shell   string  `yaml:"shell"`
	Adapter Adapter `yaml:"adapter"`
	Dir     string  `yaml:"dir"`
	// Env names variables that the program may see, or sets them as NAME=value.
	Env  []string `yaml:"env"`
	Turn Limits   `yaml:"turn"`
}

// Limits bound one turn. Zero is the default.
type Limits struct {
	Timeout time.Duration `yaml:"timeout"`
	Rounds  int           `yaml:"rounds"`
	// Output is how many bytes a program may write in a turn.
	Output int64 `yaml:"output"`
	// Context is how many tokens of context a turn begins with; messages come on top.
	Context int `yaml:"context"`
	// Lease is how long others wait for a driver that died.
	Lease time.Duration `yaml:"lease"`
}

// The defaults of Limits.
const (
	defaultTimeout = time.Hour
	defaultRounds  = 200
	defaultOutput  = 256 << 20
)

// Programs reads the agents of a configuration file. A file that is not there has none; an
// unknown field below agents is an error.
func LoadPrograms(path string) (map[model.AgentID]Program, error) {
	var agents map[model.AgentID]Program
	err := config.ReadPart(path, "agents", &agents)
	if err == nil {
		agents, err = checked(agents)
	}
	if err != nil {
		return nil, model.Refuse(model.CodeInvalid, "the configuration %s does not read", model.Text(path)).Because(err).
			WithHint("agents: {NAME: {command: [...], adapter: claude|codex|rounds|text}}")
	}
	return agents, nil
}

// checked are programs with their defaults, or what is wrong with one of them.
func checked(agents map[model.AgentID]Program) (map[model.AgentID]Program, error) {
	for _, id := range slices.Sorted(maps.Keys(agents)) {
		p, err := agents[id].Checked()
		if err == nil && !model.ValidID(string(id)) {
			err = errors.New("not a usable agent id")
		}
		if err != nil {
			return nil, fmt.Errorf("agent %s: %w", model.Text(id), err)
		}
		agents[id] = p
	}
	return agents, nil
}

// Checked is the program with its defaults, or what is wrong with it.
func (p Program) Checked() (Program, error) {
	if (len(p.Command) == 0) == (p.Shell == "") {
		return p, errors.New("needs a command, or a line for a shell, and not both")
	}
	if len(p.Command) > 0 && p.Command[0] == "" {
		return p, errors.New("the command names no program")
	}
	if p.Adapter == "" {
		p.Adapter = adapterText
	}
	if adapters[p.Adapter] == nil {
		return p, fmt.Errorf("unknown adapter %q; the adapters are %s", string(p.Adapter), "claude, codex, rounds, text")
	}
	if p.Dir != "" && !filepath.IsAbs(p.Dir) {
		return p, errors.New("dir must be absolute")
	}
	t := &p.Turn
	if t.Timeout < 0 || t.Rounds < 0 || t.Output < 0 || t.Context < 0 || t.Lease < 0 {
		return p, errors.New("limits of a turn must not be negative")
	}
	t.Timeout, t.Rounds = cmp.Or(t.Timeout, defaultTimeout), cmp.Or(t.Rounds, defaultRounds)
	t.Output, t.Lease = cmp.Or(t.Output, defaultOutput), cmp.Or(t.Lease, model.DefaultLease)
	return p, nil
}

// placeholder is the word of a command that the context takes the place of.
const placeholder = "{context}"

// argv is the command with the context in its place, and whether it had one.
func (p Program) argv(context string) (argv []string, placed bool) {
	if p.Shell != "" {
		return []string{"/bin/sh", "-c", p.Shell}, false
	}
	argv = slices.Clone(p.Command)
	for i, word := range argv {
		if word == placeholder {
			argv[i], placed = context, true
		}
	}
	return argv, placed
}

// harmless are the variables that every program sees. Secrets live in others.
var harmless = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ"}

// environment is what a program sees: what is harmless, what was allowed, and ours.
func (p Program) environment(lookup func(string) (string, bool), ours ...string) []string {
	var env []string
	for _, name := range slices.Concat(harmless, p.Env) {
		if strings.Contains(name, "=") {
			env = append(env, name)
		} else if v, ok := lookup(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, ours...)
}
