package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/agents"
)

func (a *app) installVerb() *cobra.Command {
	var o agents.Options
	c := &cobra.Command{
		Use: "install PROGRAM", Short: "Put vise into an agent program's settings",
		Long: "install adds the MCP server and the hooks of vise to the user's settings of claude, codex, crush or opencode.\n" +
			"It edits its own entries alone, and writes all files or none. --uninstall takes them out again.",
		Example: "vise install claude --dry-run", ValidArgs: agents.Programs,
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "show the change and write nothing")
	f.BoolVar(&o.Uninstall, "uninstall", false, "take vise's entries out")
	f.BoolVar(&o.AskReport, "ask-report", false, "when the agent completes an item without a word, ask it once for the report")
	return a.verb(c, func(_ context.Context, args []string) (answer, error) { return a.install(args[0], o) })
}

func (a *app) installOptions(program string) (agents.Options, error) {
	agent, err := a.namedAgent()
	if err != nil {
		return agents.Options{}, err
	}
	dir, err := a.homeDir()
	return agents.Options{Program: program, Agent: string(agent), Vise: ownName(), Home: dir, Version: versionOf(program), Getenv: a.getenv}, err
}

// versionPatience is what a program may take to tell its version.
const versionPatience = 5 * time.Second

// versionOf is what Claude Code and Codex say of their version, as what they can do depends
// on that; empty where it is not said, or cannot be found.
func versionOf(program string) string {
	if program != "claude" && program != "codex" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.WaitDelay = time.Second // a child of its own may hold the pipe
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

func (a *app) install(program string, o agents.Options) (answer, error) {
	full, err := a.installOptions(program)
	if err != nil {
		return answer{}, err
	}
	full.DryRun, full.Uninstall, full.AskReport = o.DryRun, o.Uninstall, o.AskReport
	out, err := agents.Install(full)
	if err != nil {
		return answer{}, err
	}
	return answer{data: out, text: func(p *page) { p.installed(out, full) }}, nil
}

func (p *page) installed(out agents.Installed, o agents.Options) {
	changed := 0
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
	switch {
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

// ownName is how other programs call this one: by its name if that finds it, else by its path.
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

// doctorProgram says whether a program's hooks arrive.
func (a *app) doctorProgram(program string) (answer, error) {
	o, err := a.installOptions(program)
	if err != nil {
		return answer{}, err
	}
	list, err := agents.Doctor(o, a.now())
	if err != nil {
		return answer{}, err
	}
	out := checkup{Home: o.Home, Checks: []check{}}
	for _, c := range list {
		out.add(c.Name, c.OK, c.Message, c.Hint)
	}
	return answer{data: out, exit: failed(out.Problems > 0), text: func(p *page) { p.checkup(out) }}, nil
}

// installedPrograms are the agents' programs of this machine that vise can be put into.
func installedPrograms() (found []string) {
	for _, p := range agents.Programs {
		if _, err := exec.LookPath(p); err == nil {
			found = append(found, p)
		}
	}
	return found
}

// integrationPreview is what vise install would change for some programs, as it prints it. Nothing
// is written. What is wrong with one program's settings stands in its place.
func (a *app) integrationPreview(programs []string) model.Text {
	var out []string
	for _, name := range programs {
		out = append(out, "vise install "+name)
		o, err := a.installOptions(name)
		if err == nil {
			o.DryRun = true
			var r agents.Installed
			if r, err = agents.Install(o); err == nil {
				out = append(out, integrationLines(r)...)
			}
		}
		if err != nil {
			out = append(out, "! "+fault(err).Message)
		}
		out = append(out, "")
	}
	return model.Text(strings.Join(out, "\n"))
}

// integrate writes what integrationPreview tells of one program.
func (a *app) integrate(program string) error {
	o, err := a.installOptions(program)
	if err == nil {
		_, err = agents.Install(o)
	}
	return err
}

func integrationLines(r agents.Installed) (out []string) {
	for _, f := range r.Files {
		if f.Changed {
			out = append(out, strings.TrimRight(f.Diff, "\n"))
		} else {
			out = append(out, f.Path+" is as it should be")
		}
	}
	for _, n := range r.Notes {
		out = append(out, "note: "+n)
	}
	return out
}
