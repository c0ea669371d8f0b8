package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/config"
	"vise/ui/transcript"
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
func (p Program) environment(ours ...string) []string {
	var env []string
	for _, name := range slices.Concat(harmless, p.Env) {
		if strings.Contains(name, "=") {
			env = append(env, name)
		} else if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, ours...)
}

// Adapter names how a program talks.
type Adapter string

// The adapters. Rounds is our own; see docs/rounds.md.
const (
	adapterClaude Adapter = "claude"
	adapterCodex  Adapter = "codex"
	adapterRounds Adapter = "rounds"
	adapterText   Adapter = "text"
)

// said is a round as a program said it.
type said struct {
	model.Round
	// done are references to items that the program completed itself in this round.
	done []string
	// wrong is why the round could not be read; its text is kept all the same.
	wrong error
}

// listener makes rounds of a program's output.
type listener interface {
	// line takes one line without its end, and returns the rounds that it completes.
	// An error means that the line was not understood; listening goes on.
	line([]byte) ([]said, error)
	// end returns what is left when the output ended, the turn's final text, and what the
	// program itself says went wrong.
	end() (rest []said, final model.Text, failed string)
}

// adapters make the listener of each.
var adapters = map[Adapter]func() listener{
	adapterClaude: func() listener { return &stream{&transcript.Claude{}} },
	adapterCodex:  func() listener { return &stream{&transcript.Codex{}} },
	adapterRounds: func() listener { return &rounds{} },
	adapterText:   func() listener { return &plain{} },
}

// stream listens to a program whose tools were carried out by the MCP server already, so that
// a round only brings words, and the items that it completed.
type stream struct{ transcript.Stream }

func (s *stream) line(raw []byte) ([]said, error) {
	rounds, err := s.Line(raw)
	return saidOf(rounds), err
}

func (s *stream) end() ([]said, model.Text, string) {
	rest := saidOf(s.End())
	final, failed := s.Last()
	return rest, final, failed
}

func saidOf(rounds []transcript.Round) []said {
	out := make([]said, len(rounds))
	for i, r := range rounds {
		out[i] = said{Round: model.Round{Text: r.Text, Provenance: r.Provenance}, done: r.Completed}
	}
	return out
}

// rounds reads our own form: one model.Round a line, whose calls the driver carries out
// (docs/rounds.md).
type rounds struct{ final model.Text }

func (r *rounds) line(raw []byte) ([]said, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, nil
	}
	if raw[0] != '{' || !json.Valid(raw) {
		return nil, model.Refuse(model.CodeInvalid, "not a round").
			WithHint(`a round is {"text": "…", "calls": [{"tool": "…", "input": {…}}]} on one line`)
	}
	// Where its words come from is not the program's to say.
	var l struct {
		Text       model.Text   `json:"text"`
		Calls      []model.Call `json:"calls"`
		WorkItemID model.ItemID `json:"work_item_id"`
	}
	if err := model.DecodeStrict(raw, &l); err != nil {
		var text struct{ Text model.Text }
		_ = json.Unmarshal(raw, &text)                                                                // whatever else is wrong with it
		return []said{{Round: model.Round{Text: transcript.Words(text.Text.Raw())}, wrong: err}}, nil // raw: kept, not shown
	}
	r.final = transcript.Words(l.Text.Raw()) // raw: kept, not shown
	return []said{{Round: model.Round{Text: r.final, Calls: l.Calls, WorkItemID: l.WorkItemID}}}, nil
}

func (r *rounds) end() ([]said, model.Text, string) { return nil, r.final, "" }

// plain takes all that a program writes as the words of one round without calls.
type plain struct{ text strings.Builder }

// maxPlain bounds the words that are kept, in bytes; a trace keeps far less.
const maxPlain = 1 << 20

func (p *plain) line(raw []byte) ([]said, error) {
	if p.text.Len()+len(raw) < maxPlain {
		p.text.Write(raw)
		p.text.WriteByte('\n')
	}
	return nil, nil
}

func (p *plain) end() ([]said, model.Text, string) {
	text := transcript.Words(p.text.String())
	if text == "" {
		return nil, "", ""
	}
	return []said{{Round: model.Round{Text: text}}}, text, ""
}
