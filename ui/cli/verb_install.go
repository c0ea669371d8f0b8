package cli

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/agents"
	"vise/ui/runner"
)

func installVerb() verb {
	var o agents.Options
	var project, prints bool
	return verb{
		use: "install [PROGRAM]", short: "Put vise into an agent program's settings",
		long: "install adds the MCP server and the hooks of vise to the user's settings of " + strings.Join(agents.Programs, ", ") + ".\n" +
			"It changes only its own entries, and writes all files or none. Without --agent the program keeps its agent. A\n" +
			"program without one works as the agent called default if that is the home's only agent and no other program\n" +
			"works as it, else as an agent with the program's name. --uninstall removes the entries, for every home or only\n" +
			"for --home, and restores what was there before. For another MCP client, --print prints what to add.",
		example: "vise install claude --dry-run",
		words:   agents.Programs,
		flags: flags{
			{"dry-run", &o.DryRun, "show the change and write nothing"},
			{"uninstall", &o.Uninstall, "remove vise's entries"},
			{"ask-report", &o.AskReport, "when the agent completes an item without a word, ask it once for the report"},
			{"tools", &o.Tools, "usual, or all: also those that notify you, delegate and start tasks (default: no change)"},
			{"project", &project, "the settings of this git worktree; without --agent each worktree has an agent of its own"},
			{"permit", &o.Permit, "let the program run vise's tools, and Codex its hooks, without asking you each time; " +
				"false takes that back (default: no change; on a terminal vise asks)"},
			{"print", &prints, "print the MCP server of --agent as most clients take it, and write nothing"},
		},
		run: func(e *Env) (answer, error) {
			args := e.words
			switch {
			case prints && len(args) == 0:
				return printServer(e, o)
			case prints:
				return nil, misuse("print", "--print is for other programs").WithHint("vise install %s --dry-run", args[0])
			case len(args) == 0:
				return nil, misuse("program", "PROGRAM is missing").
					WithHint("one of %s; for another MCP client: vise install --print --agent NAME", strings.Join(agents.Programs, ", "))
			}
			if project {
				o.Project = agents.Worktree(e.dir)
			}
			return install(e, args[0], o)
		},
	}
}

// printServer prints the MCP server for a client that vise does not know.
func printServer(e *Env, o agents.Options) (answer, error) {
	if e.agent == "" {
		return nil, misuse("agent", "an agent is missing").WithHint("vise install --print --agent NAME")
	}
	o, err := installOptions(e, "", o)
	data := agents.Server(o)
	raw, _ := json.MarshalIndent(data, "", "  ") // strings can always be encoded
	return wholeText(data, string(raw)+"\n"), err
}

// installOptions returns o with this run's options for a program.
func installOptions(e *Env, program string, o agents.Options) (_ agents.Options, err error) {
	o.Program, o.Agent, o.Vise, o.Getenv = program, string(e.agent), ownName(), e.getenv
	o.Home, err = homeDir(e)
	o.OnlyHome = e.flags.home != ""
	return o, err
}

func install(e *Env, program string, o agents.Options) (answer, error) {
	o, err := installOptions(e, program, o)
	if err != nil {
		return nil, err
	}
	if o.Permit == nil && !o.DryRun && !o.Uninstall && e.ttyIn && !e.flags.json {
		if o.Permit, err = askPermit(e, o); err != nil {
			return nil, err
		}
	}
	if !o.Uninstall {
		if o.Unnamed, err = unnamed(e); err != nil {
			return nil, err
		}
	}
	out, err := agents.Install(o)
	if err == nil && o.Project != "" && !o.DryRun && !o.Uninstall {
		var known bool
		if known, err = isAgent(e, out.Agent); err == nil && !known {
			_, err = sendAlso(e, "", model.AddAgent{AgentID: model.AgentID(out.Agent)})
		}
		if home.NoHome(err) {
			err = nil // the MCP server makes the home
		}
	}
	return answered(out, func(p *page) { p.installed(out, o) }), err
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

// askPermit asks whether to permit what the program would ask about again and again. nil leaves the questions to the program.
func askPermit(e *Env, o agents.Options) (*bool, error) {
	asks := agents.Asks(o)
	if asks == "" {
		return nil, nil
	}
	fmt.Fprintf(e.err, "%s.\nYes permits vise's own tools in its settings, and nothing else. Permit them? [Y/n] ", asks)
	said, err := runner.UnlessEnded(e, func() (string, error) { return bufio.NewReader(e.in).ReadString('\n') })
	permit := err == nil && slices.Contains([]string{"", "y", "yes"}, strings.ToLower(strings.TrimSpace(said)))
	if !permit {
		return nil, e.Err()
	}
	return &permit, nil
}

// integration shows the changes of a program's settings, and returns how many files change.
func (p *page) integration(out agents.Installed) (changed int) {
	for _, f := range out.Files {
		if !f.Changed {
			p.say("%s is as it should be", f.Path)
			continue
		}
		changed++
		p.lines(model.Text(strings.TrimRight(f.Diff, "\n")).Multiline())
	}
	return changed
}

// notes come last, where they are seen.
func (p *page) installNotes(out agents.Installed) {
	for _, n := range out.Notes {
		p.lines(p.class(model.WaitingForOperator, safe("note: "+n)))
	}
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
	p.installNotes(out)
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
		o, err := installOptions(e, name, agents.Options{DryRun: true, Permit: new(true)}) // the operator sees it before it is written
		var out agents.Installed
		if err == nil {
			out, err = agents.Install(o)
		}
		if err != nil {
			p.line("! %s", fault(err).Message)
		}
		p.integration(out)
		p.installNotes(out)
		p.line("")
	}
	return model.Text(strings.TrimSuffix(p.b.String(), "\n"))
}

// primer is what an agent should know about vise before it reads anything else.
//
//go:embed primer.md
var primer string

func primeVerb() verb {
	var o agents.Options
	var write bool
	return verb{
		use: "prime [FILE]", short: "Print a short text about vise for an agent's instruction file, or keep it there",
		long: `prime prints the text. With --write it puts the text as a marked block into FILE, by default AGENTS.md
of this git worktree, or CLAUDE.md if only that exists; the rest of the file stays. --write again
replaces the block, and --uninstall removes it. vise install PROGRAM --uninstall removes it too: from
the user's file, or with --project from this one.`,
		example: "vise context prime --write CLAUDE.md",
		flags: flags{
			{"uninstall", &o.Uninstall, "take the block out of FILE"},
			{"dry-run", &o.DryRun, "show the change and write nothing"},
			{"write", &write, "keep the text as a block in FILE"},
		},
		who: anybody,
		run: func(e *Env) (answer, error) {
			switch keeps := write || o.Uninstall; {
			case !keeps && (len(e.words) > 0 || o.DryRun):
				return nil, misuse("write", "a FILE or --dry-run needs --write").
					WithHint("vise context prime --write FILE puts the text there")
			case !keeps:
				data := struct {
					Text string `json:"text"`
				}{primer}
				return wholeText(data, primer), nil
			}
			path := filepath.Join(agents.Worktree(e.dir), agents.InstructionFile)
			if claude := filepath.Join(filepath.Dir(path), agents.ClaudeInstructionFile); !exists(path) && exists(claude) {
				path = claude
			}
			if len(e.words) > 0 {
				path = absolute(e.dir, e.words[0])
			}
			o.Getenv = e.getenv
			out, err := agents.KeepPrimer(o, path, primer)
			return answered(out, func(p *page) {
				if p.integration(out) == 0 {
					p.line("nothing to change")
				} else if o.DryRun {
					p.line("nothing was written")
				}
			}), err
		},
	}
}

// attached is the data of run: the session, and the command that shows it.
type attached struct {
	Session home.Session `json:"session"`
	// Open means that the session is still open in its tmux pane.
	Open    bool     `json:"open"`
	Command []string `json:"command"`
	Dir     string   `json:"dir"`
}

func runVerb() verb {
	var show bool
	return verb{
		use: "run [ID|AGENT] [-- PROGRAM [ARG…]]", short: "Go on with a session, or run a program and keep its last words",
		long: `run goes to the pane of tmux where the session that worked on an item, or as an agent, still is, or else opens it
again in its directory: claude --resume, codex resume, opencode --session. Which session it was is known from the
program's hooks.

run -- PROGRAM passes input, output and exit code through, and offers the last words as a report of what the agent
completed meanwhile. The output of a program that needs the terminal for itself is not read, and lines of JSON are no
words. vise start and vise drive run programs so that each reply is told apart.`,
		example: "vise run wi-7f3k\nvise run -- claude -p 'Work on the current item'",
		flags:   flags{{"print", &show, "print the session's command, and do not run it"}},
		run: func(e *Env) (answer, error) {
			args := e.words
			switch at := e.called.ArgsLenAtDash(); {
			case at == 0 && len(args) > 0:
				return nil, wrap(e, args)
			case len(args) != 1:
				return nil, misuse("id", "name one ID or AGENT, or a program after --").WithHint("%s", usage(e.called))
			}
			to, err := attach(e, args[0])
			if err != nil {
				return nil, err
			}
			switch {
			case show || e.flags.json:
				return oneLine(to, "cd %s && %s", model.ShellLine([]string{to.Dir}), model.ShellLine(to.Command)), nil
			case !e.ttyIn:
				return nil, misuse("print", "a session needs a terminal").WithHint("--print shows the command")
			}
			return nil, goThere(e, to)
		},
	}
}

// attach finds the session of an agent, or of the item that ref names.
func attach(e *Env, ref string) (to attached, err error) {
	agent, item, err := agentOrItem(e, ref)
	if err != nil {
		return to, fault(err).
			WithHint("vise list shows the work items, vise agents the agents; a program comes after --: vise run -- %s", ref)
	}
	var names []string
	if item.ID != "" {
		names = []string{string(item.ID), string(item.Handle)}
	}
	s, ok := e.home.LastSession(agent, names...)
	if !ok {
		return to, notFound("no session of %s is known", agent).
			WithHint("sessions are known from the program's hooks: vise doctor PROGRAM says whether they arrive")
	}
	p := cmp.Or(s.Driver, s.Process)
	lives := s.State != home.SessionGone && (p.PID != 0 || s.Runs != "") && agents.Lives(s)
	to = attached{Session: s, Dir: s.Dir}
	if lives && agents.InPane(s) != "" {
		to.Command = paneOf(e, s)
	}
	to.Open = to.Command != nil
	switch {
	case lives && s.Driver.PID != 0:
		return to, refuse("session %s still runs (pid %d), and vise drives it", model.Text(s.ID), p.PID).
			WithHint("vise log -f %s shows it; vise stop %[1]s ends it, then it can be opened in its own terminal", agent)
	case lives && !to.Open:
		return to, refuse("session %s still runs (pid %d), outside tmux", model.Text(s.ID), p.PID).
			WithHint("go to its terminal; when it has ended there, vise run %s opens it again", model.Text(ref))
	case !to.Open:
		to.Command = agents.Resume(s)
	}
	if to.Command == nil {
		return to, refuse("vise does not know how %s goes on with a session", s.Program).
			WithHint("it is session %s, in %s", s.ID, s.Dir)
	}
	return to, nil
}

// paneOf returns the command that shows the tmux pane in which a session still runs.
func paneOf(e *Env, s home.Session) []string {
	show := "attach-session"
	if socket, _, _ := strings.Cut(e.getenv("TMUX"), ","); socket == s.Tmux {
		show = "switch-client"
	}
	return []string{"tmux", "-S", s.Tmux, "select-window", "-t", s.Pane, ";", "select-pane", "-t", s.Pane, ";", show, "-t", s.Pane}
}

// goThere gives the terminal to the session's program. vise exits with that program's exit code.
func goThere(e *Env, to attached) error {
	c := exec.CommandContext(e, to.Command[0], to.Command[1:]...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = to.Dir, os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return agents.Exit(ended.ExitCode())
	}
	if err != nil {
		return refuse("%s was not started: %s", to.Command[0], err).
			WithHint("by hand: vise run --print")
	}
	return nil
}
