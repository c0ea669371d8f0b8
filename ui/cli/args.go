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
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/model"
	"vise/model/todo"
	"vise/ui/config"
)

// withoutFlags leaves out of a usage the flags in brackets.
func withoutFlags(use string) string {
	before, flag, found := strings.Cut(use, "[--")
	if !found {
		return use
	}
	_, after, _ := strings.Cut(flag, "]")
	return before + withoutFlags(after)
}

// arguments are the names of the arguments that a usage has, as in "block ID TEXT", how many are
// needed and how many there can be: [NAME] can be left out, and NAME… and [NAME]… take any number.
// What follows a flag is none.
func arguments(use string) (names []string, needed, most int) {
	for _, name := range strings.Fields(withoutFlags(use))[1:] {
		if name == "--" {
			continue
		}
		if strings.HasPrefix(name, "--") || strings.HasPrefix(name, "(--") {
			break
		}
		word, _, _ := strings.Cut(strings.Trim(name, "[]…"), "[") // FILE[:LINE] is a FILE
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

// usageArgs checks that a verb gets the arguments that its usage names.
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
		case len(args) > most:
			return misuse("arguments", "%q is one argument too many", model.Text(args[most])).
				WithHint("%s; words with spaces need quotes", usage(c))
		}
		return nil
	}
}

func usage(c *cobra.Command) string { return "usage: " + usageLine(c) }

// maxInput bounds what is read of a file or of standard input, in bytes.
const maxInput = 8 << 20

// content reads a flag's value: - is standard input, @NAME a file, anything else is meant
// as it stands.
func (a *app) content(field, value string) (string, error) {
	switch {
	case value == "-":
		return a.stdin(field)
	case strings.HasPrefix(value, "@"):
		return a.file(field, value[1:])
	}
	return value, nil
}

// fileOrStdin reads a flag that names a file, or - for standard input.
func (a *app) fileOrStdin(field, name string) (string, error) {
	if name == "-" {
		return a.stdin(field)
	}
	return a.file(field, name)
}

func (a *app) stdin(field string) (string, error) {
	if a.ttyIn {
		fmt.Fprintf(a.err, "vise: reading %s until ctrl+d\n", field)
	}
	return bounded(field, "standard input", a.in)
}

func (a *app) file(field, name string) (string, error) {
	f, err := os.Open(absolute(a.dir, name))
	if err != nil {
		return "", misuse(field, "%v", model.Text(err.Error())).WithHint("name a file that can be read, or - for standard input")
	}
	defer f.Close()
	return bounded(field, name, f)
}

func bounded(field, name string, r io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return "", misuse(field, "read %s: %v", model.Text(name), model.Text(err.Error()))
	}
	if len(raw) > maxInput {
		return "", misuse(field, "%s has more than %d bytes", model.Text(name), maxInput).WithHint("give less")
	}
	return string(raw), nil
}

// first is the first argument, or nothing.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// answer is what a verb has to say, for machines and for people.
type answer struct {
	// data is the envelope's data in JSON. Without data there is none: the verb has written by itself.
	data     any
	warnings []model.Warning
	// text writes the same for people, lines are the same where it is only lines; none writes
	// nothing.
	text  func(*page)
	lines []string
	// conditions: the text shows the home's conditions itself.
	conditions bool
	// exit is the exit code although there is an answer: doctor found something.
	exit int
}

// receiptAnswer is a receipt, and one line for people.
func receiptAnswer(in model.Receipt, format string, args ...any) answer {
	return answer{data: in, warnings: in.Warnings, text: func(p *page) { p.line(format, args...) }}
}

// warningsOf are sentences as warnings of one kind.
func warningsOf[S ~string](kind model.WarningKind, list []S) []model.Warning {
	var out []model.Warning
	for _, s := range list {
		out = append(out, model.Warning{Kind: kind, Message: model.Text(s).String()})
	}
	return out
}

const schemaPrefix = "vise.v1."

type envelope struct {
	Schema   string          `json:"schema"`
	Data     any             `json:"data"`
	Warnings []model.Warning `json:"warnings"`
}

type errorEnvelope struct {
	Schema string `json:"schema"`
	Error  struct {
		*model.Error
		// Rule is the clause of the file todos' contract that refused.
		Rule todo.Rule `json:"rule,omitempty"`
	} `json:"error"`
}

// writeJSON writes one line of JSON that cannot drive a terminal either.
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

// harmless escapes what a terminal would obey or not show: DEL, C1, bidirectional and
// hidden characters. In JSON they can only stand inside strings, where \u means the same.
func harmless(raw []byte) []byte {
	var out []byte
	copied := 0
	for i := 0; i < len(raw); {
		if raw[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		if model.Text(raw[i : i+size]).Hidden() {
			out = append(out, raw[copied:i]...)
			out = appendEscape(out, r)
			copied = i + size
		}
		i += size
	}
	if copied == 0 {
		return raw
	}
	return append(out, raw[copied:]...)
}

func appendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}

// globals are the flags of every verb.
type globals struct {
	home, agent, actor    string
	json, strict, noColor bool
	// accessible asks for the console of lines, version for the version; both are flags of vise without a verb.
	accessible, version bool
}

func (g *globals) register(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&g.home, "home", "", "the home to work in (VISE_HOME; default: vise in the user's data directory)")
	f.StringVar(&g.agent, "agent", "", "the agent to act for or look at (VISE_AGENT; default: the only one, else the one named default)")
	f.StringVar(&g.actor, "actor", "", "who acts: operator, agent:NAME, external:NAME or unknown (VISE_ACTOR; default: operator on a "+
		"terminal, else unknown; only the operator may --force)")
	f.BoolVar(&g.json, "json", false, "answer in JSON")
	f.BoolVar(&g.strict, "strict", false, "exit 6 when there are warnings")
	f.BoolVar(&g.noColor, "no-color", false, "no colours (NO_COLOR)")
}

// spanFlag is a length of time on the command line, read like any other.
type spanFlag time.Duration

func (s *spanFlag) Set(in string) error {
	d, err := model.ParseSpan(in)
	*s = spanFlag(d)
	return err
}

func (s *spanFlag) Type() string { return "duration" }

// String is part of pflag.Value; a flag without a default has none to show.
func (s *spanFlag) String() string {
	if *s == 0 {
		return ""
	}
	return config.Span(*s).String()
}

// spanVar gives a verb a flag for a length of time; zero is not given.
func spanVar(f *pflag.FlagSet, to *time.Duration, name string, unless time.Duration, usage string) {
	*to = unless
	f.Var((*spanFlag)(to), name, usage)
}

// mutation are the flags of verbs that change an item.
type mutation struct {
	key        string
	ifRevision uint64
}

// keyed gives a verb the flag --key.
func (m *mutation) keyed(c *cobra.Command) {
	c.Flags().StringVar(&m.key, "key", "", "idempotency key: a second call with the same key changes nothing")
}

// register gives a verb --key and --if-revision.
func (m *mutation) register(c *cobra.Command) {
	m.keyed(c)
	c.Flags().Uint64Var(&m.ifRevision, "if-revision", 0, "refuse if the work item is not at this revision any more")
}

// identify reads who acts, and for which agent.
func (a *app) identify() error {
	if err := a.readActor(); err != nil {
		return err
	}
	return a.usableAgent()
}

// readActor reads who acts and the agent that is named; an agent that acts acts for itself.
func (a *app) readActor() error {
	a.actor = model.Actor(cmp.Or(a.flags.actor, a.getenv("VISE_ACTOR"), string(model.Unknown)))
	if a.flags.actor == "" && a.getenv("VISE_ACTOR") == "" && (a.ttyIn || a.ttyOut) {
		a.actor = model.Operator
	}
	own, _ := a.actor.Agent()
	a.agent = model.AgentID(cmp.Or(a.flags.agent, a.getenv("VISE_AGENT"), string(own)))
	kind, name, has := strings.Cut(string(a.actor), ":")
	if a.actor != model.Operator && a.actor != model.Unknown && (!has || kind != "agent" && kind != "external" || !model.ValidID(name)) {
		return misuse("actor", "unknown actor %q", model.Text(a.actor)).
			WithHint("use operator, agent:NAME, external:NAME or unknown; a name is 1 to 64 of a-z, 0-9, - and _")
	}
	return nil
}

// usableAgent refuses a name that no agent can have.
func (a *app) usableAgent() error {
	if a.agent != "" && !model.ValidID(string(a.agent)) {
		return misuse("agent", "agent %q is not usable", model.Text(a.agent)).
			WithHint("use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")
	}
	return nil
}

// defaultAgent is the agent of a home that nobody named one for.
const defaultAgent model.AgentID = "default"

// someAgents bounds how many agents a hint names.
const someAgents = 8

// agentOf is the agent that a verb without an item is about: the one named, else the only
// one, else the one called default.
func (a *app) agentOf(r model.Reader) (model.AgentID, error) {
	if a.agent != "" {
		return a.agent, a.usableAgent()
	}
	agents := r.Agents("", someAgents)
	switch len(agents) {
	case 0:
		return defaultAgent, nil
	case 1:
		return agents[0].ID, nil
	}
	if _, ok := r.Agent(defaultAgent); ok {
		return defaultAgent, nil
	}
	names := make([]string, len(agents))
	for i, x := range agents {
		names[i] = string(x.ID)
	}
	return "", misuse("agent", "there are several agents").WithHint("name one: --agent %s", strings.Join(names, ", --agent "))
}

// knownIfNamed refuses an agent that is named and is not in the home.
func (a *app) knownIfNamed(r model.Reader) error {
	if a.agent == "" {
		return nil
	}
	_, err := a.knownAgent(r)
	return err
}

// knownAgent is agentOf for verbs that only look: an unknown agent is an error.
func (a *app) knownAgent(r model.Reader) (model.AgentID, error) {
	id, err := a.agentOf(r)
	if err != nil {
		return "", err
	}
	if _, ok := r.Agent(id); !ok {
		return "", model.Refuse(model.CodeNotFound, "unknown agent %s", model.Text(id)).At("agent").WithHint("list them: vise agents")
	}
	return id, nil
}
