package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/agents"
	"vise/ui/runner"
)

// withoutFlags returns a usage without the flags in brackets.
func withoutFlags(use string) string {
	before, flag, found := strings.Cut(use, "[--")
	if !found {
		return use
	}
	_, after, _ := strings.Cut(flag, "]")
	return before + withoutFlags(after)
}

// arguments returns the names of the arguments in a usage such as "block ID TEXT", how many are required and how many are allowed. [NAME]
// is optional; NAME… and [NAME]… take any number. A word after a flag is not an argument.
func arguments(use string) (names []string, needed, most int) {
	for _, name := range strings.Fields(withoutFlags(use))[1:] {
		if name == "--" {
			continue
		}
		if strings.HasPrefix(name, "--") || strings.HasPrefix(name, "(--") {
			break
		}
		word, _, _ := strings.Cut(strings.Trim(name, "[]…"), "[") // FILE[:LINE] counts as FILE
		names = append(names, word)
		if !strings.HasPrefix(name, "[") {
			needed++
		}
		if most++; strings.HasSuffix(strings.TrimSuffix(name, "]"), "…") {
			most = math.MaxInt
		}
	}
	return names, needed, most
}

// usageArgs checks that a command gets the arguments that its usage names.
func usageArgs(use string) cobra.PositionalArgs {
	names, needed, most := arguments(use)
	return func(c *cobra.Command, args []string) error {
		switch {
		case takesNone(c):
			if len(args) > 0 {
				return noSuchVerb(c, args)
			}
		case len(args) < needed:
			return misuse(strings.ToLower(names[len(args)]), "%s is missing", names[len(args)]).WithHint("%s", usage(c))
		case len(args) > most && !strings.Contains(use, "[-- "):
			return misuse("arguments", "%q is one argument too many", args[most]).
				WithHint("%s; words with spaces need quotes", usage(c))
		}
		return nil
	}
}

func usage(c *cobra.Command) string { return "usage: " + usageLine(c) }

// maxInput is the most that vise reads from a file or from standard input, in bytes.
const maxInput = 8 << 20

// content reads a flag's value: - means standard input, @NAME means a file, and any other value is the text itself.
func content(e *Env, field, value string) (string, error) {
	name, isFile := strings.CutPrefix(value, "@")
	if !isFile && value != "-" {
		return value, nil
	}
	return fileOrStdin(e, field, name)
}

// fileOrStdin reads a file, or standard input if its name is -.
func fileOrStdin(e *Env, field, name string) (string, error) {
	if name == "-" && e.ttyIn {
		fmt.Fprintf(e.err, "vise: reading %s until ctrl+d\n", field)
	}
	raw, err := runner.UnlessEnded(e, func() ([]byte, error) {
		in, what := e.in, "standard input"
		if name != "-" {
			f, err := os.Open(absolute(e.dir, name))
			if err != nil {
				return nil, misuse(field, "%v", err).WithHint("name a file that can be read, or - for standard input")
			}
			defer f.Close()
			in, what = f, name
		}
		raw, err := io.ReadAll(io.LimitReader(in, maxInput+1))
		switch {
		case err != nil:
			return nil, misuse(field, "read %s: %v", what, err)
		case len(raw) > maxInput:
			return nil, misuse(field, "%s has more than %d bytes", what, maxInput).WithHint("give less")
		}
		return raw, nil
	})
	return string(raw), err
}

// yes reads the answer to a question: y or yes, or something else.
func yes(e *Env) (bool, error) {
	said, err := runner.UnlessEnded(e, func() (said string, err error) {
		_, err = fmt.Fscanln(e.in, &said) // it leaves the next line
		return said, err
	})
	if e.Err() != nil {
		return false, err
	}
	said = strings.ToLower(said)
	return err == nil && (said == "y" || said == "yes"), nil // the end of the input is a no
}

// first returns the first argument, or "".
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// answer is what a command returns. nil is an answer without data and text.
type answer = *reply

// reply is the result of a command, for machines and for people.
type reply struct {
	// data is the data of the JSON envelope. If data is nil, the command has written its output itself.
	data     any
	warnings []model.Warning
	// text writes the same for people, and lines follow it. Without both, nothing is written.
	text  func(*page)
	lines []string
	// conditions means that text itself shows the home's conditions.
	conditions bool
	// exit is the exit code of a command that has an answer: doctor found something.
	exit int
}

// answered is an answer with a text for people.
func answered(data any, text func(*page)) answer { return &reply{data: data, text: text} }

// answerOf is an answer that show writes for people.
func answerOf[T any](data T, show func(*page, T)) answer {
	return answered(data, func(p *page) { show(p, data) })
}

// oneLine is an answer of one line for people.
func oneLine(data any, format string, args ...any) answer {
	return answered(data, func(p *page) { p.say(format, args...) })
}

// say adds a line to what people see.
func (a answer) say(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
}

// exits is a with another exit code.
func (a answer) exits(code int) answer {
	a.exit = code
	return a
}

// warned is a with warnings.
func (a answer) warned(list []model.Warning) answer {
	a.warnings = list
	return a
}

// wholeText is an answer that is one text for people.
func wholeText(data any, text string) answer {
	return answered(data, func(p *page) { p.b.WriteString(text) })
}

// receiptAnswer returns a receipt, with one line for people.
func receiptAnswer(in model.Receipt, format string, args ...any) answer {
	return oneLine(in, format, args...).warned(in.Warnings)
}

// warningsOf returns sentences as warnings of one kind.
func warningsOf[S ~string](kind model.WarningKind, list []S) []model.Warning {
	var out []model.Warning
	for _, s := range list {
		out = append(out, model.Warning{Kind: kind, Message: safe(s)})
	}
	return out
}

// listed is a list that is never null in JSON.
func listed[T any](list []T) []T { return append([]T{}, list...) }

const schemaPrefix = "vise.v1."

type envelope struct {
	Schema   string          `json:"schema"`
	Data     any             `json:"data"`
	Warnings []model.Warning `json:"warnings"`
}

type errorEnvelope struct {
	Schema string       `json:"schema"`
	Error  *model.Error `json:"error"`
}

// writeJSON writes one line of JSON that cannot control a terminal.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("spell the answer as JSON: %w", err)
	}
	_, err := w.Write(harmless(b.Bytes()))
	return err
}

// harmless escapes the characters that a terminal obeys or does not show: DEL, C1, bidirectional and hidden characters. In JSON they can
// occur only inside strings, where \u has the same meaning.
func harmless(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for _, r := range string(raw) {
		if r < 0x7f || !model.Text(string(r)).Hidden() {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// globals are the flags of every command.
type globals struct {
	home, agent, actor    string
	json, strict, noColor bool
	// accessible asks for the console of lines, version for the version. Both are flags of vise without a command.
	accessible, version bool
}

func (g *globals) register(root *cobra.Command) {
	flags{
		{"home", &g.home, "the home to work in (VISE_HOME; default: vise in the user's data directory)"},
		{"agent", &g.agent, "the agent to act for or look at (VISE_AGENT; default: the only one, else the one named default)"},
		{"actor", &g.actor, "who acts: operator, agent:NAME, external:NAME or unknown (VISE_ACTOR; default: operator on a " +
			"terminal, else unknown; operator is you, and alone may --force)"},
		{"json", &g.json, "answer in JSON"},
		{"strict", &g.strict, "exit 6 when there are warnings"},
		{"no-color", &g.noColor, "no colours (NO_COLOR)"},
	}.add(root.PersistentFlags())
	flags{
		{"accessible", &g.accessible, "a console of lines and numbered menus, for screen readers (ACCESSIBLE)"},
		{"version", &g.version, "show the version of vise"},
	}.add(root.Flags())
}

// identify reads the actor and its agent.
func (e *Env) identify() error {
	if err := e.readActor(); err != nil {
		return err
	}
	return usableAgent(e)
}

// readActor reads the actor and the named agent. An actor that is an agent acts for itself.
func (e *Env) readActor() error {
	unnamed := model.Unknown
	if e.ttyIn || e.ttyOut {
		unnamed = model.Operator
	}
	e.actor = model.Actor(cmp.Or(e.flags.actor, e.getenv("VISE_ACTOR"), string(unnamed)))
	own, _ := e.actor.Agent()
	e.agent = model.AgentID(cmp.Or(e.flags.agent, e.getenv("VISE_AGENT"), string(own)))
	kind, name, has := strings.Cut(string(e.actor), ":")
	if e.actor != model.Operator && e.actor != model.Unknown && (!has || kind != "agent" && kind != "external" || !model.ValidID(name)) {
		return misuse("actor", "unknown actor %q", e.actor).
			WithHint("use operator, agent:NAME, external:NAME or unknown; a name is 1 to 64 of a-z, 0-9, - and _")
	}
	return nil
}

// usableAgent refuses a name that is not valid for an agent.
func usableAgent(e *Env) error {
	if host := model.HostOf(e.agent); host != "" {
		return misuse("agent", "agent %q is of the host %s", e.agent, host).
			WithHint("commands use the home that is here: run vise on that host, or use the console")
	}
	if e.agent != "" && !model.ValidID(string(e.agent)) {
		return misuse("agent", "agent %q is not usable", e.agent).
			WithHint("use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")
	}
	return nil
}

// defaultAgent is the first agent of a home if nobody named one.
const defaultAgent model.AgentID = "default"

// firstAgent returns the agent of a home without agents if the operator named none: the one that an agents' program works as.
func firstAgent(e *Env) model.AgentID {
	if names := agents.Working(e.getenv); len(names) > 0 {
		return model.AgentID(names[0])
	}
	return defaultAgent
}

// someAgents is the most agents that a hint names.
const someAgents = 8

// agentOf returns the agent for a command that names no item: the named agent, else the only agent, else the agent called default.
func agentOf(e *Env, r model.Reader) (model.AgentID, error) {
	if e.agent != "" {
		return e.agent, usableAgent(e)
	}
	all := r.Agents("", someAgents)
	switch len(all) {
	case 0:
		return firstAgent(e), nil
	case 1:
		return all[0].ID, nil
	}
	if _, ok := r.Agent(defaultAgent); ok {
		return defaultAgent, nil
	}
	names := make([]string, len(all))
	for i, x := range all {
		names[i] = string(x.ID)
	}
	return "", misuse("agent", "there are several agents").WithHint("name one: --agent %s", strings.Join(names, ", --agent "))
}

// knownIfNamed refuses a named agent that is not in the home.
func knownIfNamed(e *Env, r model.Reader) error {
	if e.agent == "" {
		return nil
	}
	_, err := knownAgent(e, r)
	return err
}

// knownAgent is agentOf for commands that only read: an unknown agent is an error.
func knownAgent(e *Env, r model.Reader) (model.AgentID, error) {
	id, err := agentOf(e, r)
	if err != nil {
		return "", err
	}
	if _, ok := r.Agent(id); !ok {
		return "", notFound("unknown agent %s", id).At("agent", "list them: vise agents")
	}
	return id, nil
}
