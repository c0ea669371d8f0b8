package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/acp"
	"vise/ui/config"
	"vise/ui/transcript"
)

// Program is the configuration of one agent's program, with its defaults. Its command is started without a shell. A word that is exactly
// {context} is replaced by the context. Without such a word the context goes to standard input. The context is never part of a shell's
// command line.
type Program config.Agent

// The default limits of a turn.
const (
	defaultTimeout = config.Span(time.Hour)
	defaultRounds  = 200
	defaultOutput  = 256 << 20
	defaultLease   = config.Span(model.DefaultLease)
)

// ProgramForm shows how the configuration names a program.
const ProgramForm = "agents: {NAME: {program: claude}}, or {NAME: {command: [...], adapter: acp|rounds|text}}"

// Programs returns the programs of the configuration, or the error of one of them.
func Programs(agents map[string]config.Agent) (map[model.AgentID]Program, error) {
	out := map[model.AgentID]Program{}
	for _, name := range config.Names(agents) {
		if x := agents[name]; x.Program == "" && len(x.Command) == 0 && x.Shell == "" && x.Permissions != "" {
			continue // vise does not drive this agent
		}
		p, err := Program(agents[name]).Checked()
		if err != nil {
			return nil, model.Invalid("the configuration of agent %s does not read", model.Text(name)).Because(err).
				At("agents").WithHint(ProgramForm)
		}
		out[model.AgentID(name)] = p
	}
	return out, nil
}

// ProgramOf returns an agent's own program, else that of its template, else that of the agent that it was created to work for.
func ProgramOf(r model.Reader, all map[model.AgentID]Program, id model.AgentID) (p Program, ok bool) {
	for p, ok = all[id]; !ok && id != ""; p, ok = all[id] {
		a, _ := r.Agent(id)
		id = cmp.Or(a.Template, a.ParentAgentID)
	}
	return p, ok
}

// Checked returns the program with its defaults, or an error if its configuration is not valid.
func (p Program) Checked() (Program, error) {
	if known, ok := acp.Named(string(p.Program)); ok && len(p.Command) == 0 {
		p.Command = known.Here()
	} else if p.Program != "" && !ok {
		return p, fmt.Errorf("unknown program %q; vise knows %s", string(p.Program), acp.Names())
	}
	if (len(p.Command) == 0) == (p.Shell == "") {
		return p, errors.New("needs a program or a command, or a line for a shell, and not both")
	}
	if len(p.Command) > 0 && p.Command[0] == "" {
		return p, errors.New("the command names no program")
	}
	if p.Adapter == "" && slices.Contains(p.Command, placeholder) {
		p.Adapter = config.AdapterText // the protocol brings the context in another way
	}
	p.Adapter = cmp.Or(p.Adapter, config.AdapterACP)
	if p.Adapter != config.AdapterACP && adapters[p.Adapter] == nil {
		return p, fmt.Errorf("unknown adapter %q; the adapters are acp, rounds, text", string(p.Adapter))
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

// Spec is what is known of the program, with the command that starts it here.
func (p Program) Spec() acp.Program {
	known, ok := acp.Named(string(p.Program))
	if !ok {
		known = acp.Of(p.Command)
	}
	known.Command, _ = p.argv("")
	return known
}

// placeholder is the word of a command that is replaced by the context.
const placeholder = "{context}"

// argv returns the command with the context in its place, and whether there was a placeholder.
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

// harmless are the variables that every program gets. No secrets are kept in them.
var harmless = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ"}

// environment returns the environment of the program in a turn: harmless variables, allowed variables, and ours.
func (w *worker) environment(turn int) []string {
	return append(acp.Variables(slices.Concat(harmless, w.program.Env)), "VISE_HOME="+w.Home, "VISE_AGENT="+string(w.agent),
		"VISE_ACTOR="+string(model.AgentActor(w.agent)), fmt.Sprintf("VISE_TURN=%d", turn))
}

// said is one round of a program.
type said struct {
	model.Round
	// done holds references to the items that the program completed itself in this round.
	done []string
	// key is the command's key, if the same round can come again.
	key string
	// wrong says why the round could not be read. Its text is kept nevertheless.
	wrong error
}

// listener turns a program's output into rounds.
type listener interface {
	// line takes one line without its end and returns the rounds that it completes. An error means that the line was not understood; the
	// caller continues with the next one.
	line([]byte) ([]said, error)
	// end returns the remaining rounds after the output ended, and adds to the turn's ending what the output told of it.
	end(e *ending, now time.Time) []said
}

// adapters make the listener of each adapter. Rounds is vise's own protocol; see docs/rounds.md.
var adapters = map[config.Adapter]func() listener{
	config.AdapterRounds: func() listener { return &rounds{} },
	config.AdapterText:   func() listener { return &plain{} },
}

// saidOf makes rounds of what a program said whose tools vise's MCP server has already carried out. They hold only text and the items that
// they completed.
func saidOf(rounds []transcript.Round) []said {
	out := make([]said, len(rounds))
	for i, r := range rounds {
		out[i] = said{Round: model.Round{Text: r.Text, Provenance: r.Provenance, Tools: r.Others, Made: r.Ours}, done: r.Completed}
	}
	return out
}

// rounds reads vise's own protocol: one model.Round a line. The driver carries out its calls (docs/rounds.md).
type rounds struct {
	final model.Text
	used  model.Usage
}

func (r *rounds) line(raw []byte) ([]said, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, nil
	}
	if raw[0] != '{' || !json.Valid(raw) {
		return nil, model.Invalid("not a round").
			WithHint(`a round is {"text": "…", "calls": [{"tool": "…", "input": {…}}]} on one line`)
	}
	// The program may not set the source of its text, so this type has no field for it.
	var l struct {
		Text       model.Text   `json:"text"`
		Calls      []model.Call `json:"calls"`
		Tools      []model.Text `json:"tools"`
		WorkItemID model.ItemID `json:"work_item_id"`
		model.Usage
	}
	if err := model.DecodeStrict(raw, &l); err != nil {
		var text struct{ Text model.Text }
		_ = json.Unmarshal(raw, &text)                                                                // keeps the text
		return []said{{Round: model.Round{Text: transcript.Words(text.Text.Raw())}, wrong: err}}, nil // raw: kept, not shown
	}
	r.used = r.used.Plus(l.Usage)
	words := transcript.Words(l.Text.Raw()) // raw: kept, not shown
	r.final = words
	if slices.ContainsFunc(l.Calls, func(c model.Call) bool { _, ok := c.Command.(model.CompleteWorkItem); return ok }) {
		r.final = "" // they are the words of what it completes
	}
	return []said{{Round: model.Round{Text: words, Calls: l.Calls, Tools: l.Tools, WorkItemID: l.WorkItemID}}}, nil
}

func (r *rounds) end(e *ending, _ time.Time) []said {
	e.final, e.used = r.final, r.used
	return nil
}

// plain reads all output of a program as the text of one round without calls.
type plain struct{ text strings.Builder }

// maxPlain bounds the text that is kept, in bytes; a trace keeps far less.
const maxPlain = 1 << 20

func (p *plain) line(raw []byte) ([]said, error) {
	if p.text.Len()+len(raw) < maxPlain {
		p.text.Write(raw)
		p.text.WriteByte('\n')
	}
	return nil, nil
}

func (p *plain) end(e *ending, now time.Time) []said {
	words := p.text.String()
	e.limit = transcript.LimitIn(words, now)
	if e.final = transcript.Words(words); e.final == "" {
		return nil
	}
	return []said{{Round: model.Round{Text: e.final}}}
}
