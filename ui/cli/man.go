package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "man", Short: "Print the manual page", Example: "vise man | man -l -"}
	return e.plain(c, func(context.Context, []string) (answer, error) { return printed(script{Text: manual(c.Root())}), nil })
}

// manualVariables are the environment variables that vise reads, for the manual.
var manualVariables = [][2]string{
	{"VISE_HOME", "the home to work in, unless --home names one"},
	{"VISE_AGENT", "the agent to act for or look at, unless --agent names one"},
	{"VISE_ACTOR", "who acts, unless --actor says it"},
	{"VISE_ALLOW_NETWORK_FS", "1: a home can lie on a network file system, where locks may not keep processes apart"},
	{"XDG_DATA_HOME, XDG_CONFIG_HOME", "where the home and the configuration are; default: ~/.local/share and ~/.config"},
	{"VISUAL, EDITOR", "the editor for plans"},
	{"NO_COLOR", "any value: no colours"},
	{"COLUMNS", "the width of help without a terminal: 40 to 200, default 80"},
	{"ACCESSIBLE", "1: on a terminal, the console is lines and numbered menus"},
}

// manualFiles are the files that vise uses, for the manual.
var manualFiles = [][2]string{
	{"~/.local/share/vise/", "the home: ledger.db, its lock, journal/, snapshots/"},
	{"~/.local/share/vise/agents/AGENT/work-items/ID/plan.md", "the plan of a work item"},
	{"~/.config/vise/config.yaml", "keys, themes, own commands, filters, agents' programs"},
}

// manual returns the manual page in roff.
func manual(root *cobra.Command) string {
	m := &roff{}
	m.line(`.TH VISE 1 "" "vise %s" "User commands"`, quoted(builtVersion().Version))
	m.heading("NAME")
	m.line(`vise \- %s`, quoted(root.Short))
	m.heading("SYNOPSIS")
	m.line(`.B vise`)
	m.line(`[COMMAND] [flags]`)
	m.heading("DESCRIPTION")
	m.text(root.Long)
	m.heading("COMMANDS")
	for _, g := range root.Groups() {
		m.line(".SS %s", quoted(g.Title))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				m.command(c)
			}
		}
	}
	m.heading("OPTIONS")
	own, shared := flagsOf(root)
	m.flags(append(own, shared...))
	m.heading("EXIT STATUS")
	for _, x := range exits {
		m.entry(fmt.Sprint(x.code), x.means)
	}
	m.entries("ENVIRONMENT", manualVariables)
	m.entries("FILES", manualFiles)
	m.heading("EXAMPLES")
	m.example(root.Example)
	return m.String()
}

// roff writes a page in roff.
type roff struct{ strings.Builder }

func (m *roff) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *roff) heading(s string) { m.line(".SH %s", s) }

// text writes a text. Indented lines stay as they are.
func (m *roff) text(s string) {
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(line, " ") {
			m.line(".br")
		}
		m.line("%s", quoted(strings.TrimSpace(line)))
	}
}

func (m *roff) entry(name, what string) {
	m.line(".TP\n.B %s\n%s", quoted(name), quoted(what))
}

func (m *roff) entries(title string, list [][2]string) {
	m.heading(title)
	for _, x := range list {
		m.entry(x[0], x[1])
	}
}

func (m *roff) flags(list []*pflag.Flag) {
	for _, f := range list {
		m.entry(flagName(f), f.Usage)
	}
}

func (m *roff) example(s string) {
	m.line(".nf")
	for line := range strings.SplitSeq(s, "\n") {
		m.line("%s", quoted(line))
	}
	m.line(".fi")
}

// command writes a command and its subcommands.
func (m *roff) command(c *cobra.Command) {
	if c.Hidden {
		return
	}
	m.line(".TP\n.B %s", quoted(usageLine(c)))
	m.text(cmp.Or(c.Long, c.Short+"."))
	m.line(".RS")
	if c.Example != "" {
		m.example(c.Example)
	}
	own, _ := flagsOf(c)
	m.flags(own)
	m.line(".RE")
	for _, sub := range c.Commands() {
		m.command(sub)
	}
}

// quoted escapes in s what roff would obey.
func quoted(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}
