package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/ui/text"
)

// The width of help in columns: without a terminal and COLUMNS, the least, the most on a terminal, and the most by COLUMNS.
const (
	helpColumns = 80
	leastHelp   = 40
	mostHelp    = 100
	mostColumns = 200
	// nameColumns is the widest name in a list of help that has its text on the same line.
	nameColumns = 24
)

// help shows a command's help.
func (e *Env) help(c *cobra.Command, _ []string) {
	e.tell(c, helpText(c, helpWidth(e)))
}

// tell writes the help of a command.
func (e *Env) tell(c *cobra.Command, help string) {
	if _, err := io.WriteString(e.out, help); err != nil {
		e.exit = lost(e, c, &unwritten{err})
	}
}

// helpWidth returns the width of help in columns: that of the terminal, else COLUMNS.
func helpWidth(e *Env) int {
	if w := newPage(e).width; w > 0 {
		return min(max(w, leastHelp), mostHelp)
	}
	if w, _ := strconv.Atoi(e.getenv("COLUMNS")); w > 0 {
		return min(max(w, leastHelp), mostColumns)
	}
	return helpColumns
}

// helpVerb is vise help.
func helpVerb(e *Env) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "help [COMMAND|GROUP]…", Short: "Show the help of a command, or of a group of commands",
		Example: "vise help plan edit\nvise help work",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			about, _, err := c.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(about), cobra.ShellCompDirectiveNoFileComp
		},
	}
	flags{{"all", &all, "every command with a sentence, and the flags that all have"}}.add(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		about, rest, err := c.Root().Find(args)
		h := &helper{width: helpWidth(e)}
		switch {
		case len(args) == 1 && about.ContainsGroup(args[0]):
			h.commands(about, args[0])
		case err != nil || len(rest) > 0:
			return noSuchVerb(about, rest)
		case all && !about.HasParent():
			_, shared := flagsOf(about)
			h.commands(about, "")
			h.flags("Flags of every command", shared)
		default:
			e.help(about, nil)
			return nil
		}
		e.tell(about, strings.TrimPrefix(h.String(), "\n"))
		return nil
	}
	return c
}

// firstDay are the commands that one needs first. vise help says a sentence about each.
var firstDay = []string{"install", "new", "inbox", "show", "answer", "say", "complete", "undo", "doctor"}

// helpText returns a command's help in lines of at most width columns.
func helpText(c *cobra.Command, width int) string {
	h := &helper{width: width}
	h.paragraphs(cmp.Or(c.Long, c.Short+"."))
	if !c.Runnable() {
		return h.String() // a topic
	}
	if !c.HasParent() {
		h.overview(c)
		return h.String()
	}
	h.heading("Usage")
	h.text(2, usageLine(c))
	if c.Example != "" {
		h.heading("Examples")
		for line := range strings.SplitSeq(c.Example, "\n") {
			h.line("  " + line)
		}
	}
	h.commands(c, "")
	own, shared := flagsOf(c)
	h.flags("Flags", own)
	h.heading("Flags of every command")
	h.text(2, "--"+strings.Join(names(shared), ", --")+"; vise help --all explains them")
	return h.String()
}

// overview is the first screen: what one needs first, then the names of all commands by group.
func (h *helper) overview(root *cobra.Command) {
	h.heading("On the first day")
	rows := [][2]string{{"vise", "Open the console"}}
	for _, name := range firstDay {
		c, _, _ := root.Find([]string{name})
		rows = append(rows, [2]string{"vise " + name, c.Short})
	}
	h.list(rows)
	h.heading("All commands")
	rows = nil
	for _, g := range root.Groups() {
		rows = append(rows, [2]string{g.ID, strings.Join(namesIn(root, g.ID), " ")})
	}
	h.list(rows)
	own, shared := flagsOf(root)
	h.heading("Flags")
	h.text(2, "--"+strings.Join(names(append(own, shared...)), ", --"))
	h.line("")
	h.text(0, "vise help COMMAND shows a command's flags and an example, vise help GROUP (such as work) a sentence about each of its "+
		"commands, vise help --all about all, vise help exit-codes what exit codes mean.")
}

// namesIn returns the commands of a group.
func namesIn(c *cobra.Command, group string) (out []string) {
	for _, x := range c.Commands() {
		if x.GroupID == group && !x.Hidden {
			out = append(out, x.Name())
		}
	}
	return out
}

// usageLine shows how a command is called. Flags come before --.
func usageLine(c *cobra.Command) string {
	line := c.CommandPath() + strings.TrimPrefix(c.Use, c.Name())
	own, _ := flagsOf(c)
	if len(own) == 0 {
		return line
	}
	before, after, dashes := strings.Cut(line, "-- ")
	if !dashes {
		return line + " [flags]"
	}
	optional := strings.HasSuffix(before, "[")
	before = strings.TrimSuffix(before, "[") + "[flags] "
	if optional {
		before += "["
	}
	return before + "-- " + after
}

// flagsOf returns the flags that a command's help shows: its own, and those of every command.
func flagsOf(c *cobra.Command) (own, shared []*pflag.Flag) {
	every := c.Root().PersistentFlags()
	c.InheritedFlags() // merges them into Flags
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden, f.Name == "help":
		case every.Lookup(f.Name) == f:
			shared = append(shared, f)
		default:
			own = append(own, f)
		}
	})
	return own, shared
}

func names(flags []*pflag.Flag) []string {
	out := make([]string, len(flags))
	for i, f := range flags {
		out[i] = f.Name
	}
	return out
}

// flagName returns a flag as help lists it, with the kind of its value.
func flagName(f *pflag.Flag) string {
	kind := map[string]string{"bool": "", "int": " N", "uint64": " N", "duration": " TIME"}
	word, ok := kind[f.Value.Type()]
	if !ok {
		word = " TEXT"
	}
	if flagKinds[f.Name] == "FILE" {
		word = " FILE"
	}
	return "--" + f.Name + word
}

// helper writes help to a given width.
type helper struct {
	strings.Builder
	width int
}

func (h *helper) line(s string) { h.WriteString(s + "\n") }

func (h *helper) heading(s string) { h.line("\n" + s + ":") }

// text writes s in lines that are indented by indent columns.
func (h *helper) text(indent int, s string) {
	for _, line := range text.Wrap(s, h.width-indent) {
		h.line(strings.Repeat(" ", indent) + line)
	}
}

// paragraphs writes a text that has the line breaks of its source. Indented lines stay as they are, other lines are filled.
func (h *helper) paragraphs(s string) {
	const hanging = 6
	fill := ""
	flush := func() {
		if fill != "" {
			h.text(0, fill)
		}
		fill = ""
	}
	for line := range strings.SplitSeq(s, "\n") {
		switch {
		case line == "":
			flush()
			h.line("")
		case strings.HasPrefix(line, " "):
			flush()
			for i, part := range text.Wrap(line, h.width-hanging) {
				h.line(strings.Repeat(" ", min(i, 1)*hanging) + part)
			}
		default:
			fill = strings.TrimSpace(fill + " " + line)
		}
	}
	flush()
}

// list writes names with their texts beside them.
func (h *helper) list(rows [][2]string) {
	wide := 0
	for _, r := range rows {
		if w := text.Width(r[0]); w <= nameColumns {
			wide = max(wide, w)
		}
	}
	for _, r := range rows {
		lines := text.Wrap(r[1], h.width-wide-4)
		if text.Width(r[0]) > wide {
			h.line("  " + r[0])
		} else {
			h.line("  " + text.Pad(r[0], wide) + "  " + lines[0])
			lines = lines[1:]
		}
		for _, line := range lines {
			h.line(strings.Repeat(" ", wide+4) + line)
		}
	}
}

func (h *helper) flags(title string, list []*pflag.Flag) {
	if len(list) == 0 {
		return
	}
	h.heading(title)
	rows := make([][2]string, len(list))
	for i, f := range list {
		rows[i] = [2]string{flagName(f), f.Usage}
	}
	h.list(rows)
}

// commands lists the commands of c by group, or those of one group.
func (h *helper) commands(c *cobra.Command, only string) {
	for _, g := range append(c.Groups(), &cobra.Group{Title: "Commands"}) {
		var rows [][2]string
		for _, x := range c.Commands() {
			if x.GroupID == g.ID && !x.Hidden && (only == "" || only == g.ID) {
				rows = append(rows, [2]string{x.Name(), x.Short})
			}
		}
		if len(rows) > 0 {
			h.heading(g.Title)
			h.list(rows)
		}
	}
}

func manVerb() verb {
	return verb{
		use: "man", short: "Print the manual page",
		example: "vise admin man | man -l -",
		who:     anybody,
		run: func(e *Env) (answer, error) {
			page := manual(commandTree(e))
			return wholeText(script{Text: page}, page), nil
		},
	}
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

// manual returns the manual page in roff: the help of vise and of each command, as a terminal shows it.
func manual(root *cobra.Command) string {
	var out strings.Builder
	section := func(title, body string) {
		fmt.Fprintf(&out, ".SH %s\n.nf\n%s\n.fi\n", strings.ToUpper(title), quoted(strings.TrimSpace(body)))
	}
	rows := func(rows [][2]string) string {
		h := &helper{width: helpColumns}
		h.list(rows)
		return h.String()
	}
	fmt.Fprintf(&out, ".TH VISE 1 \"\" \"vise %s\" \"User commands\"\n", quoted(builtVersion().Version))
	section("name", "vise - "+root.Short)
	section("synopsis", root.CommandPath()+" [COMMAND] [flags]")
	section("description", helpText(root, helpColumns))
	var commands func(*cobra.Command)
	commands = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				section(sub.CommandPath(), helpText(sub, helpColumns))
				commands(sub)
			}
		}
	}
	commands(root)
	section("exit status", exitTable())
	section("environment", rows(manualVariables))
	section("files", rows(manualFiles))
	section("examples", root.Example)
	return out.String()
}

// quoted escapes in s what roff would obey.
func quoted(s string) string {
	return strings.NewReplacer("\\", "\\e", "-", "\\-", "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(s)
}
