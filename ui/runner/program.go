package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/config"
	"vise/ui/transcript"
)

// Program is how one agent is run, with its defaults. Its command is started as it is; no shell reads
// it. A word that is exactly {context} is replaced by the context, which goes to standard input
// otherwise, and is never part of a line for a shell.
type Program config.Agent

// The defaults of a turn's limits.
const (
	defaultTimeout = config.Span(time.Hour)
	defaultRounds  = 200
	defaultOutput  = 256 << 20
	defaultLease   = config.Span(model.DefaultLease)
)

// ProgramForm is how the configuration names a program.
const ProgramForm = "agents: {NAME: {command: [...], adapter: claude|codex|gemini|opencode|rounds|text}}"

// Programs are the programs of the configuration, or what is wrong with one of them.
func Programs(agents map[string]config.Agent) (map[model.AgentID]Program, error) {
	out := map[model.AgentID]Program{}
	for _, name := range config.Names(agents) {
		if x := agents[name]; len(x.Command) == 0 && x.Shell == "" && x.Permissions != "" {
			continue // it is not driven
		}
		p, err := Program(agents[name]).Checked()
		if err != nil {
			return nil, model.Refuse(model.CodeInvalid, "the configuration of agent %s does not read", model.Text(name)).Because(err).
				At("agents").WithHint(ProgramForm)
		}
		out[model.AgentID(name)] = p
	}
	return out, nil
}

// ProgramOf is an agent's program: its own, else that of the agent that it was made to work for.
func ProgramOf(r model.Reader, all map[model.AgentID]Program, id model.AgentID) (p Program, ok bool) {
	for p, ok = all[id]; !ok && id != ""; p, ok = all[id] {
		a, _ := r.Agent(id)
		id = a.ParentAgentID
	}
	return p, ok
}

// Checked is the program with its defaults, or what is wrong with it.
func (p Program) Checked() (Program, error) {
	if (len(p.Command) == 0) == (p.Shell == "") {
		return p, errors.New("needs a command, or a line for a shell, and not both")
	}
	if len(p.Command) > 0 && p.Command[0] == "" {
		return p, errors.New("the command names no program")
	}
	p.Adapter = cmp.Or(p.Adapter, config.AdapterText)
	if adapters[p.Adapter] == nil {
		return p, fmt.Errorf("unknown adapter %q; the adapters are %s", string(p.Adapter), "claude, codex, gemini, opencode, rounds, text")
	}
	if p.Dir != "" && !filepath.IsAbs(p.Dir) {
		return p, errors.New("dir must be absolute")
	}
	t := &p.Turn
	if t.Timeout < 0 || t.Rounds < 0 || t.Output < 0 || t.Context < 0 || t.Lease < 0 {
		return p, errors.New("limits of a turn must not be negative")
	}
	t.Timeout, t.Rounds = cmp.Or(t.Timeout, defaultTimeout), cmp.Or(t.Rounds, defaultRounds)
	t.Output, t.Lease = cmp.Or(t.Output, defaultOutput), cmp.Or(t.Lease, defaultLease)
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
	// Used is what the program said that the turn has used.
	Used() model.Usage
	// Limit is until when the program says that its usage limit holds; zero where it says none.
	Limit(now time.Time) time.Time
}

// adapters make the listener of each. Rounds is our own; see docs/rounds.md.
var adapters = map[config.Adapter]func() listener{
	config.AdapterClaude:   func() listener { return &stream{&transcript.Claude{}} },
	config.AdapterCodex:    func() listener { return &stream{&transcript.Codex{}} },
	config.AdapterGemini:   func() listener { return &stream{&transcript.Gemini{}} },
	config.AdapterOpenCode: func() listener { return &stream{&transcript.OpenCodeStream{}} },
	config.AdapterRounds:   func() listener { return &rounds{} },
	config.AdapterText:     func() listener { return &plain{} },
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
		out[i] = said{Round: model.Round{Text: r.Text, Provenance: r.Provenance, Tools: r.Others}, done: r.Completed}
	}
	return out
}

// rounds reads our own form: one model.Round a line, whose calls the driver carries out
// (docs/rounds.md).
type rounds struct {
	final model.Text
	used  model.Usage
}

// Limit is part of listener.
func (r *rounds) Limit(time.Time) time.Time { return time.Time{} }

// Used is part of listener.
func (r *rounds) Used() model.Usage { return r.used }

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
		Tools      []model.Text `json:"tools"`
		WorkItemID model.ItemID `json:"work_item_id"`
		model.Usage
	}
	if err := model.DecodeStrict(raw, &l); err != nil {
		var text struct{ Text model.Text }
		_ = json.Unmarshal(raw, &text)                                                                // whatever else is wrong with it
		return []said{{Round: model.Round{Text: transcript.Words(text.Text.Raw())}, wrong: err}}, nil // raw: kept, not shown
	}
	r.used = r.used.Plus(l.Usage)
	r.final = transcript.Words(l.Text.Raw()) // raw: kept, not shown
	return []said{{Round: model.Round{Text: r.final, Calls: l.Calls, Tools: l.Tools, WorkItemID: l.WorkItemID}}}, nil
}

func (r *rounds) end() ([]said, model.Text, string) { return nil, r.final, "" }

// plain takes all that a program writes as the words of one round without calls.
type plain struct{ text strings.Builder }

// Limit is part of listener.
func (p *plain) Limit(now time.Time) time.Time { return transcript.LimitIn(p.text.String(), now) }

// Used is part of listener: words do not say it.
func (p *plain) Used() model.Usage { return model.Usage{} }

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
