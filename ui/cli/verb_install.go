package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/agents"
)

func installVerb(e *Env) *cobra.Command {
	var o agents.Options
	c := &cobra.Command{
		Use: "install [PROGRAM]", Short: "Put vise into an agent program's settings",
		Long: "install adds the MCP server and the hooks of vise to the user's settings of " + strings.Join(agents.Programs, ", ") + ".\n" +
			"It changes only its own entries, and writes all files or none. Without --agent the program keeps its agent. A\n" +
			"program without one works as the agent called default if that is the home's only agent and no other program\n" +
			"works as it, else as an agent with the program's name. --uninstall removes the entries, for every home or only\n" +
			"for --home, and restores what was there before. For another MCP client, --print prints what to add.",
		Example: "vise install claude --dry-run", ValidArgs: agents.Programs,
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "show the change and write nothing")
	f.BoolVar(&o.Uninstall, "uninstall", false, "remove vise's entries")
	project := f.Bool("project", false, "the settings of this git worktree; without --agent each worktree has an agent of its own")
	f.BoolVar(&o.AskReport, "ask-report", false, "when the agent completes an item without a word, ask it once for the report")
	permit := f.Bool("permit", false, "let the program run vise's tools, and Codex its hooks, without asking you each time; "+
		"false takes that back (default: no change; on a terminal vise asks)")
	prints := f.Bool("print", false, "print the MCP server of --agent as most clients take it, and write nothing")
	f.StringVar(&o.Tools, "tools", "", "usual, or all: also those that notify the operator, delegate and start tasks (default: no change)")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		switch {
		case *prints && len(args) == 0:
			return printServer(e, o)
		case *prints:
			return answer{}, misuse("print", "--print is for other programs").WithHint("vise install %s --dry-run", model.Text(args[0]))
		case len(args) == 0:
			return answer{}, misuse("program", "PROGRAM is missing").
				WithHint("one of %s; for another MCP client: vise install --print --agent NAME", strings.Join(agents.Programs, ", "))
		}
		if *project {
			o.Project = agents.Worktree(e.dir)
		}
		if f.Changed("permit") {
			o.Permit = permit
		}
		return install(e, args[0], o)
	})
}

// printServer prints the MCP server for a client that vise does not know.
func printServer(e *Env, o agents.Options) (answer, error) {
	if e.agent == "" {
		return answer{}, misuse("agent", "an agent is missing").WithHint("vise install --print --agent NAME")
	}
	o, err := installOptions(e, "", o)
	data := agents.Server(o)
	return answer{data: data, text: func(p *page) {
		raw, _ := json.MarshalIndent(data, "", "  ") // strings can always be encoded
		p.b.WriteString(string(raw) + "\n")
	}}, err
}

// installOptions returns o with this run's options for a program.
func installOptions(e *Env, program string, o agents.Options) (_ agents.Options, err error) {
	o.Program, o.Agent, o.Vise, o.Getenv = program, string(e.agent), ownName(), e.getenv
	if !o.Uninstall { // an uninstall removes everything, for any version
		o.Version = versionOf(program)
	}
	o.Home, err = homeDir(e)
	o.OnlyHome = e.flags.home != ""
	return o, err
}

// versionTimeout is the time limit for a program to print its version.
const versionTimeout = 5 * time.Second

// versionOf returns the version that Claude Code and Codex print, because their features depend on it. It is empty if the program prints
// none, or cannot be found.
func versionOf(program string) string {
	if program != "claude" && program != "codex" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.WaitDelay = time.Second // a child of the program can hold the pipe open
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	for _, word := range strings.Fields(string(out)) {
		if word[0] >= '0' && word[0] <= '9' {
			return word
		}
	}
	return ""
}

func install(e *Env, program string, o agents.Options) (answer, error) {
	o, err := installOptions(e, program, o)
	if err != nil {
		return answer{}, err
	}
	if o.Permit == nil && !o.DryRun && !o.Uninstall && e.ttyIn && !e.flags.json {
		o.Permit = askPermit(e, o)
	}
	if !o.Uninstall {
		if o.Unnamed, err = unnamed(e); err != nil {
			return answer{}, err
		}
	}
	out, err := agents.Install(o)
	if err == nil && o.Project != "" && !o.DryRun && !o.Uninstall {
		err = makeKnown(e, model.AgentID(out.Agent))
	}
	return answer{data: out, text: func(p *page) { p.installed(out, o) }}, err
}

// unnamed returns the agent called default if it is the only one of the home: its items are for an agent that was not named yet.
func unnamed(e *Env) (string, error) {
	name, err := readOne(e, func(r model.Reader) (string, error) {
		if all := r.Agents("", 2); len(all) != 1 || all[0].ID != defaultAgent {
			return "", nil
		}
		return string(defaultAgent), nil
	})
	if home.NoHome(err) {
		return "", nil
	}
	return name, err
}

// makeKnown adds an agent to an existing home that does not have it.
func makeKnown(e *Env, agent model.AgentID) error {
	known, err := readOne(e, func(r model.Reader) (bool, error) {
		_, ok := r.Agent(agent)
		return ok, nil
	})
	if err == nil && !known {
		_, err = send(e, mutation{}, "", model.AddAgent{AgentID: agent})
	}
	if home.NoHome(err) {
		return nil // the MCP server makes the home
	}
	return err
}

// askPermit asks whether to permit what the program would ask about again and again. nil leaves the questions to the program.
func askPermit(e *Env, o agents.Options) *bool {
	asks := agents.Asks(o)
	if asks == "" {
		return nil
	}
	fmt.Fprintf(e.err, "%s.\nPermit that in its settings, once and for all? [y/N] ", asks)
	said, _ := bufio.NewReader(e.in).ReadString('\n')
	yes := isYes(said)
	if !yes {
		return nil
	}
	return &yes
}

// isYes reads the answer to a question that ends with [y/N].
func isYes(said string) bool {
	said = strings.ToLower(strings.TrimSpace(said))
	return said == "y" || said == "yes"
}

// integration shows the changes of a program's settings, and returns how many files change.
func (p *page) integration(out agents.Installed) (changed int) {
	for _, f := range out.Files {
		if !f.Changed {
			p.line("%s is as it should be", model.Text(f.Path))
			continue
		}
		changed++
		p.line("%s", model.Text(strings.TrimRight(f.Diff, "\n")).Multiline())
	}
	for _, n := range out.Notes {
		p.line("note: %s", model.Text(n))
	}
	return changed
}

func (p *page) installed(out agents.Installed, o agents.Options) {
	switch changed := p.integration(out); {
	case changed == 0:
		p.line("nothing to change")
	case o.DryRun:
		p.line("nothing was written")
	case o.Uninstall:
		p.line("vise is out of %s's settings", out.Program)
	default:
		p.line("%s works as agent %s; vise doctor %s says whether its hooks arrive", out.Program, out.Agent, out.Program)
	}
}

// ownName returns how other programs call this one: its name if the search path finds this program, else its path.
func ownName() string {
	self, err := os.Executable()
	if err != nil {
		return "vise"
	}
	found, err := exec.LookPath("vise")
	if err != nil {
		return self
	}
	a, errA := filepath.EvalSymlinks(self)
	b, errB := filepath.EvalSymlinks(found)
	if errA == nil && errB == nil && a == b {
		return "vise"
	}
	return self
}

// doctorProgram reports whether a program's settings are correct and which of its hooks reach vise.
func doctorProgram(e *Env, program string, project bool) (answer, error) {
	var o agents.Options
	if project {
		o.Project = agents.Worktree(e.dir)
	}
	o, err := installOptions(e, program, o)
	if err != nil {
		return answer{}, err
	}
	list, err := agents.Doctor(o, e.now())
	if err != nil {
		return answer{}, err
	}
	out := checkup{Home: o.Home, Checks: []check{}}
	for _, c := range append(list, agents.Serves(e, o)) {
		out.add(c.Name, c.OK, c.Message, c.Hint)
	}
	return answer{data: out, exit: failed(out.Problems > 0), text: func(p *page) { p.checkup(out) }}, nil
}

// installedPrograms returns the agents' programs on this machine for which vise has an integration.
func installedPrograms() (found []string) {
	for _, p := range agents.Programs {
		if _, err := exec.LookPath(p); err == nil {
			found = append(found, p)
		}
	}
	return found
}

// integrationPreview returns what vise install would change for some programs, as vise install prints it. It writes nothing. If a program's
// settings have an error, the error takes the place of the changes.
func integrationPreview(e *Env, programs []string) model.Text {
	var p page
	for _, name := range programs {
		p.line("vise install %s", name)
		yes := true // the operator sees the preview before it is written
		o, err := installOptions(e, name, agents.Options{DryRun: true, Permit: &yes})
		var out agents.Installed
		if err == nil {
			out, err = agents.Install(o)
		}
		if err != nil {
			p.line("! %s", fault(err).Message)
		}
		p.integration(out)
		p.line("")
	}
	return model.Text(strings.TrimSuffix(p.b.String(), "\n"))
}

// integrate writes for one program the changes that integrationPreview shows.
func integrate(e *Env, program string) error {
	yes := true
	_, err := install(e, program, agents.Options{Permit: &yes})
	return err
}
